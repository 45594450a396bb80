//===- StateFolder.cpp - What is kept between processes -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/StateFolder.h"
#include "PrivateFolder.h"
#include "StateFiles.h"
#include "symshape/Execution/ProgramSource.h"
#include "llvm-c/Core.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace mlir::symshape;

/// More than any profile has, and more than the memory for loaded code.
static constexpr uint64_t maxProfileBytes = 64 << 20, maxCodeBytes = 1 << 30;

std::string mlir::symshape::getCacheFolder() {
  if (const char *chosen = std::getenv("SYMSHAPE_CACHE"); chosen && *chosen)
    return llvm::StringRef(chosen) == "off" ? "" : chosen;
  llvm::SmallString<128> path;
  if (!llvm::sys::path::cache_directory(path))
    return "";
  llvm::sys::path::append(path, "symshape");
  return path.str().str();
}

/// What distinguishes this build of the tool from others: version of the LLVM
/// that is loaded, size and time of the file that this code is in.
static std::string getToolStamp() {
  unsigned major, minor, patch;
  LLVMGetVersion(&major, &minor, &patch);
  std::string text = llvm::formatv("{0}.{1}.{2}", major, minor, patch).str();
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
      << target.permutations << ' ' << target.maskedBits << ' '
      << target.cacheBytes;
  return text;
}

/// A missing file is not reported.
static llvm::Error dropMissing(llvm::Error error) {
  return llvm::handleErrors(
      std::move(error), [](std::unique_ptr<llvm::ECError> e) -> llvm::Error {
        if (e->convertToErrorCode() == std::errc::no_such_file_or_directory)
          return llvm::Error::success();
        return llvm::Error(std::move(e));
      });
}

StateFolder::StateFolder(llvm::StringRef path, const ProgramSource &source,
                         llvm::StringRef entry, uint64_t limit,
                         DiagnosticSink diagnostics)
    : path(path), programHash(hashTexts({source.bytes->getBuffer(), entry})),
      programPath(source.bytes->getBufferIdentifier()),
      numDims(source.dims.size()), limit(limit),
      diagnostics(std::move(diagnostics)) {
  auto opened = PrivateFolder::open(path);
  if (opened)
    folder = std::move(*opened);
  else
    warn(this->diagnostics, "no state is kept in '" + path +
                                "': " + llvm::toString(opened.takeError()));
}

StateFolder::StateFolder(StateFolder &&) = default;
StateFolder::~StateFolder() = default;

void StateFolder::warnUnused(llvm::StringRef name, llvm::Error error) const {
  warn(diagnostics, "'" + path + "/" + name +
                        "' is not used: " + llvm::toString(std::move(error)));
}

/// Replaces a file as a whole; warns if that fails.
void StateFolder::replaceFile(
    const std::string &name,
    llvm::function_ref<void(llvm::raw_ostream &)> write) const {
  if (llvm::Error error = folder->replace(name, write))
    warn(this->diagnostics, "cannot write '" + path + "/" + name +
                                "': " + llvm::toString(std::move(error)));
}

/// Runs `work` under the lock of the folder; warns if it cannot be taken.
void StateFolder::runLocked(llvm::function_ref<void()> work) const {
  auto lock = folder->lock();
  if (lock)
    return work();
  warn(diagnostics, "cannot lock '" + path +
                        "/lock', so that the folder stays as it is: " +
                        llvm::toString(lock.takeError()));
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

llvm::Expected<ShapeProfile> StateFolder::readProfile() const {
  auto file = folder->read(makeProfileName(programHash), maxProfileBytes);
  if (!file)
    return file.takeError();
  return parseProfile((*file)->getBuffer(), programHash, numDims);
}

ShapeProfile StateFolder::loadProfile() const {
  if (!folder)
    return {};
  auto profile = readProfile();
  if (profile)
    return std::move(*profile);
  if (llvm::Error error = dropMissing(profile.takeError()))
    warnUnused(makeProfileName(programHash), std::move(error));
  return {};
}

void StateFolder::addToProfile(const ShapeProfile &profile) const {
  if (!folder)
    return;
  runLocked([&]() {
    ShapeProfile merged = profile;
    auto kept = readProfile();
    if (kept) {
      merged.add(*kept);
      if (merged == *kept)
        return;
    } else if (llvm::errorToErrorCode(kept.takeError()) ==
               std::errc::not_supported) {
      return; // another tool keeps it; reported when it was loaded
    }
    replaceFile(makeProfileName(programHash), [&](llvm::raw_ostream &os) {
      writeProfile(os, programHash, merged);
    });
  });
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

std::string StateFolder::getCodeKey(const CompileOptions &options) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << options.guards << options.planMemory << (options.threads > 1)
     << options.quick;
  if (options.tosaBroadcast)
    os << " tosa " << static_cast<int>(*options.tosaBroadcast);
  if (!options.precision.empty())
    os << " precision " << options.precision;
  if (options.gpu)
    os << " nvvm " << options.gpu->chip << options.gpu->features
       << static_cast<int>(options.gpu->wgmma);
  for (int64_t extent : options.extents)
    os << ' ' << extent;
  return hashTexts({programHash, programPath, text, describe(options.target),
                    getToolStamp()});
}

bool StateFolder::hasCode(const CompileOptions &options) const {
  return folder && folder->has(makeCodeName(getCodeKey(options)));
}

std::unique_ptr<Program>
StateFolder::loadProgram(const ProgramSource &source,
                         const CompileOptions &options) const {
  std::string key = getCodeKey(options);
  auto object = loadObject(makeCodeName(key), key);
  if (!object)
    return nullptr;
  auto program =
      Program::load(source, {std::move(object), CompileTimes()}, options);
  if (program)
    return std::move(*program);
  warnUnused(makeCodeName(key), program.takeError());
  return nullptr;
}

void StateFolder::storeCode(const CompileOptions &options,
                            const CompiledCode &code) const {
  if (!folder || code.hasDiagnostics)
    return;
  std::string key = getCodeKey(options), name = makeCodeName(key);
  storeObject(name, key, code.object->getBuffer());
  if (limit != 0)
    runLocked([&]() { trim(name); });
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static std::string getPartKey(llvm::StringRef content,
                              const CPUTarget &target) {
  return hashTexts({content, describe(target), getToolStamp()});
}

std::unique_ptr<llvm::MemoryBuffer>
StateFolder::loadPart(llvm::StringRef content, const CPUTarget &target) const {
  std::string key = getPartKey(content, target);
  return loadObject(makePartName(key), key);
}

void StateFolder::storePart(llvm::StringRef content, const CPUTarget &target,
                            llvm::StringRef object) const {
  if (!folder)
    return;
  std::string key = getPartKey(content, target);
  storeObject(makePartName(key), key, object);
}

//===----------------------------------------------------------------------===//
// Object files
//===----------------------------------------------------------------------===//

std::unique_ptr<llvm::MemoryBuffer>
StateFolder::loadObject(const std::string &name, llvm::StringRef key) const {
  if (!folder)
    return nullptr;
  auto load = [&]() -> llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> {
    auto file = folder->read(name, maxCodeBytes);
    if (!file)
      return file.takeError();
    auto code = parseCode((*file)->getBuffer(), key);
    if (!code)
      return code.takeError();
    return llvm::MemoryBuffer::getMemBufferCopy(*code);
  };
  auto object = load();
  if (object) {
    folder->touch(name);
    return std::move(*object);
  }
  if (llvm::Error error = dropMissing(object.takeError()))
    warnUnused(name, std::move(error));
  return nullptr;
}

void StateFolder::storeObject(const std::string &name, llvm::StringRef key,
                              llvm::StringRef object) const {
  replaceFile(name, [&](llvm::raw_ostream &os) {
    symshape::writeCode(os, key, object);
  });
}

/// A process that has opened a removed file still reads it; a later one
/// compiles. Files left by killed processes are removed after a while.
void StateFolder::trim(llvm::StringRef kept) const {
  constexpr std::chrono::hours patience(1);
  auto now = std::chrono::system_clock::now();
  auto isOurs = [](llvm::StringRef name) {
    return isCodeName(name) || isProfileName(name);
  };
  std::vector<PrivateFolder::File> files;
  uint64_t total = 0;
  for (PrivateFolder::File &file : folder->list()) {
    if (PrivateFolder::isUnfinished(file.name, isOurs) &&
        now - file.used > patience)
      folder->remove(file.name);
    if (!isCodeName(file.name))
      continue;
    total += file.size;
    if (file.name != kept)
      files.push_back(std::move(file));
  }
  llvm::sort(files, [](const auto &a, const auto &b) {
    return std::tie(a.used, a.name) < std::tie(b.used, b.name);
  });
  for (const PrivateFolder::File &file : files)
    if (total > limit && folder->remove(file.name))
      total -= file.size;
}
