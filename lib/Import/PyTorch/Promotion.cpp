//===- Promotion.cpp - The type that operands are computed in -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of PyTorch, by kinds of types and of operands.
//
//===----------------------------------------------------------------------===//

#include "Promotion.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::ArrayRef;
using onnx::DataType;

static int categoryOf(DataType type) {
  if (type == DataType::Bool)
    return 1;
  return onnx::isFloat(type) ? 3 : 2;
}

/// The type of two tensors of the same kind.
static DataType promoteTypes(DataType x, DataType y) {
  if (x == y || y == DataType::Undefined)
    return x;
  if (x == DataType::Undefined || categoryOf(x) < categoryOf(y))
    return y;
  if (categoryOf(x) > categoryOf(y))
    return x;
  unsigned ofX = onnx::bytesOf(x), ofY = onnx::bytesOf(y);
  if (onnx::isFloat(x)) // the two halves have no common half
    return ofX == ofY ? DataType::Float : ofX > ofY ? x : y;
  bool isX = onnx::isUnsigned(x), isY = onnx::isUnsigned(y);
  if (isX == isY)
    return ofX > ofY ? x : y;
  // A signed type that holds all numbers of the unsigned one.
  unsigned bytes = std::max(isX ? ofY : ofX, 2 * (isX ? ofX : ofY));
  return bytes <= 1   ? DataType::Int8
         : bytes == 2 ? DataType::Int16
         : bytes == 4 ? DataType::Int32
                      : DataType::Int64;
}

DataType mlir::symshape::pytorch::promote(ArrayRef<Promoted> operands) {
  // Tensors with axes, then those without, then numbers of Python: a lower
  // group counts only where it is of a higher kind.
  DataType groups[3] = {};
  for (const Promoted &operand : operands) {
    if (!operand.value)
      continue;
    DataType &group = groups[operand.isNumber          ? 2
                             : operand.value.rank == 0 ? 1
                                                       : 0];
    // A float of Python counts as the default type of floats.
    bool isDouble = operand.isNumber && operand.value.type == DataType::Double;
    group =
        promoteTypes(group, isDouble ? DataType::Float : operand.value.type);
  }
  DataType result = DataType::Undefined;
  for (DataType group : groups) {
    if (group == DataType::Undefined)
      continue;
    if (result == DataType::Undefined || categoryOf(group) > categoryOf(result))
      result = group;
  }
  return result;
}
