//===- OperandTypes.cpp - Which types operands of ops may have ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir::symshape::onnx;

/// Of an operand that has the type of none before it.
static constexpr size_t own = -1;

namespace {
/// A mask for each operand, with a bit for each DataType, and which operand has
/// the same type; the last one stands for all further operands.
struct Types {
  llvm::SmallVector<uint32_t, 4> masks;
  llvm::SmallVector<size_t, 4> same;
};
} // namespace

static const Types *findTypes(llvm::StringRef opType) {
  static const llvm::StringMap<Types> types = {
#include "OperandTypes.inc"
  };
  auto it = types.find(opType);
  return it == types.end() || it->second.masks.empty() ? nullptr : &it->second;
}

std::string mlir::symshape::onnx::otherOperandTypes(llvm::StringRef opType,
                                                    size_t i, DataType type) {
  const Types *types = findTypes(opType);
  if (!types)
    return "";
  uint32_t mask = types->masks[std::min(i, types->masks.size() - 1)];
  auto number = static_cast<uint32_t>(type);
  if (mask == 0 || number >= 32 || (mask >> number & 1))
    return "";
  llvm::SmallVector<std::string> names;
  for (uint32_t each = 1; each < 32; ++each)
    if (auto other = static_cast<DataType>(each);
        (mask >> each & 1) && (bytesOf(other) || other == DataType::String))
      names.push_back(nameOf(other));
  return llvm::join(names, ", ");
}

size_t mlir::symshape::onnx::operandOfSameType(llvm::StringRef opType,
                                               size_t i) {
  const Types *types = findTypes(opType);
  size_t same = types ? types->same[std::min(i, types->same.size() - 1)] : own;
  return same == own ? i : same;
}
