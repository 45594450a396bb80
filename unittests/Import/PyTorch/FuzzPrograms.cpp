//===- FuzzPrograms.cpp - Any archive and any graph into the importer -----===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is an archive, or the JSON of a program, for which an archive is
// made here. Of JSON, mutants are other trees: a value takes another one's
// place, goes away or becomes another number. None may crash or hang, and what
// is imported verifies.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "symshape/Import/ONNX/Import.h"
#include "symshape/Import/ONNX/Node.h"
#include "symshape/Import/PyTorch/Definitions.h"
#include "symshape/Import/PyTorch/Import.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <random>

using namespace mlir;
using namespace mlir::symshape;
namespace json = llvm::json;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

static void append(std::string &text,
                   std::initializer_list<std::pair<uint64_t, int>> numbers) {
  for (auto [number, bytes] : numbers)
    for (int i = 0; i < bytes; ++i)
      text += static_cast<char>(number >> (8 * i));
}

/// An archive of these files, as they are.
static std::string
makeArchive(ArrayRef<std::pair<std::string, StringRef>> files) {
  std::string archive, directory;
  for (auto [name, content] : files) {
    uint64_t at = archive.size(), size = content.size();
    append(archive, {{0x04034b50, 4}, {10, 2}, {0, 2}, {0, 2}, {0, 8}});
    append(archive, {{size, 4}, {size, 4}, {name.size(), 2}, {0, 2}});
    archive += name;
    archive += content;
    append(directory, {{0x02014b50, 4}, {10, 2}, {10, 2}, {0, 2}, {0, 2}});
    append(directory, {{0, 8}, {size, 4}, {size, 4}, {name.size(), 2}});
    append(directory, {{0, 2}, {0, 2}, {0, 8}, {at, 4}});
    directory += name;
  }
  uint64_t start = archive.size(), size = directory.size();
  archive += directory;
  append(archive, {{0x06054b50, 4}, {0, 4}, {files.size(), 2}});
  append(archive, {{files.size(), 2}, {size, 4}, {start, 4}, {0, 2}});
  return archive;
}

/// The archive of a program, whose weights are zeros.
static std::string wrap(StringRef program) {
  std::string weights = R"({"config": {}})";
  return makeArchive(
      {{"p/archive_format", "pt2"},
       {"p/archive_version", "0"},
       {"p/byteorder", "little"},
       {"p/models/model.json", program},
       {"p/data/weights/model_weights_config.json", weights},
       {"p/data/constants/model_constants_config.json", weights}});
}

//===----------------------------------------------------------------------===//
// Mutants
//===----------------------------------------------------------------------===//

static void collect(json::Value &value, std::vector<json::Value *> &all) {
  all.push_back(&value);
  if (json::Object *object = value.getAsObject())
    for (auto &[key, member] : *object)
      collect(member, all);
  if (json::Array *array = value.getAsArray())
    for (json::Value &member : *array)
      collect(member, all);
}

static void mutate(json::Value &root, std::minstd_rand &random) {
  std::vector<json::Value *> all;
  collect(root, all);
  auto pick = [&](size_t count) { return random() % count; };
  json::Value &value = *all[pick(all.size())];
  static const int64_t numbers[] = {0,   1,       -1,        2,        64,
                                    -64, 1 << 20, INT64_MAX, INT64_MIN};
  json::Array *array = value.getAsArray();
  json::Object *object = value.getAsObject();
  switch (pick(4)) {
  case 0:
    if (auto number = value.getAsInteger())
      value = pick(2) && *number < INT64_MAX
                  ? *number + 1
                  : numbers[pick(std::size(numbers))];
    return;
  case 1:
    if (array && !array->empty())
      array->erase(array->begin() + pick(array->size()));
    else if (object && !object->empty())
      object->erase(std::next(object->begin(), pick(object->size()))->first);
    return;
  case 2:
    if (array && !array->empty()) {
      json::Value copy = (*array)[pick(array->size())];
      array->insert(array->begin() + pick(array->size()), std::move(copy));
    }
    return;
  default: {
    json::Value copy = *all[pick(all.size())];
    value = std::move(copy);
  }
  }
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  StringRef text(reinterpret_cast<const char *>(data), size);
  auto root = json::parse(text);
  if (!root) {
    llvm::consumeError(root.takeError());
    return LLVMFuzzerMutate(data, size, most);
  }
  if (random() % 16 == 0)
    return LLVMFuzzerMutate(data, size, most);
  for (size_t i = 0, count = 1 + random() % 4; i < count; ++i)
    mutate(*root, random);
  std::string made = llvm::formatv("{0}", *root).str();
  if (made.size() > most)
    return LLVMFuzzerMutate(data, size, most);
  llvm::copy(made, data);
  return made.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  std::string archive = bytes.starts_with("PK") ? bytes.str() : wrap(bytes);
  auto model = pytorch::readExportedProgram(
      llvm::MemoryBuffer::getMemBufferCopy(archive), "fuzzed.pt2");
  if (!model) {
    if (llvm::toString(model.takeError()).empty())
      __builtin_trap();
    return 0;
  }
  static const auto ops = onnx::Registry::standardAnd(pytorch::addOps);
  DialectRegistry dialects;
  onnx::registerImportDialects(dialects);
  MLIRContext context(dialects, MLIRContext::Threading::DISABLED);
  onnx::ImportOptions options;
  options.ops = ops;
  auto imported =
      onnx::importModel(std::make_shared<const onnx::Model>(std::move(*model)),
                        &context, options);
  bool isGood = imported ? succeeded(verify(*imported->module))
                         : !StringRef(llvm::toString(imported.takeError()))
                                .contains("internal error");
  if (!isGood)
    __builtin_trap();
  return 0;
}
