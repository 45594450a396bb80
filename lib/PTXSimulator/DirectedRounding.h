//===- DirectedRounding.h - Arithmetic rounded to one side ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For .rz, .rm and .rp, which are rare: one number at a time, in a source that
// the compiler is told about the rounding of.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_DIRECTEDROUNDING_H
#define SYMSHAPE_PTXSIMULATOR_DIRECTEDROUNDING_H

#include <cstdint>

namespace mlir::symshape::ptx {

enum class FloatOp : uint8_t { Add, Sub, Mul, Fma, Div, Sqrt };

/// `rounding` is 1 (toward zero), 2 (down) or 3 (up). Operands that the
/// operation does not have are left out of account.
float roundDirected(FloatOp op, unsigned rounding, float a, float b, float c);
double roundDirected(FloatOp op, unsigned rounding, double a, double b,
                     double c);

/// A double or an integer as f32; an integer as double.
float narrowDirected(unsigned rounding, double value);
float floatDirected(unsigned rounding, int64_t value);
float floatDirected(unsigned rounding, uint64_t value);
double doubleDirected(unsigned rounding, int64_t value);
double doubleDirected(unsigned rounding, uint64_t value);

} // namespace mlir::symshape::ptx

#endif // SYMSHAPE_PTXSIMULATOR_DIRECTEDROUNDING_H
