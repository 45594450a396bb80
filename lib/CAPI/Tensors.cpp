//===- Tensors.cpp - Tensors of C callers ---------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"
#include "Errors.h"

using namespace mlir::symshape;
using namespace mlir::symshape::capi;

using Kind = ElementType::Kind;

/// The element type of each `symshape_type`.
static constexpr ElementType elementTypes[] = {
    {Kind::Bool, 1},      {Kind::Signed, 8},    {Kind::Signed, 16},
    {Kind::Signed, 32},   {Kind::Signed, 64},   {Kind::Unsigned, 8},
    {Kind::Unsigned, 16}, {Kind::Unsigned, 32}, {Kind::Unsigned, 64},
    {Kind::Float, 16},    {Kind::BFloat, 16},   {Kind::Float, 32},
    {Kind::Float, 64},    {Kind::Index, 64},
};

int32_t capi::toTypeNumber(ElementType type) {
  for (auto [number, known] : llvm::enumerate(elementTypes))
    if (known == type)
      return number;
  llvm_unreachable("an element type is one of the list");
}

llvm::Expected<TensorView> capi::readTensor(const symshape_tensor &tensor,
                                            const llvm::Twine &name,
                                            bool withData) {
  auto bad = [&](const llvm::Twine &expected) {
    return makeInputError(name + ": expected " + expected);
  };
  if (tensor.type < 0 || tensor.type >= int32_t(std::size(elementTypes)))
    return bad("a type of symshape_type, but got " + llvm::Twine(tensor.type));
  if (tensor.rank < 0 || tensor.rank > SYMSHAPE_MAX_RANK)
    return bad("a rank from 0 to " + llvm::Twine(SYMSHAPE_MAX_RANK) +
               ", but got " + llvm::Twine(tensor.rank));
  ElementType type = elementTypes[tensor.type];
  llvm::ArrayRef<int64_t> shape(tensor.extents, tensor.rank);
  std::optional<int64_t> bytes = checkedByteSize(type, shape);
  if (!bytes)
    return bad("extents from 0 and a size of at most 2^47 bytes");
  if (withData && *bytes > 0 && !tensor.data)
    return bad("data of " + llvm::Twine(*bytes) + " bytes, but got NULL");
  return TensorView(type, shape, withData ? tensor.data : nullptr);
}

llvm::Error capi::readInputs(const symshape_tensor *inputs, int64_t count,
                             llvm::SmallVectorImpl<TensorView> &views,
                             bool withData) {
  if (llvm::Error error = expectPointer(inputs, "inputs", count))
    return error;
  for (int64_t i = 0; i < count; ++i) {
    auto view = readTensor(inputs[i], "input " + llvm::Twine(i), withData);
    if (!view)
      return view.takeError();
    views.push_back(*view);
  }
  return llvm::Error::success();
}
