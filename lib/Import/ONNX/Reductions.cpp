//===- Reductions.cpp - One element of many -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reduce*, ArgMax and ArgMin, softmax and the like.
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "Families.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

Value mlir::symshape::onnx::leastOf(Scalars &s, DataType type, bool greatest) {
  Type element = elementType(s.b.getContext(), type);
  if (isFloat(type)) {
    double infinity = std::numeric_limits<double>::infinity();
    return s.number(element, greatest ? infinity : -infinity);
  }
  unsigned width = element.getIntOrFloatBitWidth();
  APInt value;
  if (isUnsigned(type) || type == DataType::Bool)
    value = greatest ? APInt::getMaxValue(width) : APInt::getMinValue(width);
  else
    value = greatest ? APInt::getSignedMaxValue(width)
                     : APInt::getSignedMinValue(width);
  return s.create<arith::ConstantOp>(IntegerAttr::get(element, value));
}

Tensor mlir::symshape::onnx::sumOf(Emitter &e, const Tensor &x,
                                   ArrayRef<int64_t> axes, bool keep) {
  return e.reduce(
      e.widen(x), axes, keep, sumType(x.type), 0,
      [](Scalars &s, ArrayRef<Value> v) { return s.add(v[0], v[1]); });
}

Tensor mlir::symshape::onnx::maxOf(Emitter &e, const Tensor &x,
                                   ArrayRef<int64_t> axes, bool keep) {
  bool noSign = isUnsigned(x.type) || x.type == DataType::Bool;
  return e.reduceFrom(
      x, axes, keep, x.type,
      [&](Scalars &s) { return leastOf(s, x.type, false); },
      [=](Scalars &s, ArrayRef<Value> v) { return s.max(v[0], v[1], noSign); });
}

Tensor mlir::symshape::onnx::countOf(Emitter &e, const Tensor &x,
                                     ArrayRef<int64_t> axes) {
  Expr count = e.constant(1);
  for (int64_t axis : axes)
    count = count * x.dims[axis];
  DataType type = sumType(x.type);
  if (count.asInt64() && isFloat(type))
    return e.scalar(type, *count.asInt64());
  Scalars s(e.builder(), e.loc());
  return e.fromScalar(s.fromIndex(e.index(count), type), type);
}

Tensor mlir::symshape::onnx::meanOf(Emitter &e, const Tensor &x,
                                    ArrayRef<int64_t> axes, bool keep) {
  return e.div(sumOf(e, x, axes, keep), countOf(e, x, axes));
}

//===----------------------------------------------------------------------===//
// Reduce*
//===----------------------------------------------------------------------===//

/// The axes that a node reduces; if it names none, these are all, or none.
static std::optional<SmallVector<int64_t, 4>> axesOf(Node &n, int64_t rank) {
  SmallVector<int64_t, 4> given;
  if (n.has(1)) {
    auto values = n.neededInts(1);
    if (!values)
      return std::nullopt;
    given = *values;
  }
  if (given.empty() && !n.intAttr("noop_with_empty_axes", 0))
    for (int64_t i = 0; i < rank; ++i)
      given.push_back(i);
  return n.axes(given, rank);
}

/// Reduces f(x), and applies g to what comes out; rounds halves at the end.
template <typename Reduce>
static LogicalResult
reduceBy(Node &n, Reduce reduce,
         llvm::function_ref<Value(Scalars &, Value)> before = nullptr,
         llvm::function_ref<Value(Scalars &, Value)> behind = nullptr) {
  Tensor x = n.wideTensor(0);
  auto axes = axesOf(n, x.rank());
  if (!axes)
    return failure();
  Emitter &e = n.emit();
  if (before)
    x = e.unary(x, before);
  Tensor result =
      axes->empty() ? x : reduce(e, x, *axes, n.intAttr("keepdims", 1));
  if (behind)
    result = e.unary(result, behind);
  return n.setRounded(0, result);
}

static Value square(Scalars &s, Value x) { return s.mul(x, x); }

/// Applies a function of floats; integers are doubles on the way, and what
/// comes out is truncated.
template <typename OpT>
static Value throughFloats(Scalars &s, Value x, DataType type) {
  DataType wide = isFloat(type) ? sumType(type) : DataType::Double;
  return s.cast(s.create<OpT>(s.cast(x, type, wide)), wide, type);
}

static LogicalResult reduceSum(Node &n) { return reduceBy(n, sumOf); }
static LogicalResult reduceMean(Node &n) { return reduceBy(n, meanOf); }
static LogicalResult reduceMax(Node &n) { return reduceBy(n, maxOf); }
static LogicalResult reduceL1(Node &n) {
  bool noSign = isUnsigned(n.type(0));
  return reduceBy(n, sumOf, [=](Scalars &s, Value x) -> Value {
    if (noSign)
      return x;
    return Scalars::isFloat(x) ? s.create<math::AbsFOp>(x)
                               : s.create<math::AbsIOp>(x);
  });
}
static LogicalResult reduceL2(Node &n) {
  DataType type = sumType(n.type(0));
  return reduceBy(n, sumOf, square, [=](Scalars &s, Value x) {
    return throughFloats<math::SqrtOp>(s, x, type);
  });
}
static LogicalResult reduceSumSquare(Node &n) {
  return reduceBy(n, sumOf, square);
}
static LogicalResult reduceLogSum(Node &n) {
  DataType type = sumType(n.type(0));
  return reduceBy(n, sumOf, nullptr, [=](Scalars &s, Value x) {
    return throughFloats<math::LogOp>(s, x, type);
  });
}

static LogicalResult reduceMin(Node &n) {
  return reduceBy(
      n, [](Emitter &e, const Tensor &x, ArrayRef<int64_t> axes, bool keep) {
        bool noSign = isUnsigned(x.type) || x.type == DataType::Bool;
        return e.reduceFrom(
            x, axes, keep, x.type,
            [&](Scalars &s) { return leastOf(s, x.type, true); },
            [=](Scalars &s, ArrayRef<Value> v) {
              return s.min(v[0], v[1], noSign);
            });
      });
}

static LogicalResult reduceProd(Node &n) {
  return reduceBy(
      n, [](Emitter &e, const Tensor &x, ArrayRef<int64_t> axes, bool keep) {
        return e.reduce(
            x, axes, keep, x.type, 1,
            [](Scalars &s, ArrayRef<Value> v) { return s.mul(v[0], v[1]); });
      });
}

/// max + log(sum(exp(x - max))); if max is infinite, it is the result. Integers
/// are doubles on the way.
static LogicalResult reduceLogSumExp(Node &n) {
  return reduceBy(n, [](Emitter &e, Tensor x, ArrayRef<int64_t> axes,
                        bool keep) {
    if (!isFloat(x.type))
      x = e.cast(x, DataType::Double);
    Tensor most = e.unary(maxOf(e, x, axes, true), [](Scalars &s, Value v) {
      double infinity = std::numeric_limits<double>::infinity();
      Value size = s.create<math::AbsFOp>(v);
      Value isInfinite = s.equal(size, s.number(v.getType(), infinity));
      return s.select(isInfinite, s.number(v.getType(), 0), v);
    });
    Tensor powers = e.map({x, most}, x.type, [](Scalars &s, ArrayRef<Value> v) {
      return s.create<math::ExpOp>(s.sub(v[0], v[1]));
    });
    Tensor sums = sumOf(e, powers, axes, true);
    Tensor result =
        e.map({sums, most}, x.type, [](Scalars &s, ArrayRef<Value> v) {
          return s.add(s.create<math::LogOp>(v[0]), v[1]);
        });
    return keep ? result : e.squeeze(result, axes);
  });
}

static LogicalResult argReduce(Node &n, bool isMax) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  auto axis = n.axisAttr("axis", 0, x.rank());
  if (!axis)
    return failure();
  e.require(Relation::ge(x.dims[*axis], e.constant(1)),
            "there is no index in an empty axis");
  bool last = n.intAttr("select_last_index", 0);
  bool noSign = isUnsigned(x.type);
  SmallVector<Expr, 4> dims(x.dims);
  dims.erase(dims.begin() + *axis);
  SmallVector<AffineExpr> kept;
  SmallVector<bool> isReduction(x.rank(), false);
  isReduction[*axis] = true;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != *axis)
      kept.push_back(e.builder().getAffineDimExpr(i));
  AffineMap out = AffineMap::get(x.rank(), 0, kept, e.context());
  AffineMap maps[] = {e.builder().getMultiDimIdentityMap(x.rank()), out, out};
  Scalars outside(e.builder(), e.loc());
  Tensor inits[] = {e.fill(dims, x.type, leastOf(outside, x.type, !isMax)),
                    e.fill(dims, DataType::Int64, 0.0)};
  auto results = e.structured(
      x, inits, maps, isReduction, [&](Scalars &s, ArrayRef<Value> v) {
        Value better = isMax ? (last ? s.lessOrEqual(v[1], v[0], noSign)
                                     : s.less(v[1], v[0], noSign))
                             : (last ? s.lessOrEqual(v[0], v[1], noSign)
                                     : s.less(v[0], v[1], noSign));
        Value at = s.fromIndex(s.loop(*axis), DataType::Int64);
        return SmallVector<Value>{s.select(better, v[0], v[1]),
                                  s.select(better, at, v[2])};
      });
  bool keep = n.intAttr("keepdims", 1);
  return n.set(0, keep ? e.unsqueeze(results[1], *axis) : results[1]);
}
static LogicalResult argMax(Node &n) { return argReduce(n, true); }
static LogicalResult argMin(Node &n) { return argReduce(n, false); }

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

Tensor mlir::symshape::onnx::softmaxOf(Emitter &e, const Tensor &x,
                                       int64_t axis, bool logs,
                                       bool mayHideAll) {
  if (sumType(x.type) != x.type)
    return softmaxOf(e, e.widen(x), axis, logs, mayHideAll);
  Tensor most = maxOf(e, x, axis, true);
  // Rather than a value v; where it is that of a row that is hidden.
  auto unlessHidden = [&](const Tensor &t, double v, double instead) {
    if (!mayHideAll)
      return t;
    return e.unary(t, [=](Scalars &s, Value x) {
      Type type = x.getType();
      return s.select(s.equal(x, s.number(type, v)), s.number(type, instead),
                      x);
    });
  };
  // Whatever is subtracted, the result is the same.
  most = e.stopGradient(
      unlessHidden(most, -std::numeric_limits<double>::infinity(), 0));
  if (logs) {
    Tensor low = e.sub(x, most);
    Tensor powers = e.unary(
        low, [](Scalars &s, Value v) { return s.create<math::ExpOp>(v); });
    return e.map({low, sumOf(e, powers, axis, true)}, x.type,
                 [](Scalars &s, ArrayRef<Value> v) {
                   return s.sub(v[0], s.create<math::LogOp>(v[1]));
                 });
  }
  Tensor powers = e.map({x, most}, x.type, [](Scalars &s, ArrayRef<Value> v) {
    return s.create<math::ExpOp>(s.sub(v[0], v[1]));
  });
  return e.div(powers, unlessHidden(sumOf(e, powers, axis, true), 0, 1));
}

/// Applies `f` along the axis; before opset 13, along it and all later axes.
static LogicalResult
alongAxis(Node &n, llvm::function_ref<Tensor(const Tensor &, int64_t)> f) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  if (n.opset() >= 13 && x.rank() == 0)
    return n.fail("expected rank 1 or more");
  if (n.opset() >= 13) {
    auto axis = n.axisAttr("axis", -1, x.rank());
    return axis ? n.setRounded(0, f(x, *axis)) : failure();
  }
  auto axis = n.axisAttr("axis", 1, std::max<int64_t>(x.rank(), 2));
  if (!axis)
    return failure();
  if (*axis == x.rank() - 1)
    return n.setRounded(0, f(x, *axis));
  ArrayRef<Expr> dims = x.dims;
  Tensor flat = e.reshape(x, {e.product(dims.take_front(*axis)),
                              e.product(dims.drop_front(*axis))});
  return n.setRounded(0, e.reshape(f(flat, 1), dims));
}

static LogicalResult softmax(Node &n) {
  return alongAxis(n, [&](const Tensor &x, int64_t axis) {
    return softmaxOf(n.emit(), x, axis, false);
  });
}
static LogicalResult logSoftmax(Node &n) {
  return alongAxis(n, [&](const Tensor &x, int64_t axis) {
    return softmaxOf(n.emit(), x, axis, true);
  });
}

/// 1 at the first of the largest elements.
static LogicalResult hardmax(Node &n) {
  return alongAxis(n, [&](const Tensor &x, int64_t axis) {
    Emitter &e = n.emit();
    Tensor most = maxOf(e, x, axis, true);
    Scalars outside(e.builder(), e.loc());
    // Its first place: the least position of an element that equals it.
    Tensor positions =
        e.map({x, most}, DataType::Int64, [&](Scalars &s, ArrayRef<Value> v) {
          Value at = s.fromIndex(s.loop(axis), DataType::Int64);
          return s.select(s.equal(v[0], v[1]), at,
                          leastOf(s, DataType::Int64, true));
        });
    Tensor first = e.reduceFrom(
        positions, axis, true, DataType::Int64,
        [](Scalars &s) { return leastOf(s, DataType::Int64, true); },
        [](Scalars &s, ArrayRef<Value> v) { return s.min(v[0], v[1]); });
    return e.map({x, first}, x.type, [&](Scalars &s, ArrayRef<Value> v) {
      Value at = s.fromIndex(s.loop(axis), DataType::Int64);
      return s.select(s.equal(at, v[1]), s.number(v[0].getType(), 1),
                      s.number(v[0].getType(), 0));
    });
  });
}

void mlir::symshape::onnx::addReductionOps(Registry &registry) {
  registry.add("ReduceSum", 1, reduceSum);
  registry.add("ReduceMean", 1, reduceMean);
  registry.add("ReduceMax", 1, reduceMax);
  registry.add("ReduceMin", 1, reduceMin);
  registry.add("ReduceProd", 1, reduceProd);
  registry.add("ReduceL1", 1, reduceL1);
  registry.add("ReduceL2", 1, reduceL2);
  registry.add("ReduceSumSquare", 1, reduceSumSquare);
  registry.add("ReduceLogSum", 1, reduceLogSum);
  registry.add("ReduceLogSumExp", 1, reduceLogSumExp);
  registry.add("ArgMax", 1, argMax);
  registry.add("ArgMin", 1, argMin);
  registry.add("Softmax", 1, softmax);
  registry.add("LogSoftmax", 1, logSoftmax);
  registry.add("Hardmax", 1, hardmax);
}
