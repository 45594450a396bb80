//===- DoubleFunctions.h - Functions of math in f64 -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Conversion. Not for: functions of f32 that have polynomials of
// their own (Math).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_DOUBLEFUNCTIONS_H
#define SYMSHAPE_LIB_CONVERSION_GPU_DOUBLEFUNCTIONS_H

#include "mlir/IR/Builders.h"

namespace mlir::symshape {

/// The value of `op`, a function of the dialect math, or a remainder, of f64,
/// by sums, products and quotients; null for a function that is not known. NaN,
/// infinities and zeros give what the C library gives. Errors are a few ulp.
Value emitDoubleFunction(OpBuilder &builder, Operation *op,
                         ValueRange operands);

/// The remainder of x / y with the sign of x, exact; NaN where x is not finite
/// or y is 0.
Value emitDoubleRemainder(OpBuilder &builder, Location loc, Value x, Value y);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_DOUBLEFUNCTIONS_H
