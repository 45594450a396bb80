//===- QLinearOps.cpp - Ops between quantized tensors ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of com.microsoft on bytes with a scale and a zero: sums, products,
// activations, parts put together, averages. They are computed in floats, and
// rounded once. Source: ONNX Runtime, docs/ContribOperators.md.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Quantization.h"
#include "Reductions.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// Operand `i`, a tensor or a number, as one number; null after an error.
static Tensor oneNumber(Node &n, size_t i) {
  Emitter &e = n.emit();
  Tensor t = n.tensor(i);
  if (t.rank() > 1) {
    (void)n.fail("expected input #" + Twine(i) + " to be one number");
    return Tensor();
  }
  return t.rank() == 1 ? e.squeeze(t, {0}) : t;
}

/// The numbers that operand `i` stands for, its scale and zero behind it.
static Tensor dequantize(Node &n, size_t i) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(i), scale = oneNumber(n, i + 1), zero;
  if (n.has(i + 2))
    zero = oneNumber(n, i + 2);
  if (!scale || (n.has(i + 2) && !zero))
    return Tensor();
  Tensor steps = e.cast(centred(e, x, zero), DataType::Float);
  return e.wrap(e.mul(steps, e.cast(scale, DataType::Float)).value, x.dims,
                DataType::Float);
}

/// Sets the result from floats, by the scale and the zero at `i`.
static LogicalResult setQuantized(Node &n, const Tensor &y, size_t i,
                                  DataType type) {
  Emitter &e = n.emit();
  Tensor scale = oneNumber(n, i);
  Tensor zero = n.has(i + 1) ? oneNumber(n, i + 1) : e.scalar(type, 0);
  if (!y || !scale || !zero)
    return failure();
  return n.set(0, e.map({y, e.cast(scale, DataType::Float),
                         e.cast(zero, DataType::Float)},
                        type, [&](Scalars &s, ArrayRef<Value> v) {
                          return quantize(s, v[0], v[1], v[2], type);
                        }));
}

static LogicalResult combine(Node &n, bool isProduct) {
  Tensor x = dequantize(n, 0), y = dequantize(n, 3);
  if (!x || !y)
    return failure();
  Emitter &e = n.emit();
  return setQuantized(n, isProduct ? e.mul(x, y) : e.add(x, y), 6, n.type(0));
}
static LogicalResult qlinearAdd(Node &n) { return combine(n, false); }
static LogicalResult qlinearMul(Node &n) { return combine(n, true); }

static LogicalResult activate(Node &n,
                              llvm::function_ref<Value(Scalars &, Value)> f) {
  Tensor x = dequantize(n, 0);
  return x ? setQuantized(n, n.emit().unary(x, f), 3, n.type(0)) : failure();
}

static LogicalResult qlinearSigmoid(Node &n) {
  return activate(n, [](Scalars &s, Value x) { return s.sigmoid(x); });
}

static LogicalResult qlinearLeakyRelu(Node &n) {
  double alpha = n.floatAttr("alpha", 0.01f);
  return activate(n, [=](Scalars &s, Value x) {
    Value zero = s.number(x.getType(), 0);
    return s.select(s.less(x, zero), s.mul(x, s.number(x.getType(), alpha)), x);
  });
}

static LogicalResult qlinearConcat(Node &n) {
  Emitter &e = n.emit();
  if (n.numInputs() < 5 || (n.numInputs() - 2) % 3 != 0)
    return n.fail("expected a scale and a zero, and parts with theirs");
  auto axis = n.axisAttr("axis", 0, n.rank(2));
  if (!axis)
    return failure();
  SmallVector<Tensor> parts;
  for (size_t i = 2; i < n.numInputs(); i += 3) {
    if (n.rank(i) != n.rank(2))
      return n.fail("expected parts of one rank");
    parts.push_back(dequantize(n, i));
    if (!parts.back())
      return failure();
  }
  return setQuantized(n, e.concat(parts, *axis), 0, n.type(2));
}

static LogicalResult qlinearGlobalAveragePool(Node &n) {
  Tensor x = dequantize(n, 0);
  if (!x)
    return failure();
  if (x.rank() < 3)
    return n.fail("expected rank 3 or more");
  bool isLast = n.intAttr("channels_last", 0);
  SmallVector<int64_t, 4> axes;
  for (int64_t i = isLast ? 1 : 2; i < x.rank() - (isLast ? 1 : 0); ++i)
    axes.push_back(i);
  return setQuantized(n, meanOf(n.emit(), x, axes, true), 3, n.type(0));
}

/// A bias for each column, if operand `i` is there.
static LogicalResult setWithBias(Node &n, Tensor y, size_t i) {
  Emitter &e = n.emit();
  if (n.has(i)) {
    Tensor bias = e.cast(n.tensor(i), y.type);
    e.requireBroadcast(bias, y.dims, "there must be a bias for each column");
    y = e.wrap(e.add(y, bias).value, y.dims, y.type);
  }
  return n.set(0, y);
}

static LogicalResult dynamicQuantizeMatMul(Node &n) {
  Tensor zero = n.has(3) ? n.tensor(3) : Tensor();
  if (n.rank(0) == 0 || n.rank(1) == 0)
    return n.fail("expected rank 1 or more");
  return setWithBias(
      n, dynamicProduct(n.emit(), n.tensor(0), n.tensor(1), n.tensor(2), zero),
      4);
}

static LogicalResult matMulIntegerToFloat(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), y = n.tensor(1), zeroX, zeroY;
  if (x.rank() == 0 || y.rank() == 0)
    return n.fail("expected rank 1 or more");
  if (n.has(4))
    zeroX = oneNumber(n, 4);
  if (n.has(5))
    zeroY = n.tensor(5);
  Tensor scaleX = oneNumber(n, 2), scaleY = n.tensor(3);
  if (!scaleX || (n.has(4) && !zeroX))
    return failure();
  Tensor sums =
      e.matmul(centred(e, x, zeroX), centred(e, y, zeroY), DataType::Int32);
  Tensor result = e.map({e.cast(sums, scaleX.type), scaleX, scaleY},
                        scaleX.type, [](Scalars &s, ArrayRef<Value> v) {
                          return s.mul(v[0], s.mul(v[1], v[2]));
                        });
  return setWithBias(n, e.wrap(result.value, sums.dims, result.type), 6);
}

void mlir::symshape::onnx::addQLinearOps(Registry &registry) {
  auto add = [&](StringRef name, unsigned minInputs,
                 LogicalResult (*emit)(Node &)) {
    registry.add("com.microsoft", name, {minInputs, emit});
  };
  add("QLinearAdd", 7, qlinearAdd);
  add("QLinearMul", 7, qlinearMul);
  add("QLinearSigmoid", 4, qlinearSigmoid);
  add("QLinearLeakyRelu", 4, qlinearLeakyRelu);
  add("QLinearConcat", 5, qlinearConcat);
  add("QLinearGlobalAveragePool", 4, qlinearGlobalAveragePool);
  add("DynamicQuantizeMatMul", 3, dynamicQuantizeMatMul);
  add("MatMulIntegerToFloat", 4, matMulIntegerToFloat);
}
