//===- Float32Functions.h - exp, erf, tanh, log of f32 ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that computes functions of f32 values without branches, so that a lane
// of a vector costs the same wherever its argument lies. Private to Conversion.
// Not for: choosing what to compute like this (ApproximateMath.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_MATH_FLOAT32FUNCTIONS_H
#define SYMSHAPE_LIB_CONVERSION_MATH_FLOAT32FUNCTIONS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::symshape {

/// Emits functions of f32, scalar or fixed vector. Each result is within 2 ulp
/// (erfc: 4 ulp) of the exact one for every argument, denormals included; NaN, infinities,
/// the sign of zero, overflow and underflow are as in the C library.
///
/// Products and sums that may be fused carry `fastmath<contract>`: one
/// instruction where the target has it, two otherwise, never a library call.
/// The constants that reduce the argument are exact in both cases.
class Float32Functions {
public:
  /// `hasScaleInstruction`: vectors of sixteen may be scaled by AVX-512's
  /// `vscalefps`. The results are bit-identical.
  Float32Functions(ImplicitLocOpBuilder &builder, Type type,
                   bool hasScaleInstruction);

  Value emitExp(Value x);
  Value emitErf(Value x);
  Value emitErfc(Value x);
  Value emitTanh(Value x);
  Value emitLog(Value x);

private:
  /// y = n * log(2) + r with |r| <= log(2) / 2.
  struct Reduced {
    Value n;       ///< whole, as a float
    Value shifted; ///< i32: n << 23, to be added to the bits of a float
    Value r;
  };
  Reduced reduce(Value y);
  Value scale(Value p, const Reduced &reduced, Value y);

  Value constant(float value);
  Value constantInt(int32_t value);
  Value add(Value a, Value b);
  Value multiply(Value a, Value b);
  /// a * b + c.
  Value multiplyAdd(Value a, Value b, Value c);
  /// The sum of coefficients[i] * x**i.
  Value polynomial(Value x, ArrayRef<float> coefficients);
  Value isLess(Value a, Value b);
  Value select(Value condition, Value ifTrue, Value ifFalse);
  /// The smaller and the larger of x and a bound; NaN stays NaN.
  Value atMost(Value x, float bound);
  Value atLeast(Value x, float bound);
  Value toBits(Value x);
  Value fromBits(Value bits);

  ImplicitLocOpBuilder &builder;
  Type type, intType;
  bool hasScaleInstruction;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_MATH_FLOAT32FUNCTIONS_H
