//===- OperandTypes.h - Which types operands of ops may have ----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the import: what the schemas of ai.onnx allow, in any version. Not
// for: which operands must be of one type (the definitions).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_OPERANDTYPES_H
#define SYMSHAPE_LIB_IMPORT_ONNX_OPERANDTYPES_H

#include "symshape/Import/ONNX/Model.h"

namespace mlir::symshape::onnx {

/// The types that operand `i` may have, in words; empty if `type` is one of
/// them, or nothing is said.
std::string otherOperandTypes(llvm::StringRef opType, size_t i, DataType type);

/// The first operand that has the type of operand `i` in every version of the
/// op; `i` if there is none before it.
size_t operandOfSameType(llvm::StringRef opType, size_t i);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_OPERANDTYPES_H
