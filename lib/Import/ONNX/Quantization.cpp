//===- Quantization.cpp - Integers that stand for floats ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// q stands for (q - zero) * scale. Sums of products are formed in int32.
//
//===----------------------------------------------------------------------===//

#include "Quantization.h"
#include "BlockQuantized.h"
#include "Convolutions.h"
#include "Families.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// The ends of an integer type.
static std::pair<double, double> rangeOf(DataType type) {
  unsigned bits = 8 * bytesOf(type);
  if (isUnsigned(type))
    return {0, std::ldexp(1.0, bits) - 1};
  return {-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
}

Value mlir::symshape::onnx::quantize(Scalars &s, Value x, Value scale,
                                     Value zero, DataType type,
                                     DataType precision) {
  Type wide = x.getType();
  auto inPrecision = [&](Value v) {
    DataType type = wide.isF64() ? DataType::Double : DataType::Float;
    return bytesOf(precision) < 4
               ? s.cast(s.cast(v, type, precision), precision, type)
               : v;
  };
  Value quotient = inPrecision(s.div(inPrecision(x), scale));
  Value steps = s.create<math::RoundEvenOp>(quotient);
  Value shifted = s.add(steps, zero);
  auto [low, high] = rangeOf(type);
  Value cut = s.min(s.max(shifted, s.number(wide, low)), s.number(wide, high));
  return s.cast(cut, wide.isF64() ? DataType::Double : DataType::Float, type);
}

Tensor mlir::symshape::onnx::centred(Emitter &e, const Tensor &x,
                                     const Tensor &zero) {
  if (!zero)
    return e.cast(x, DataType::Int32);
  e.requireBroadcast(zero, x.dims, "zeros must broadcast to the numbers");
  Tensor result =
      e.map({x, zero}, DataType::Int32, [&](Scalars &s, ArrayRef<Value> v) {
        return s.sub(s.cast(v[0], x.type, DataType::Int32),
                     s.cast(v[1], zero.type, DataType::Int32));
      });
  return e.wrap(result.value, x.dims, result.type);
}

/// A scale and its zero have one shape, as ONNX says. One number may have rank
/// 0 or 1, as in ONNX Runtime.
static void requireOneShape(Node &n, size_t scale, size_t zero) {
  if (!n.has(zero))
    return;
  Emitter &e = n.emit();
  auto steps = n.operand(scale).extents(e.arena()),
       zeros = n.operand(zero).extents(e.arena());
  if (!steps || !zeros)
    return;
  StringRef message = "a scale and its zero must have one shape";
  if (steps->size() == zeros->size())
    for (auto [own, other] : llvm::zip(*steps, *zeros))
      e.require(Relation::eq(own, other), message);
  else
    e.require(Relation::eq(e.product(*steps), e.product(*zeros)), message);
}

/// A scale or zero, spread over x: of rank 1, along an axis; of rank 0, as it
/// is; of the rank of x, one for each block of `block` along the axis.
static Tensor spread(Node &n, const Tensor &t, const Tensor &x, int64_t axis,
                     int64_t block) {
  Emitter &e = n.emit();
  if (t.rank() == 0)
    return t;
  if (t.rank() == 1 && block == 0 && (x.rank() == 0 || t.dims[0].isConstant(1)))
    return e.squeeze(t, {0});
  if (t.rank() != (block > 0 ? x.rank() : 1)) {
    e.refuse("expected scales and zeros of rank 0 or 1, or with blocks of the "
             "rank of the numbers, but got rank " +
             Twine(t.rank()));
    return t;
  }
  if (block > 0)
    for (int64_t i = 0; i < x.rank(); ++i)
      e.require(Relation::eq(
                    t.dims[i],
                    i == axis ? e.arena().ceilDiv(x.dims[i], e.constant(block))
                              : x.dims[i]),
                "there must be a scale and a zero for each block");
  else
    e.require(Relation::eq(e.arena().bc(t.dims[0], x.dims[axis]), x.dims[axis]),
              "there must be a scale and a zero for each place along the axis");
  if (block > 0)
    return e.generate(x.dims, t.type, [&](Scalars &s, ArrayRef<Value> at) {
      SmallVector<Value> from(at);
      from[axis] = s.create<arith::DivUIOp>(at[axis], s.index(block));
      return Emitter::at(s, t, from);
    });
  SmallVector<int64_t> axes;
  for (int64_t i = axis + 1; i < x.rank(); ++i)
    axes.push_back(i - axis);
  return e.unsqueeze(t, axes);
}

/// The axis of scales. Without blocks it says nothing where there is one scale,
/// so that the default may lie outside; an input of rank 1 has one axis.
static std::optional<int64_t> axisOfScales(Node &n, const Tensor &x,
                                           int64_t block) {
  if (block < 0) {
    (void)n.fail("expected block_size of 1 or more, but got " + Twine(block));
    return std::nullopt;
  }
  if (block > 0)
    return n.axisAttr("axis", 1, x.rank());
  int64_t value = n.intAttr("axis", 1);
  if (value == 1 || value == -1)
    return x.rank() < 2 ? 0 : value < 0 ? x.rank() - 1 : 1;
  return n.axisAttr("axis", 1, std::max<int64_t>(x.rank(), 1));
}

static LogicalResult quantizeLinear(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  DataType type =
      n.has(2) ? n.type(2)
               : static_cast<DataType>(n.intAttr(
                     "output_dtype", static_cast<int64_t>(DataType::UInt8)));
  if (!isInteger(type))
    return n.fail("expected integers as results, but got " + nameOf(type));
  if (auto asked = static_cast<DataType>(n.intAttr("output_dtype", 0));
      asked != DataType::Undefined && asked != type)
    return n.fail("expected output_dtype to be the type of the zero, " +
                  nameOf(type) + ", but got " + nameOf(asked));
  int64_t block = n.intAttr("block_size", 0);
  auto axis = axisOfScales(n, x, block);
  if (!axis)
    return failure();
  requireOneShape(n, 1, 2);
  DataType wide = wideType(x.type);
  // The type of the scale, unless an attribute says another one.
  auto precision = static_cast<DataType>(n.intAttr("precision", 0));
  if (!isFloat(precision))
    precision = isFloat(n.type(1)) ? n.type(1) : wide;
  Tensor scale = spread(n, e.cast(n.tensor(1), wide), x, *axis, block);
  Tensor zero = n.has(2) ? spread(n, e.cast(n.tensor(2), wide), x, *axis, block)
                         : e.scalar(wide, 0);
  return n.set(0, e.map({e.cast(x, wide), scale, zero}, type,
                        [&](Scalars &s, ArrayRef<Value> v) {
                          return quantize(s, v[0], v[1], v[2], type, precision);
                        }));
}

static LogicalResult dequantizeLinear(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), scale = n.tensor(1);
  if (!isInteger(x.type))
    return n.fail("expected integers, but got " + nameOf(x.type));
  int64_t block = n.intAttr("block_size", 0);
  auto axis = axisOfScales(n, x, block);
  if (!axis)
    return failure();
  requireOneShape(n, 1, 2);
  auto type = static_cast<DataType>(
      n.intAttr("output_dtype", static_cast<int64_t>(scale.type)));
  if (!isFloat(type))
    return n.fail("expected floats as results, but got " + nameOf(type));
  DataType wide = sumType(scale.type);
  if (Tensor numbers = dequantizeBlocks(n, *axis, block, wide))
    return n.set(0, e.cast(numbers, type));
  Tensor zero;
  if (n.has(2))
    zero = spread(n, n.tensor(2), x, *axis, block);
  Tensor steps = centred(e, x, zero);
  if (!steps)
    return n.set(0, steps);
  Tensor y = e.mul(e.cast(steps, wide),
                   e.cast(spread(n, scale, x, *axis, block), wide));
  return n.set(0, e.cast(y, type));
}

namespace {
struct Quantized {
  Tensor values, scale, zero;
};
} // namespace

/// Quantizes to uint8, so that 0 and all elements are in the range.
static Quantized quantizeDynamically(Emitter &e, const Tensor &x) {
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < x.rank(); ++i)
    axes.push_back(i);
  auto end = [&](bool greatest) {
    return e.reduce(x, axes, false, x.type, 0,
                    [=](Scalars &s, ArrayRef<Value> v) {
                      return greatest ? s.max(v[0], v[1]) : s.min(v[0], v[1]);
                    });
  };
  Tensor low = end(false), high = end(true);
  Tensor scale = e.map({low, high}, x.type, [](Scalars &s, ArrayRef<Value> v) {
    Type type = v[0].getType();
    Value width = s.div(s.sub(v[1], v[0]), s.number(type, 255));
    return s.select(s.equal(v[1], v[0]), s.number(type, 1), width);
  });
  Tensor zero = e.map({low, scale}, x.type, [](Scalars &s, ArrayRef<Value> v) {
    Type type = v[0].getType();
    Value at = s.div(s.sub(s.number(type, 0), v[0]), v[1]);
    at = s.min(s.max(at, s.number(type, 0)), s.number(type, 255));
    return s.create<math::RoundEvenOp>(at);
  });
  Tensor values = e.map({x, scale, zero}, DataType::UInt8,
                        [](Scalars &s, ArrayRef<Value> v) {
                          return quantize(s, v[0], v[1], v[2], DataType::UInt8);
                        });
  return {values, scale, e.cast(zero, DataType::UInt8)};
}

static LogicalResult dynamicQuantizeLinear(Node &n) {
  Quantized q = quantizeDynamically(n.emit(), n.tensor(0));
  if (failed(n.set(0, q.values)) || failed(n.set(1, q.scale)))
    return failure();
  return n.set(2, q.zero);
}

Tensor mlir::symshape::onnx::dynamicProduct(Emitter &e, const Tensor &x,
                                            const Tensor &weight,
                                            const Tensor &scale,
                                            const Tensor &zero) {
  Quantized q = quantizeDynamically(e, x);
  Tensor sums = e.matmul(centred(e, q.values, q.zero), centred(e, weight, zero),
                         DataType::Int32);
  return e.map({e.cast(sums, x.type), q.scale, scale}, x.type,
               [](Scalars &s, ArrayRef<Value> v) {
                 return s.mul(v[0], s.mul(v[1], v[2]));
               });
}

/// The zero of each row of a left operand lies along its last axis but one.
static Tensor rowZero(Emitter &e, const Tensor &zero) {
  return zero && zero.rank() == 1 ? e.unsqueeze(zero, 1) : zero;
}

static LogicalResult matmulInteger(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), y = n.tensor(1), zeroX, zeroY;
  if (n.has(2))
    zeroX = rowZero(e, n.tensor(2));
  if (n.has(3))
    zeroY = n.tensor(3);
  Tensor left = centred(e, x, zeroX), right = centred(e, y, zeroY);
  if (!left || !right || x.rank() == 0 || y.rank() == 0)
    return n.fail("expected zeros that fit the operands");
  return n.set(0, e.matmul(left, right, DataType::Int32));
}

/// Sums in int32 to a quantized result: x * (scales of operands / its own).
static LogicalResult requantize(Node &n, const Tensor &sums,
                                ArrayRef<Tensor> scales, const Tensor &zero) {
  Emitter &e = n.emit();
  SmallVector<Tensor> all;
  for (const Tensor &scale : scales)
    all.push_back(e.cast(scale, DataType::Float));
  Tensor factor =
      e.map(all, DataType::Float, [](Scalars &s, ArrayRef<Value> v) {
        return s.div(s.mul(v[0], v[1]), v[2]);
      });
  all = {sums, factor, e.cast(zero, DataType::Float)};
  return n.set(0, e.map(all, zero.type, [&](Scalars &s, ArrayRef<Value> v) {
    Value sum = s.cast(v[0], DataType::Int32, DataType::Float);
    Value one = s.number(sum.getType(), 1);
    return quantize(s, s.mul(sum, v[1]), one, v[2], zero.type);
  }));
}

static LogicalResult qlinearMatmul(Node &n) {
  Emitter &e = n.emit();
  for (size_t scale : {1, 4, 6})
    requireOneShape(n, scale, scale + 1);
  Tensor x = n.tensor(0), y = n.tensor(3);
  Tensor left = centred(e, x, rowZero(e, n.tensor(2)));
  Tensor right = centred(e, y, n.tensor(5));
  Tensor sums = e.matmul(left, right, DataType::Int32);
  return requantize(n, sums,
                    {rowZero(e, n.tensor(1)), n.tensor(4), n.tensor(6)},
                    n.tensor(7));
}

/// A value for each feature, along axis 1.
static Tensor perFeature(Emitter &e, const Tensor &t, int64_t rank) {
  SmallVector<int64_t> axes;
  for (int64_t i = 1; i + 1 < rank; ++i)
    axes.push_back(i);
  return t.rank() == 1 && !t.dims[0].isConstant(1) ? e.unsqueeze(t, axes) : t;
}

/// The zero of each feature of weights lies along axis 0.
static Tensor weightZero(Emitter &e, const Tensor &zero, int64_t rank) {
  SmallVector<int64_t> axes;
  for (int64_t i = 1; i < rank; ++i)
    axes.push_back(i);
  return zero && zero.rank() == 1 ? e.unsqueeze(zero, axes) : zero;
}

/// Sums of a convolution of quantized operands, in int32.
static Tensor convolveIntegers(Node &n, const Tensor &x, const Tensor &zeroX,
                               const Tensor &w, const Tensor &zeroW) {
  Emitter &e = n.emit();
  Tensor input = centred(e, x, zeroX);
  Tensor weights = centred(e, w, weightZero(e, zeroW, w.rank()));
  return convolution(n, input, weights);
}

static LogicalResult convInteger(Node &n) {
  Tensor zeroX, zeroW;
  if (n.has(2))
    zeroX = n.tensor(2);
  if (n.has(3))
    zeroW = n.tensor(3);
  Tensor sums = convolveIntegers(n, n.tensor(0), zeroX, n.tensor(1), zeroW);
  return sums ? n.set(0, sums) : n.fail("expected operands of a convolution");
}

static LogicalResult qlinearConv(Node &n) {
  Emitter &e = n.emit();
  for (size_t scale : {1, 4, 6})
    requireOneShape(n, scale, scale + 1);
  Tensor sums =
      convolveIntegers(n, n.tensor(0), n.tensor(2), n.tensor(3), n.tensor(5));
  if (!sums)
    return n.fail("expected operands of a convolution");
  int64_t rank = sums.rank();
  if (n.has(8))
    sums = addBias(e, sums, n.tensor(8));
  return requantize(
      n, sums, {n.tensor(1), perFeature(e, n.tensor(4), rank), n.tensor(6)},
      n.tensor(7));
}

void mlir::symshape::onnx::addQuantizationOps(Registry &registry) {
  registry.add("QuantizeLinear", 2, quantizeLinear);
  registry.add("DequantizeLinear", 2, dequantizeLinear);
  registry.add("DynamicQuantizeLinear", 1, dynamicQuantizeLinear);
  registry.add("MatMulInteger", 2, matmulInteger);
  registry.add("QLinearMatMul", 8, qlinearMatmul);
  registry.add("ConvInteger", 2, convInteger);
  registry.add("QLinearConv", 8, qlinearConv);
}
