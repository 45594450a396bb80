//===- Files.cpp - Files that are read and written whole ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Process/Files.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir::symshape;
namespace fs = llvm::sys::fs;

static constexpr size_t maxInputBytes = size_t(256) << 20;

static std::error_code lastProblem() {
  return std::error_code(errno, std::generic_category());
}

using Bytes = llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>;

Bytes mlir::symshape::readPlainFile(llvm::StringRef path, bool isText) {
  // A pipe would be waited for without O_NONBLOCK.
  int file = open(path.str().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return llvm::errorCodeToError(lastProblem());
  struct stat status;
  std::error_code problem;
  std::unique_ptr<llvm::MemoryBuffer> bytes;
  if (fstat(file, &status)) {
    problem = lastProblem();
  } else if (S_ISDIR(status.st_mode)) {
    problem = std::make_error_code(std::errc::is_a_directory);
  } else if (S_ISREG(status.st_mode)) {
    auto read = llvm::MemoryBuffer::getOpenFile(
        file, path, status.st_size, /*RequiresNullTerminator=*/isText);
    if (read)
      bytes = std::move(*read);
    else
      problem = read.getError();
  }
  close(file);
  if (problem)
    return llvm::errorCodeToError(problem);
  if (!bytes)
    return llvm::createStringError(
        std::make_error_code(std::errc::invalid_argument),
        "expected a plain file");
  return bytes;
}

static Bytes readInput() {
  llvm::SmallVector<char, 0> bytes;
  size_t size = 0;
  for (;;) {
    bytes.resize_for_overwrite(size + std::max<size_t>(1 << 16, size / 2));
    ssize_t got = read(STDIN_FILENO, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return llvm::errorCodeToError(lastProblem());
    size += got;
    if (got == 0)
      break;
    if (size > maxInputBytes)
      return llvm::createStringError(
          std::make_error_code(std::errc::file_too_large),
          "expected at most 256 MiB");
  }
  return llvm::MemoryBuffer::getMemBufferCopy({bytes.data(), size}, "<stdin>");
}

Bytes mlir::symshape::readPlainFileOrInput(llvm::StringRef path) {
  return path == "-" ? readInput() : readPlainFile(path, /*isText=*/true);
}

llvm::Error NewFile::cannotWrite(std::error_code problem) const {
  return llvm::createStringError(problem, "cannot write '" + path +
                                              "': " + problem.message());
}

/// The file that `path` leads to, and why it cannot be written. `isPlain` says
/// whether it is replaced as a whole.
static std::error_code findTarget(llvm::StringRef path, std::string &target,
                                  bool &isPlain) {
  llvm::SmallString<128> real(path);
  bool exists = fs::exists(path);
  if (exists)
    if (std::error_code problem = fs::real_path(path, real))
      return problem;
  target = real.str().str();
  isPlain = !exists || fs::is_regular_file(target);
  if (fs::is_directory(target))
    return std::make_error_code(std::errc::is_a_directory);
  if (exists)
    if (std::error_code problem = fs::access(target, fs::AccessMode::Write))
      return problem;
  if (!isPlain)
    return {};
  llvm::StringRef folder = llvm::sys::path::parent_path(target);
  folder = folder.empty() ? "." : folder;
  if (std::error_code problem = fs::access(folder, fs::AccessMode::Write))
    return problem;
  return fs::is_directory(folder)
             ? std::error_code()
             : std::make_error_code(std::errc::not_a_directory);
}

llvm::StringRef mlir::symshape::nameForeignKind(llvm::StringRef bytes) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kinds[] =
      {{"PK\3\4", "a zip archive, as PyTorch writes"},
       {"\x80\2", "a pickle of Python"},
       {"\x80\4", "a pickle of Python"},
       {"\x1f\x8b", "compressed by gzip"},
       {"\x93NUMPY", "an array of NumPy"},
       {"\x89PNG", "an image"},
       {"\xff\xd8\xff", "an image"},
       {"\x89HDF", "an HDF5 file"},
       {"\x7f"
        "ELF",
        "machine code"},
       {"%PDF", "a document"}};
  for (auto [beginning, kind] : kinds)
    if (bytes.starts_with(beginning))
      return kind;
  // The size of a header in JSON, in 8 bytes.
  if (bytes.size() > 10 &&
      bytes.substr(4, 6) == llvm::StringRef("\0\0\0\0{\"", 6))
    return "a file of weights, as safetensors writes";
  return bytes.empty() ? "empty" : "";
}

llvm::Expected<NewFile> NewFile::create(llvm::StringRef path) {
  NewFile file(path);
  bool isPlain;
  if (std::error_code problem = findTarget(path, file.target, isPlain))
    return file.cannotWrite(problem);
  if (!isPlain)
    return file;
  auto permissions = fs::getPermissions(file.target);
  llvm::SmallString<128> temporary;
  int descriptor;
  // The mask of the process applies to a new file.
  if (std::error_code problem = fs::createUniqueFile(
          file.target + ".temp-stream-%%%%%%", descriptor, temporary,
          fs::OF_None, fs::all_read | fs::all_write))
    return file.cannotWrite(problem);
  file.temporary = temporary.str().str();
  file.isPending = true;
  llvm::sys::RemoveFileOnSignal(temporary);
  if (permissions)
    (void)fchmod(descriptor, *permissions & fs::all_all);
  close(descriptor);
  return file;
}

NewFile::NewFile(NewFile &&other)
    : path(other.path), target(other.target), temporary(other.temporary),
      isPending(other.isPending) {
  other.isPending = false;
}

NewFile::~NewFile() {
  if (!isPending)
    return;
  (void)fs::remove(temporary);
  llvm::sys::DontRemoveFileOnSignal(temporary);
}

llvm::Error NewFile::write(
    llvm::function_ref<void(llvm::raw_pwrite_stream &)> write) const {
  std::error_code problem;
  llvm::raw_fd_ostream os(temporary, problem);
  if (problem)
    return cannotWrite(problem);
  write(os);
  os.close();
  problem = os.error();
  os.clear_error(); // or else the destructor ends the process
  return problem ? cannotWrite(problem) : llvm::Error::success();
}

llvm::Error NewFile::keep() {
  if (!isPending)
    return llvm::Error::success();
  if (std::error_code problem = fs::rename(temporary, target))
    return cannotWrite(problem);
  llvm::sys::DontRemoveFileOnSignal(temporary);
  isPending = false;
  return llvm::Error::success();
}

llvm::Error mlir::symshape::replaceFile(
    llvm::StringRef path,
    llvm::function_ref<void(llvm::raw_pwrite_stream &)> write) {
  auto file = NewFile::create(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = file->write(write))
    return error;
  return file->keep();
}

llvm::Error mlir::symshape::writeOutput(
    llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (path != "-")
    return replaceFile(path, write);
  write(llvm::outs());
  return llvm::Error::success();
}

llvm::Error mlir::symshape::checkWritable(llvm::StringRef path) {
  std::string target;
  bool isPlain;
  std::error_code problem = findTarget(path, target, isPlain);
  return problem
             ? llvm::createStringError(problem, "cannot write '" + path +
                                                    "': " + problem.message())
             : llvm::Error::success();
}
