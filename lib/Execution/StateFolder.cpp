//===- StateFolder.cpp - What is kept between processes -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/StateFolder.h"
#include "symshape/Execution/ProgramSource.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include <dlfcn.h>
#include <mutex>

using namespace mlir::symshape;

/// Of both kinds of file; a change of either makes the old ones foreign.
static constexpr int64_t formatNumber = 1;

static constexpr std::chrono::seconds lockTimeout(5);

/// In the name of a file that `llvm::writeToOutput` is writing.
static constexpr llvm::StringLiteral unfinished = ".temp-stream-";

static void warn(const llvm::Twine &message) {
  llvm::errs() << "warning: " << message << '\n';
}

static void warnUnused(llvm::StringRef path, llvm::Error error) {
  warn("'" + path + "' is not used: " + llvm::toString(std::move(error)));
}

static llvm::Error unusable(const llvm::Twine &why,
                            std::errc code = std::errc::invalid_argument) {
  return llvm::createStringError(std::make_error_code(code), why);
}

static std::string hash(llvm::ArrayRef<llvm::StringRef> parts) {
  llvm::BLAKE3 hasher;
  for (llvm::StringRef part : parts) {
    uint64_t size = part.size();
    hasher.update({reinterpret_cast<const uint8_t *>(&size), sizeof(size)});
    hasher.update(part);
  }
  return llvm::toHex(hasher.final<16>(), /*LowerCase=*/true);
}

/// What tells this build of the tool from others: version of LLVM, size and
/// time of the file that this code is in.
static std::string getToolStamp() {
  std::string text = LLVM_VERSION_STRING;
  Dl_info info;
  llvm::sys::fs::file_status status;
  if (!dladdr(reinterpret_cast<void *>(&getToolStamp), &info) ||
      llvm::sys::fs::status(info.dli_fname, status))
    (void)llvm::sys::fs::status("/proc/self/exe", status);
  auto time = status.getLastModificationTime().time_since_epoch().count();
  return text + " " + std::to_string(status.getSize()) + " " +
         std::to_string(time);
}

static std::string describe(const CPUTarget &target) {
  std::string text;
  llvm::raw_string_ostream(text)
      << target.triple.str() << ' ' << target.cpu << ' ' << target.features
      << ' ' << target.vectorBits << ' ' << target.vectorRegisters << ' '
      << target.fma << target.halfConversions << target.scaleInstruction << ' '
      << target.maskedBits << ' ' << target.cacheBytes;
  return text;
}

/// Replaces the file at `path` as a whole; warns where that fails.
static void replaceFile(llvm::StringRef path,
                        llvm::function_ref<void(llvm::raw_ostream &)> write) {
  auto writeAll = [&](llvm::raw_ostream &os) -> llvm::Error {
    auto &file = static_cast<llvm::raw_fd_ostream &>(os);
    write(file);
    file.flush();
    std::error_code problem = file.error();
    file.clear_error(); // or else the destructor ends the process
    return llvm::errorCodeToError(problem);
  };
  if (llvm::Error error = llvm::writeToOutput(path, writeAll))
    warn("cannot write '" + path + "': " + llvm::toString(std::move(error)));
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readFile(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::errorCodeToError(file.getError());
  return std::move(*file);
}

/// Not told: there is none yet.
static llvm::Error dropMissing(llvm::Error error) {
  return llvm::handleErrors(
      std::move(error), [](std::unique_ptr<llvm::ECError> e) -> llvm::Error {
        if (e->convertToErrorCode() == std::errc::no_such_file_or_directory)
          return llvm::Error::success();
        return llvm::Error(std::move(e));
      });
}

/// The object in `text`, of our format and about `subject`.
static llvm::Expected<llvm::json::Object> parseHeader(llvm::StringRef text,
                                                      llvm::StringRef subject) {
  auto value = llvm::json::parse(text);
  if (!value)
    return unusable(llvm::toString(value.takeError()));
  llvm::json::Object *object = value->getAsObject();
  std::optional<int64_t> format =
      object ? object->getInteger("format") : std::nullopt;
  if (!format)
    return unusable("it is not of this tool");
  if (*format != formatNumber)
    return unusable("it has format " + llvm::Twine(*format) +
                        ", but this tool reads " + llvm::Twine(formatNumber),
                    std::errc::not_supported);
  if (object->getString("subject") != subject)
    return unusable("it is about something else");
  return std::move(*object);
}

StateFolder::StateFolder(llvm::StringRef path, const ProgramSource &source,
                         llvm::StringRef entry, uint64_t limit)
    : folder(path), programHash(hash({source.bytes->getBuffer(), entry})),
      numDims(source.dims.size()), limit(limit) {
  if (std::error_code problem = llvm::sys::fs::create_directories(folder))
    warn("no state is kept in '" + path + "': " + problem.message());
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

std::string StateFolder::getProfilePath() const {
  return folder + "/" + programHash + ".profile.json";
}

llvm::Expected<ShapeProfile> StateFolder::readProfile() const {
  auto file = readFile(getProfilePath());
  if (!file)
    return file.takeError();
  auto object = parseHeader((*file)->getBuffer(), programHash);
  if (!object)
    return object.takeError();
  const llvm::json::Value *dims = object->get("dims");
  std::optional<ShapeProfile> profile =
      dims ? ShapeProfile::fromJSON(*dims, numDims) : std::nullopt;
  if (!profile)
    return unusable("expected a range for each of " + llvm::Twine(numDims) +
                    " dims");
  return std::move(*profile);
}

ShapeProfile StateFolder::loadProfile() const {
  auto profile = readProfile();
  if (profile)
    return std::move(*profile);
  if (llvm::Error error = dropMissing(profile.takeError()))
    warnUnused(getProfilePath(), std::move(error));
  return {};
}

namespace {
/// Holds the lock of a folder: of this process by a mutex, since the lock of a
/// file belongs to all its threads.
class FolderLock {
public:
  explicit FolderLock(llvm::StringRef path) : guard(mutex) {
    if (!llvm::sys::fs::openFileForReadWrite(
            path, file, llvm::sys::fs::CD_OpenAlways, llvm::sys::fs::OF_None))
      (void)llvm::sys::fs::tryLockFile(file, lockTimeout);
  }
  ~FolderLock() {
    if (file < 0)
      return;
    (void)llvm::sys::fs::unlockFile(file);
    (void)llvm::sys::Process::SafelyCloseFileDescriptor(file);
  }

private:
  static std::mutex mutex;
  std::lock_guard<std::mutex> guard;
  int file = -1;
};
} // namespace

std::mutex FolderLock::mutex;

void StateFolder::addToProfile(const ShapeProfile &profile) const {
  FolderLock lock(folder + "/lock");
  ShapeProfile merged = profile;
  auto kept = readProfile();
  if (kept) {
    merged.add(*kept);
    if (merged == *kept)
      return;
  } else if (llvm::errorToErrorCode(kept.takeError()) ==
             std::errc::not_supported) {
    return; // another tool keeps it; told when it was loaded
  }
  llvm::json::Object object{{"format", formatNumber},
                            {"subject", programHash},
                            {"dims", merged.toJSON()}};
  replaceFile(getProfilePath(), [&](llvm::raw_ostream &os) {
    os << llvm::json::Value(std::move(object)) << '\n';
  });
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

std::string StateFolder::getCodeKey(const CompileOptions &options) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << options.guards << options.planMemory << (options.threads > 1);
  for (int64_t extent : options.extents)
    os << ' ' << extent;
  return hash({programHash, text, describe(options.target), getToolStamp()});
}

std::string StateFolder::getCodePath(llvm::StringRef key) const {
  return (folder + "/" + key + ".code").str();
}

llvm::Expected<CompiledCode> StateFolder::readCode(llvm::StringRef key) const {
  auto file = readFile(getCodePath(key));
  if (!file)
    return file.takeError();
  auto [line, object] = (*file)->getBuffer().split('\n');
  auto header = parseHeader(line, key);
  if (!header)
    return header.takeError();
  CompiledCode code;
  std::vector<uint64_t> ranks; // reading it refuses negative numbers
  llvm::json::Path::Root root;
  llvm::json::Value fields = std::move(*header);
  llvm::json::ObjectMapper mapper(fields, root);
  std::string expectedHash;
  if (!mapper || !mapper.map("prepared", ranks) ||
      !mapper.map("versions", code.versionNames) ||
      !mapper.map("functions", code.functions) ||
      !mapper.map("hash", expectedHash) || expectedHash != hash({object}))
    return unusable("it is damaged");
  code.object = llvm::MemoryBuffer::getMemBufferCopy(object);
  code.preparedRanks.assign(ranks.begin(), ranks.end());
  return code;
}

/// Marks a file as just used. A failure does no harm: it may go earlier.
static void touch(llvm::StringRef path) {
  int file = -1;
  if (llvm::sys::fs::openFileForReadWrite(
          path, file, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::OF_None))
    return;
  (void)llvm::sys::fs::setLastAccessAndModificationTime(
      file, std::chrono::system_clock::now());
  (void)llvm::sys::Process::SafelyCloseFileDescriptor(file);
}

std::optional<CompiledCode>
StateFolder::loadCode(const CompileOptions &options) const {
  std::string key = getCodeKey(options);
  auto code = readCode(key);
  if (code) {
    touch(getCodePath(key));
    return std::move(*code);
  }
  if (llvm::Error error = dropMissing(code.takeError()))
    warnUnused(getCodePath(key), std::move(error));
  return std::nullopt;
}

void StateFolder::storeCode(const CompileOptions &options,
                            const CompiledCode &code) const {
  std::string key = getCodeKey(options);
  llvm::StringRef object = code.object->getBuffer();
  llvm::json::Object header{{"format", formatNumber},
                            {"subject", key},
                            {"hash", hash({object})},
                            {"prepared", llvm::json::Array(code.preparedRanks)},
                            {"versions", llvm::json::Array(code.versionNames)},
                            {"functions", llvm::json::Array(code.functions)}};
  replaceFile(getCodePath(key), [&](llvm::raw_ostream &os) {
    os << llvm::json::Value(std::move(header)) << '\n' << object;
  });
  trim(getCodePath(key));
}

namespace {
struct CodeFile {
  std::string path;
  uint64_t size;
  llvm::sys::TimePoint<> used;
};
} // namespace

/// Who has opened a file that is removed still reads it; who comes later
/// compiles. What processes that were killed have left goes after a while.
void StateFolder::trim(llvm::StringRef kept) const {
  if (limit == 0)
    return;
  FolderLock lock(folder + "/lock");
  constexpr std::chrono::hours patience(1);
  auto now = std::chrono::system_clock::now();
  std::vector<CodeFile> files;
  uint64_t total = 0;
  std::error_code problem;
  for (llvm::sys::fs::directory_iterator it(folder, problem), end;
       !problem && it != end; it.increment(problem)) {
    llvm::StringRef path = it->path();
    auto status = it->status();
    if (!status)
      continue;
    auto used = status->getLastModificationTime();
    if (path.contains(unfinished) && now - used > patience)
      (void)llvm::sys::fs::remove(path);
    if (!path.ends_with(".code"))
      continue;
    total += status->getSize();
    if (path != kept)
      files.push_back({path.str(), status->getSize(), used});
  }
  llvm::sort(files, [](const CodeFile &a, const CodeFile &b) {
    return std::tie(a.used, a.path) < std::tie(b.used, b.path);
  });
  for (const CodeFile &file : files)
    if (total > limit && !llvm::sys::fs::remove(file.path))
      total -= file.size;
}
