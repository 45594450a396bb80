//===- FuzzModels.cpp - Any bytes as an ONNX model ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is read and imported, with values of its inputs, and what is inferred
// of it is written into it. None may crash, hang, or take much memory. What is
// written can be read, and nothing in it is contradicted when it is inferred
// again.
//
//===----------------------------------------------------------------------===//

#include "ModelTree.h"
#include "symshape/Import/Extents/Check.h"
#include "symshape/Import/Extents/Verbs.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

static void require(bool condition, const llvm::Twine &what) {
  if (condition)
    return;
  llvm::errs() << what << '\n';
  abort();
}

/// The folder is none, so that no data lies beside the model.
static std::shared_ptr<const Model> parse(StringRef bytes,
                                          std::string *error = nullptr) {
  std::shared_ptr<llvm::MemoryBuffer> buffer =
      llvm::MemoryBuffer::getMemBufferCopy(bytes);
  auto model = Model::parse(buffer, "/no/such/folder/fuzz.onnx");
  if (model)
    return std::make_shared<const Model>(std::move(*model));
  std::string message = llvm::toString(model.takeError());
  if (error)
    *error = std::move(message);
  return nullptr;
}

/// Small values of the inputs of a first call.
static std::vector<std::shared_ptr<const TensorData>>
makeValues(const Model &model) {
  std::vector<std::shared_ptr<const TensorData>> values;
  for (const ValueInfo *info : model.getInputs()) {
    auto data = std::make_shared<TensorData>();
    data->type = info->type.element;
    size_t bytes = bytesOf(data->type);
    for (const Dimension &dim : info->type.dims) {
      data->dims.push_back(dim.value && *dim.value >= 0 ? *dim.value : 2);
      bytes *= std::min<size_t>(data->dims.back(), 1 << 10);
    }
    constexpr size_t most = 1 << 12;
    if (bytes > most || bytesOf(data->type) == 0) {
      values.emplace_back();
      continue;
    }
    auto kept = std::make_shared<std::string>(bytes, '\1');
    data->bytes = *kept;
    data->owner = kept;
    values.push_back(std::move(data));
  }
  return values;
}

static void fuzzImport(std::shared_ptr<const Model> model) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ImportOptions options;
  options.values = makeValues(*model);
  auto imported = importModel(std::move(model), &context, options);
  if (!imported)
    require(!StringRef(llvm::toString(imported.takeError()))
                 .contains("internal error"),
            "an invalid program");
}

static void fuzzInfer(std::shared_ptr<const Model> model, MergePolicy policy) {
  auto extents = ModelExtents::infer(std::move(model));
  if (!extents)
    return require(!StringRef(llvm::toString(extents.takeError()))
                        .contains("internal error"),
                   "an invalid program");
  llvm::raw_null_ostream nowhere;
  ModelChanges changes;
  Outcome outcome = inferModel(**extents, policy, changes, nowhere).outcome;
  llvm::consumeError(explainModel(**extents, "", nowhere).takeError());
  if (outcome == Outcome::Refused)
    return;
  std::string written, error;
  llvm::raw_string_ostream os(written);
  writeModel((*extents)->model(), changes, os);
  std::shared_ptr<const Model> again = parse(written, &error);
  require(again != nullptr, "what was written: " + error);
  if (policy != MergePolicy::Override)
    return;
  extents = ModelExtents::infer(again);
  require(static_cast<bool>(extents), "what was written cannot be imported");
  for (const ShapeClaim &claim : judgeClaims(**extents))
    for (const ExtentClaim &each : claim.extents)
      require(each.standing != Standing::Contradicted || !claim.value->node,
              "contradicted: " + claim.describe());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  std::shared_ptr<const Model> model = parse(bytes);
  if (!model)
    return 0;
  // Some of it for one file, some for another: one run is not to take long.
  unsigned choice = size % 5;
  if (choice == 4)
    fuzzImport(std::move(model));
  else
    fuzzInfer(std::move(model), static_cast<MergePolicy>(choice));
  return 0;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

static void mutateBytes(std::string &bytes) {
  size_t size = bytes.size();
  bytes.resize(size + 16);
  auto *data = reinterpret_cast<uint8_t *>(bytes.data());
  bytes.resize(LLVMFuzzerMutate(data, size, bytes.size()));
}

static const std::vector<std::string> &getOpTypes() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result = Registry::standard().getNames();
    for (std::string &name : result)
      name = name.substr(name.rfind('.') + 1);
    return result;
  }();
  return names;
}

static size_t store(const std::string &file, uint8_t *data, size_t size,
                    size_t most) {
  if (file.size() > most || file.empty())
    return size;
  std::copy(file.begin(), file.end(), data);
  return file.size();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  std::mt19937 random(seed);
  if (random() % 16 == 0)
    return LLVMFuzzerMutate(data, size, most);
  WireField tree = WireField::parse(std::string(data, data + size));
  do
    mutate(tree, random, getOpTypes(), mutateBytes);
  while (random() % 3 == 0);
  return store(tree.serialize(), data, size, most);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first,
                                            size_t firstSize,
                                            const uint8_t *second,
                                            size_t secondSize, uint8_t *out,
                                            size_t most, unsigned seed) {
  std::mt19937 random(seed);
  WireField tree = WireField::parse(std::string(first, first + firstSize));
  crossOver(tree, WireField::parse(std::string(second, second + secondSize)),
            random);
  return store(tree.serialize(), out, 0, most);
}
