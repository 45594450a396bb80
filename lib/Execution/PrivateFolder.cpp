//===- PrivateFolder.cpp - A folder that nobody else writes to ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every file is opened relative to the folder, without following a link, and
// checked through its descriptor: what is checked is what is used.
//
//===----------------------------------------------------------------------===//

#include "PrivateFolder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir::symshape;

static constexpr std::chrono::seconds lockTimeout(2);

/// In the name of a file that is not finished, before a number.
static constexpr llvm::StringLiteral unfinished = ".temp-stream-";

static std::error_code lastProblem() {
  return std::error_code(errno, std::generic_category());
}

static llvm::Error unusableFolder(const llvm::Twine &why) {
  return llvm::createStringError(
      std::make_error_code(std::errc::permission_denied), why);
}

/// Why somebody else may decide what is in a file or folder; empty if nobody
/// may.
static llvm::StringRef findStranger(const struct stat &status) {
  if (status.st_uid != geteuid())
    return "another user owns it";
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return "others may write to it";
  return "";
}

llvm::Expected<std::unique_ptr<PrivateFolder>>
PrivateFolder::open(llvm::StringRef path) {
  std::string name = path.str();
  if (std::error_code problem = llvm::sys::fs::create_directories(
          name, /*IgnoreExisting=*/true, llvm::sys::fs::owner_all))
    return llvm::errorCodeToError(problem);
  int descriptor = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return llvm::errorCodeToError(lastProblem());
  std::unique_ptr<PrivateFolder> folder(new PrivateFolder(descriptor));
  struct stat status;
  if (fstat(descriptor, &status))
    return llvm::errorCodeToError(lastProblem());
  llvm::StringRef stranger = findStranger(status);
  if (stranger.empty())
    return std::move(folder);
  return unusableFolder(stranger + (status.st_uid == geteuid()
                                        ? ": run chmod go-w '" + name + "'"
                                        : ": use a folder of your own"));
}

PrivateFolder::~PrivateFolder() { close(descriptor); }

namespace {
/// Closes a descriptor.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
};
} // namespace

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
PrivateFolder::read(const std::string &name, uint64_t maxBytes) const {
  // A pipe would be waited for without O_NONBLOCK.
  Descriptor file{openat(descriptor, name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (file.number < 0)
    return errno == ELOOP ? unusableFolder("it is a link")
                          : llvm::errorCodeToError(lastProblem());
  struct stat status;
  if (fstat(file.number, &status))
    return llvm::errorCodeToError(lastProblem());
  if (!S_ISREG(status.st_mode))
    return unusableFolder("it is no plain file");
  if (llvm::StringRef stranger = findStranger(status); !stranger.empty())
    return unusableFolder(stranger);
  if (uint64_t(status.st_size) > maxBytes)
    return unusableFolder("it has " + llvm::Twine(status.st_size) +
                          " bytes, but at most " + llvm::Twine(maxBytes) +
                          " are read");
  // Read, not mapped: truncating a mapped file would crash the process.
  auto bytes = llvm::MemoryBuffer::getOpenFile(
      file.number, name, status.st_size, /*RequiresNullTerminator=*/true,
      /*IsVolatile=*/true);
  if (!bytes)
    return llvm::errorCodeToError(bytes.getError());
  return std::move(*bytes);
}

llvm::Error PrivateFolder::replace(
    const std::string &name,
    llvm::function_ref<void(llvm::raw_ostream &)> write) const {
  std::string temporary;
  int file = -1;
  for (int tries = 0; file < 0 && tries < 100; ++tries) {
    temporary = name + unfinished.str() +
                std::to_string(llvm::sys::Process::GetRandomNumber());
    file = openat(descriptor, temporary.c_str(),
                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST)
      break;
  }
  if (file < 0)
    return llvm::errorCodeToError(lastProblem());
  std::error_code problem;
  {
    llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
    write(os);
    os.close();
    problem = os.error();
    os.clear_error(); // or else the destructor ends the process
  }
  if (!problem &&
      renameat(descriptor, temporary.c_str(), descriptor, name.c_str()) != 0)
    problem = lastProblem();
  if (problem)
    (void)unlinkat(descriptor, temporary.c_str(), 0);
  return llvm::errorCodeToError(problem);
}

bool PrivateFolder::has(const std::string &name) const {
  struct stat status;
  return fstatat(descriptor, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

void PrivateFolder::touch(const std::string &name) const {
  (void)utimensat(descriptor, name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

bool PrivateFolder::remove(const std::string &name) const {
  return unlinkat(descriptor, name.c_str(), 0) == 0;
}

std::vector<PrivateFolder::File> PrivateFolder::list() const {
  std::vector<File> files;
  // A separate descriptor: reading moves it, and closedir closes it.
  int copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = copy < 0 ? nullptr : fdopendir(copy);
  if (!entries) {
    if (copy >= 0)
      close(copy);
    return files;
  }
  while (const dirent *entry = readdir(entries)) {
    struct stat status;
    if (fstatat(descriptor, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(status.st_mode))
      continue;
    auto used =
        llvm::sys::toTimePoint(status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    files.push_back({entry->d_name, uint64_t(status.st_size), used});
  }
  closedir(entries);
  return files;
}

static std::mutex lockMutex;

PrivateFolder::Lock::Lock() : guard(lockMutex) {}

PrivateFolder::Lock::~Lock() {
  if (file < 0)
    return;
  (void)llvm::sys::fs::unlockFile(file);
  close(file);
}

llvm::Expected<std::unique_ptr<PrivateFolder::Lock>>
PrivateFolder::lock() const {
  std::unique_ptr<Lock> lock(new Lock());
  lock->file =
      openat(descriptor, "lock",
             O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (lock->file < 0)
    return errno == ELOOP ? unusableFolder("it is a link")
                          : llvm::errorCodeToError(lastProblem());
  struct stat status;
  if (fstat(lock->file, &status))
    return llvm::errorCodeToError(lastProblem());
  if (!S_ISREG(status.st_mode))
    return unusableFolder("it is no plain file");
  if (std::error_code problem =
          llvm::sys::fs::tryLockFile(lock->file, lockTimeout)) {
    close(lock->file);
    lock->file = -1;
    return llvm::errorCodeToError(problem);
  }
  return std::move(lock);
}

bool PrivateFolder::isUnfinished(
    llvm::StringRef name, llvm::function_ref<bool(llvm::StringRef)> isOurs) {
  auto [finished, number] = name.rsplit(unfinished);
  return !number.empty() && llvm::all_of(number, llvm::isAlnum) &&
         isOurs(finished);
}
