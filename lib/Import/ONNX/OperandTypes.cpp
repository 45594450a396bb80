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

/// By op, a mask for each operand, with a bit for each DataType; the last one
/// stands for all further operands.
static const llvm::StringMap<llvm::SmallVector<uint32_t, 4>> &getMasks() {
  static const llvm::StringMap<llvm::SmallVector<uint32_t, 4>> masks = {
#include "OperandTypes.inc"
  };
  return masks;
}

std::string mlir::symshape::onnx::otherOperandTypes(llvm::StringRef opType,
                                                    size_t i, DataType type) {
  auto it = getMasks().find(opType);
  if (it == getMasks().end() || it->second.empty())
    return "";
  uint32_t mask = it->second[std::min(i, it->second.size() - 1)];
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
