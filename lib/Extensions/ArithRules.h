//===- ArithRules.h - Shared by the files of arith's rules ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of integer arithmetic are in ArithRules.cpp, those of comparisons
// and selects in ArithConditionRules.cpp. Private to Extensions.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_ARITHRULES_H
#define SYMSHAPE_LIB_EXTENSIONS_ARITHRULES_H

#include "symshape/IR/ShapeFacts.h"

namespace mlir::symshape {

/// The sum, difference or product of scalars before it wraps; null for other
/// ops.
Expr exactResult(Operation *op, ShapeFacts &facts);

/// Attaches the rules of ArithConditionRules.cpp.
void attachArithConditionRules(MLIRContext *context);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_ARITHRULES_H
