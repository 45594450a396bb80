//===- ImportedWeights.cpp - Weights that stayed in a model ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportedWeights.h"

#include "symshape/Execution/Status.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::symshape;

ImportedWeights::ImportedWeights(std::shared_ptr<const onnx::Model> model,
                                 std::vector<onnx::Weight> weights)
    : model(std::move(model)), weights(std::move(weights)) {}

static ElementType toElementType(onnx::DataType type) {
  using Kind = ElementType::Kind;
  if (type == onnx::DataType::Bool)
    return {Kind::Bool, 1};
  unsigned width = 8 * onnx::bytesOf(type);
  if (type == onnx::DataType::BFloat16)
    return {Kind::BFloat, width};
  if (onnx::isFloat(type))
    return {Kind::Float, width};
  return {onnx::isUnsigned(type) ? Kind::Unsigned : Kind::Signed, width};
}

llvm::Expected<std::shared_ptr<const onnx::TensorData>>
ImportedWeights::find(StringRef name) const {
  for (const onnx::Weight &weight : weights)
    if (weight.name == name)
      return weight.data;
  return makeInputError("expected a tensor '" + name +
                        "' in the model, but there is none");
}

llvm::Expected<TensorBuffer> ImportedWeights::get(StringRef name) const {
  auto data = find(name);
  if (!data)
    return data.takeError();
  // The data may belong to the model or to an owner of its own.
  using Owners = std::pair<std::shared_ptr<const onnx::Model>,
                           std::shared_ptr<const onnx::TensorData>>;
  return readTensor(toElementType((*data)->type), (*data)->dims,
                    (*data)->bytes.data(),
                    std::make_shared<Owners>(model, *data));
}

llvm::Expected<TensorBuffer> ImportedWeights::describe(StringRef name) const {
  auto data = find(name);
  if (!data)
    return data.takeError();
  return TensorBuffer::view(toElementType((*data)->type), (*data)->dims,
                            nullptr, nullptr);
}

void ImportedWeights::releasePages() const {
  if (model->file->getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap)
    releaseMappedPages(model->file->getBuffer());
}

static onnx::DataType toDataType(ElementType type) {
  using onnx::DataType;
  for (DataType candidate :
       {DataType::Float, DataType::UInt8, DataType::Int8, DataType::UInt16,
        DataType::Int16, DataType::Int32, DataType::Int64, DataType::Bool,
        DataType::Float16, DataType::Double, DataType::UInt32, DataType::UInt64,
        DataType::BFloat16})
    if (toElementType(candidate) == type)
      return candidate;
  return DataType::Undefined;
}

std::vector<std::shared_ptr<const onnx::TensorData>>
mlir::symshape::toImportedValues(llvm::ArrayRef<TensorBuffer> inputs) {
  std::vector<std::shared_ptr<const onnx::TensorData>> values;
  for (const TensorBuffer &input : inputs) {
    auto data = std::make_shared<onnx::TensorData>();
    data->type = toDataType(input.getElementType());
    data->dims.assign(input.getShape().begin(), input.getShape().end());
    data->bytes = StringRef(input.getData(), input.getNumBytes());
    data->owner = std::make_shared<TensorBuffer>(input);
    values.push_back(std::move(data));
  }
  return values;
}
