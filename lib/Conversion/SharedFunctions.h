//===- SharedFunctions.h - Functions that equal ops became ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tells them from functions of the program. Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_SHAREDFUNCTIONS_H
#define SYMSHAPE_LIB_CONVERSION_SHAREDFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::symshape {

inline constexpr StringLiteral sharedFunctionPrefix = "symshape.shared.";

/// Whether `symshape-share-ops` made the function: an extent that is not known
/// in it may be known to its callers.
inline bool isSharedFunction(func::FuncOp function) {
  return function.getName().starts_with(sharedFunctionPrefix);
}

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_SHAREDFUNCTIONS_H
