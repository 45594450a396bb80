//===- FuzzReaders.cpp - Any bytes into each reader of files ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte chooses the reader: .npy, .safetensors, profiles, code, what
// code says of itself, calls, inputs, events. None may crash, hang, or take
// much memory for few bytes; what is printed is read back as it was.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Execution/StateFiles.h"
#include "symshape/Execution/CallsFile.h"
#include "symshape/Execution/CodeInterface.h"
#include "symshape/Execution/EventFile.h"
#include "symshape/Execution/Npy.h"
#include "symshape/Execution/SafeTensors.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir::symshape;
using llvm::StringRef;

static void require(bool condition, const char *what) {
  if (condition)
    return;
  llvm::errs() << what << '\n';
  abort();
}

/// Every element is there to be read.
static void readAll(const TensorBuffer &tensor) {
  llvm::raw_null_ostream nowhere;
  printTensor(nowhere, tensor);
}

static void fuzzNpy(StringRef bytes) {
  if (auto tensor = parseNpy(bytes))
    readAll(*tensor);
  else
    llvm::consumeError(tensor.takeError());
}

static void fuzzSafeTensors(StringRef bytes) {
  auto file = SafeTensors::parse(llvm::MemoryBuffer::getMemBufferCopy(bytes));
  if (!file)
    return llvm::consumeError(file.takeError());
  for (StringRef name : {"a", "b", "", "weight"}) {
    auto tensor = file->get(name);
    if (tensor)
      readAll(*tensor);
    else
      llvm::consumeError(tensor.takeError());
  }
  file->releasePages();
}

static void fuzzProfile(StringRef bytes) {
  auto profile = parseProfile(bytes, "p", 2);
  if (!profile)
    return llvm::consumeError(profile.takeError());
  std::string printed;
  llvm::raw_string_ostream os(printed);
  writeProfile(os, "p", *profile);
  require(cantFail(parseProfile(printed, "p", 2)) == *profile,
          "another profile");
  profile->add({3, 4});
  require(profile->contains({3, 4}), "a call that was added");
}

static void fuzzCode(StringRef bytes) {
  // No fuzzer finds a hash: the header is as written, or changed in places.
  std::string file;
  llvm::raw_string_ostream os(file);
  writeCode(os, "c", bytes);
  require(cantFail(parseCode(file, "c")) == bytes, "other code");
  for (size_t i = 0; i + 2 < bytes.size() && i < 32; i += 2) {
    size_t place = uint8_t(bytes[i]) % file.size();
    file[place] = bytes[i + 1];
  }
  auto code = parseCode(file, "c");
  if (code)
    require(*code == bytes, "other code under the same hash");
  else
    llvm::consumeError(code.takeError());
  code = parseCode(bytes, "c");
  if (!code)
    llvm::consumeError(code.takeError());
}

static void fuzzInterface(StringRef bytes) {
  std::optional<CodeInterface> interface = CodeInterface::parse(bytes);
  if (!interface)
    return;
  require(bytes.starts_with(interface->serialize()), "another interface");
}

static void fuzzCalls(StringRef bytes) {
  auto calls = parseCalls(bytes, "f");
  if (!calls)
    llvm::consumeError(calls.takeError());
}

static void fuzzInput(StringRef bytes) {
  auto spec = InputSpec::parse(bytes);
  if (!spec)
    return llvm::consumeError(spec.takeError());
  if (!spec->getPath().empty())
    return;
  auto type = cantFail(spec->loadType());
  if (type.getNumBytes() > 4096)
    return;
  auto tensor = cantFail(spec->load());
  require(tensor.getShape() == type.getShape(), "another shape");
  readAll(tensor);
}

static void fuzzEvents(StringRef bytes) {
  auto events = parseEvents(bytes, "f");
  if (!events)
    llvm::consumeError(events.takeError());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static constexpr void (*readers[])(StringRef) = {
      fuzzNpy,       fuzzSafeTensors, fuzzProfile, fuzzCode,
      fuzzInterface, fuzzCalls,       fuzzInput,   fuzzEvents};
  if (size == 0)
    return 0;
  StringRef bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  readers[data[0] % std::size(readers)](bytes);
  return 0;
}
