//===- Constants.h - Constants of tosa in another form -------- -*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is done to weights is done when they are compiled, not in each call.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TOSA_CONSTANTS_H
#define SYMSHAPE_LIB_CONVERSION_TOSA_CONSTANTS_H

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::symshape {

/// A constant with its first axis behind the others; null for what is none, or
/// has elements that are not whole bytes.
Value moveFirstAxisLast(OpBuilder &b, Location loc, Value constant);

/// Replaces a cast of constant floats to wider ones by a constant.
bool foldWidening(RewriterBase &b, tosa::CastOp op);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TOSA_CONSTANTS_H
