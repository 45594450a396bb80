//===- Float32Functions.cpp - exp, erf, tanh, log of f32 ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header. The coefficients come from `utils/minimax.py`, which refits
// each polynomial after rounding each coefficient to f32.
//
//===----------------------------------------------------------------------===//

#include "Float32Functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace mlir::symshape;

/// log(2) in two parts. The first has 9 bits, so that its product with a whole
/// number of up to 15 bits is exact.
static constexpr float kLog2High = 0x1.63p-1f;
static constexpr float kLog2Low = -0x1.bd0106p-13f;
/// exp(r) where |r| <= log(2) / 2; exactly 1 at 0.
static constexpr float kExp[] = {1.0f,           1.0f,           0x1.fffffcp-2f,
                                 0x1.555492p-3f, 0x1.5558b4p-5f, 0x1.1239a0p-7f,
                                 0x1.6a495cp-10f};
/// At and below this, exp rounds to zero.
static constexpr float kLeastExponent = -104.0f;
static constexpr float kInfinity = std::numeric_limits<float>::infinity();

Float32Functions::Float32Functions(ImplicitLocOpBuilder &builder, Type type,
                                   bool hasScaleInstruction)
    : builder(builder), type(type), intType(builder.getI32Type()) {
  auto vector = dyn_cast<VectorType>(type);
  if (vector)
    intType = vector.clone(intType);
  this->hasScaleInstruction = hasScaleInstruction && vector &&
                              vector.getShape() == ArrayRef<int64_t>{16};
}

Value Float32Functions::constant(float value) {
  return createScalarOrSplatConstant(builder, builder.getLoc(), type,
                                     llvm::APFloat(value));
}

Value Float32Functions::constantInt(int32_t value) {
  return createScalarOrSplatConstant(builder, builder.getLoc(), intType,
                                     llvm::APInt(32, value, true));
}

Value Float32Functions::add(Value a, Value b) {
  return arith::AddFOp::create(builder, a, b, arith::FastMathFlags::contract);
}

Value Float32Functions::multiply(Value a, Value b) {
  return arith::MulFOp::create(builder, a, b, arith::FastMathFlags::contract);
}

Value Float32Functions::multiplyAdd(Value a, Value b, Value c) {
  return add(multiply(a, b), c);
}

Value Float32Functions::polynomial(Value x, ArrayRef<float> coefficients) {
  Value sum = constant(coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    sum = multiplyAdd(sum, x, constant(coefficient));
  return sum;
}

Value Float32Functions::isLess(Value a, Value b) {
  return arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, a, b);
}

Value Float32Functions::select(Value condition, Value ifTrue, Value ifFalse) {
  return arith::SelectOp::create(builder, condition, ifTrue, ifFalse);
}

Value Float32Functions::atMost(Value x, float bound) {
  return select(isLess(constant(bound), x), constant(bound), x);
}

Value Float32Functions::atLeast(Value x, float bound) {
  return select(isLess(x, constant(bound)), constant(bound), x);
}

Value Float32Functions::toBits(Value x) {
  return arith::BitcastOp::create(builder, intType, x);
}

Value Float32Functions::fromBits(Value bits) {
  return arith::BitcastOp::create(builder, type, bits);
}

Float32Functions::Reduced Float32Functions::reduce(Value y) {
  // Adding 1.5 * 2^23 rounds to a whole number, which is then in the low bits.
  Value magic = constant(0x1.8p23f);
  Value shifted = multiplyAdd(y, constant(0x1.715476p0f), magic);
  Reduced reduced;
  reduced.n = arith::SubFOp::create(builder, shifted, magic);
  reduced.shifted =
      arith::ShLIOp::create(builder, toBits(shifted), constantInt(23));
  reduced.r = multiplyAdd(reduced.n, constant(-kLog2High), y);
  reduced.r = multiplyAdd(reduced.n, constant(-kLog2Low), reduced.r);
  return reduced;
}

/// p * 2^n, where p is nearly exp(r) and y the argument before reduction,
/// bounded so that n >= -151; zero where y is the least argument. That case is
/// not left to rounding: processors take more than a hundred cycles for an
/// operation whose result is too small, and masked scores are all of this kind.
Value Float32Functions::scale(Value p, const Reduced &reduced, Value y) {
  if (hasScaleInstruction) {
    Type maskType = builder.getI16Type();
    Value isLarger = arith::CmpFOp::create(builder, arith::CmpFPredicate::UGT,
                                           y, constant(kLeastExponent));
    Value mask = LLVM::BitcastOp::create(builder, maskType, isLarger);
    Value rounding = LLVM::ConstantOp::create(builder, builder.getI32Type(),
                                              builder.getI32IntegerAttr(4));
    return LLVM::CallIntrinsicOp::create(
               builder, type,
               builder.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
               ValueRange{p, reduced.n, constant(0.0f), mask, rounding})
        .getResult(0);
  }
  // The exponent of p must stay that of a normal number, so small results are
  // made 2^64 times too large, and brought down by a multiplication that
  // rounds.
  Value isSmall = isLess(y, constant(-87.0f));
  Value bits = arith::AddIOp::create(builder, toBits(p), reduced.shifted);
  Value larger =
      fromBits(arith::AddIOp::create(builder, bits, constantInt(64 << 23)));
  Value isLeast = arith::CmpFOp::create(builder, arith::CmpFPredicate::OLE, y,
                                        constant(kLeastExponent));
  Value small =
      multiply(select(isLeast, constant(0.0f), larger), constant(0x1p-64f));
  return select(isSmall, small, fromBits(bits));
}

Value Float32Functions::emitExp(Value x) {
  Value y = atLeast(x, kLeastExponent);
  if (hasScaleInstruction)
    y = atMost(y, 89.0f);
  Reduced reduced = reduce(y);
  Value p = polynomial(reduced.r, kExp);
  Value result = scale(p, reduced, y);
  if (hasScaleInstruction)
    return result;
  // Past the last argument with a finite result, and for NaN, whose low bits
  // may have become an exponent.
  Value isFinite = arith::CmpFOp::create(builder, arith::CmpFPredicate::OLE, x,
                                         constant(0x1.62e42ep6f));
  Value special = arith::AddFOp::create(builder, x, constant(kInfinity));
  return select(isFinite, result, special);
}

Value Float32Functions::emitErf(Value x) {
  Value a = math::AbsFOp::create(builder, x);
  // An odd polynomial up to 1. Beyond, one around the middle of the interval at
  // whose end the result rounds to 1.
  Value nearSum = polynomial(multiply(x, x),
                             {0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2ce6p-4f,
                              -0x1.b7f71ap-6f, 0x1.53f224p-8f, -0x1.a3515ep-11f,
                              0x1.4771fep-14f});
  Value near = multiplyAdd(nearSum, a, a);
  Value t = arith::SubFOp::create(builder, a, constant(2.4375f));
  Value far = polynomial(t, {0x1.ffb5bep-1f, 0x1.84b8b2p-9f, -0x1.d9d294p-8f,
                             0x1.6090c0p-7f, -0x1.5e6a86p-7f, 0x1.d8068ap-8f,
                             -0x1.8cdb14p-9f, 0x1.94d21ep-12f, 0x1.d915b6p-12f,
                             -0x1.47b434p-12f, 0x1.8122e6p-15f, 0x1.d3b7f0p-16f,
                             -0x1.365a42p-17f});
  far = select(isLess(constant(3.925f), a), constant(1.0f), atMost(far, 1.0f));
  Value result = select(isLess(a, constant(1.0f)), near, far);
  return math::CopySignOp::create(builder, result, x);
}

/// exp(-a^2) * p(u) / (1 + 2 a), where a = |x| and u = (a - 2) / (a + 2); for
/// x < 0 that less 2. The square is h^2 + (a - h) (a + h), where h has the
/// first 12 bits of a, so that its square is exact.
Value Float32Functions::emitErfc(Value x) {
  Value a = math::AbsFOp::create(builder, x);
  Value bounded = atMost(a, 10.25f); // from 10.06 on the result is 0
  Value one = constant(1.0f), two = constant(2.0f);
  Value u = arith::DivFOp::create(
      builder, arith::SubFOp::create(builder, bounded, two), add(bounded, two));
  Value p = polynomial(u, {0x1.46e80ep+0f, -0x1.7bf5f4p-4f, -0x1.5407fcp-3f,
                           0x1.4ffad6p-3f, -0x1.bc1428p-5f, -0x1.078feap-7f,
                           0x1.1b674ep-7f, 0x1.4e0456p-10f, -0x1.4b5bd6p-10f,
                           -0x1.822afep-12f, 0x1.d55cd0p-16f});
  Value factor =
      arith::DivFOp::create(builder, p, multiplyAdd(two, bounded, one));
  Value h = fromBits(
      arith::AndIOp::create(builder, toBits(bounded), constantInt(0xfffff000)));
  Value y =
      arith::MulFOp::create(builder, h, arith::NegFOp::create(builder, h));
  y = atLeast(y, kLeastExponent);
  Value rest = arith::MulFOp::create(
      builder, arith::SubFOp::create(builder, h, bounded), add(bounded, h));
  Reduced reduced = reduce(y);
  Value power = scale(polynomial(add(reduced.r, rest), kExp), reduced, y);
  Value tail = multiply(power, factor);
  Value result = select(isLess(x, constant(0.0f)),
                        arith::SubFOp::create(builder, two, tail), tail);
  Value isNumber =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::ORD, x, x);
  return select(isNumber, result, x);
}

Value Float32Functions::emitTanh(Value x) {
  Value a = math::AbsFOp::create(builder, x);
  Value square = multiply(a, a);
  Value nearSum =
      polynomial(square, {-0x1.555532p-2f, 0x1.1106f6p-3f, -0x1.b835a4p-5f,
                          0x1.51f8cep-6f, -0x1.750ce4p-8f});
  Value near = multiplyAdd(multiply(nearSum, square), a, a);
  // 1 - 2 / (exp(2 |x|) + 1), which rounds to 1 from 9.1 on.
  Value bounded = atMost(a, 9.1f);
  Reduced reduced = reduce(add(bounded, bounded));
  Value p = polynomial(reduced.r, kExp);
  Value e =
      fromBits(arith::AddIOp::create(builder, toBits(p), reduced.shifted));
  Value one = constant(1.0f);
  Value rest = arith::DivFOp::create(builder, constant(2.0f), add(e, one));
  Value far = arith::SubFOp::create(builder, one, rest);
  // NaN takes the polynomial; its low bits may have become an exponent of e.
  Value result = select(isLess(constant(0.625f), a), far, near);
  return math::CopySignOp::create(builder, result, x);
}

Value Float32Functions::emitLog(Value x) {
  // x = m * 2^e with m from sqrt(1/2) to sqrt(2); denormals are made normal.
  Value isDenormal = isLess(x, constant(0x1p-126f));
  Value normal = select(isDenormal, multiply(x, constant(0x1p23f)), x);
  Value offset = select(isDenormal, constant(-23.0f), constant(0.0f));
  Value start = toBits(constant(0x1.6a09e6p-1f));
  Value bits = arith::SubIOp::create(builder, toBits(normal), start);
  Value exponent = arith::ShRSIOp::create(builder, bits, constantInt(23));
  Value e = add(arith::SIToFPOp::create(builder, type, exponent), offset);
  Value mantissa = arith::AndIOp::create(builder, bits, constantInt(0x7FFFFF));
  mantissa = arith::AddIOp::create(builder, mantissa, start);
  Value f = arith::SubFOp::create(builder, fromBits(mantissa), constant(1.0f));
  Value square = multiply(f, f);
  Value sum = polynomial(f, {0x1.555548p-2f, -0x1.000006p-2f, 0x1.99a476p-3f,
                             -0x1.555c44p-3f, 0x1.233ba4p-3f, -0x1.fc28dcp-4f,
                             0x1.e6bfeep-4f, -0x1.de00fcp-4f, 0x1.14723ap-4f});
  Value small = multiply(multiply(square, f), sum);
  small = multiplyAdd(e, constant(kLog2Low), small);
  small = multiplyAdd(square, constant(-0.5f), small);
  Value result = multiplyAdd(e, constant(kLog2High), add(f, small));

  Value zero = constant(0.0f);
  Value isPositive = isLess(zero, x);
  Value isFinite = isLess(x, constant(kInfinity));
  Value regular = arith::AndIOp::create(builder, isPositive, isFinite);
  Value isZero =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::OEQ, x, zero);
  // Infinity and NaN give themselves, anything negative NaN.
  Value invalid = select(isLess(x, zero),
                         constant(std::numeric_limits<float>::quiet_NaN()), x);
  Value special = select(isZero, constant(-kInfinity), invalid);
  return select(regular, result, special);
}
