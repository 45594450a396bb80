//===- Normalization.cpp - Means and variances ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Normalization.h"
#include "Families.h"
#include "Reductions.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

static Tensor squareOf(Emitter &e, const Tensor &x) {
  return e.unary(x, [](Scalars &s, Value v) { return s.mul(v, v); });
}

/// 1 / sqrt(x + epsilon).
static Tensor inverseRoot(Emitter &e, const Tensor &x, double epsilon) {
  return e.unary(x, [=](Scalars &s, Value v) {
    Value safe = s.add(v, s.number(v.getType(), epsilon));
    return s.div(s.number(v.getType(), 1), s.create<math::SqrtOp>(safe));
  });
}

static SmallVector<int64_t, 4> axesFrom(int64_t first, int64_t rank) {
  SmallVector<int64_t, 4> axes;
  for (int64_t i = first; i < rank; ++i)
    axes.push_back(i);
  return axes;
}

/// A tensor of rank 1 along axis 1 of a tensor of that rank.
static Tensor alongChannels(Emitter &e, const Tensor &x, int64_t rank) {
  SmallVector<int64_t> axes;
  for (int64_t i = 1; i + 1 < rank; ++i)
    axes.push_back(i);
  return e.unsqueeze(x, axes);
}

/// Reads scale or shift of channels: a number for each place along axis 1.
/// Null after an error.
static Tensor ofChannels(Node &n, size_t i, Expr channels) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(i);
  if (x.rank() != 1) {
    (void)n.fail("expected input #" + Twine(i) + " to be of rank 1");
    return Tensor();
  }
  e.require(Relation::eq(x.dims[0], channels),
            "there must be a scale and a shift for each channel");
  return e.wrap(x.value, channels, x.type);
}

/// The same that broadcasts to all of x.
static Tensor ofElements(Node &n, size_t i, const Tensor &x) {
  Tensor factor = n.emit().cast(n.tensor(i), x.type);
  n.emit().requireBroadcast(factor, x.dims,
                            "scale and shift must broadcast to the input");
  return factor;
}

LogicalResult mlir::symshape::onnx::normaliseLayer(Node &n,
                                                   const LayerNorm &norm) {
  Emitter &e = n.emit();
  Tensor x = norm.x;
  SmallVector<int64_t, 4> axes = axesFrom(norm.axis, x.rank());
  Tensor mean = norm.isCentred ? meanOf(e, x, axes, true) : Tensor();
  Tensor centred = norm.isCentred ? e.sub(x, mean) : x;
  Tensor inverse =
      inverseRoot(e, meanOf(e, squareOf(e, centred), axes, true), norm.epsilon);
  Tensor y = e.mul(e.mul(centred, inverse), ofElements(n, norm.scale, x));
  if (norm.shift != LayerNorm::none && n.has(norm.shift))
    y = e.add(y, ofElements(n, norm.shift, x));
  y = e.wrap(y.value, x.dims, x.type);
  if (failed(n.set(0, e.cast(y, n.type(norm.typedAs)))))
    return failure();
  if (mean && norm.mean != LayerNorm::none &&
      failed(n.set(norm.mean, e.cast(mean, norm.stash))))
    return failure();
  return norm.deviation == LayerNorm::none
             ? success()
             : n.set(norm.deviation, e.cast(inverse, norm.stash));
}

static LogicalResult layerNormalization(Node &n) {
  Tensor x = n.wideTensor(0);
  auto axis = n.axisAttr("axis", -1, x.rank());
  if (!axis)
    return failure();
  auto stash = static_cast<DataType>(
      n.intAttr("stash_type", static_cast<int64_t>(DataType::Float)));
  if (!isFloat(stash))
    return n.fail("expected a float as stash_type, but got " + nameOf(stash));
  LayerNorm norm{x, *axis, /*isCentred=*/true, n.floatAttr("epsilon", 1e-5f),
                 stash};
  norm.shift = 2;
  norm.mean = 1;
  norm.deviation = 2;
  return normaliseLayer(n, norm);
}

/// Also SimplifiedLayerNormalization of ONNX Runtime, which has the deviation
/// as another result.
static LogicalResult rmsNormalization(Node &n) {
  Tensor x = n.wideTensor(0);
  auto axis = n.axisAttr("axis", -1, x.rank());
  if (!axis)
    return failure();
  LayerNorm norm{x, *axis, /*isCentred=*/false, n.floatAttr("epsilon", 1e-5f)};
  norm.deviation = 1;
  return normaliseLayer(n, norm);
}

/// Operands: input, what is added to it, scale, then a shift if it is centred,
/// a bias. The sum before the norm is the last result. Source: ONNX Runtime,
/// docs/ContribOperators.md.
static LogicalResult normaliseSum(Node &n, bool isCentred) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0), skip = n.wideTensor(1);
  if (x.rank() < 2 || skip.rank() > x.rank())
    return n.fail("expected rank 2 or more, and no more of what is added");
  e.requireBroadcast(skip, x.dims, "what is added must broadcast to the input");
  Tensor sum = e.wrap(e.add(x, skip).value, x.dims, x.type);
  size_t bias = isCentred ? 4 : 3;
  if (n.has(bias))
    sum = e.add(sum, ofElements(n, bias, sum));
  sum = e.wrap(sum.value, x.dims, x.type);
  LayerNorm norm{sum, x.rank() - 1, isCentred, n.floatAttr("epsilon", 1e-12f)};
  norm.scale = 2;
  norm.shift = isCentred ? 3 : LayerNorm::none;
  norm.mean = 1;
  norm.deviation = 2;
  return success(succeeded(normaliseLayer(n, norm)) &&
                 succeeded(n.setRounded(3, sum)));
}

static LogicalResult skipLayerNormalization(Node &n) {
  return normaliseSum(n, /*isCentred=*/true);
}
static LogicalResult skipSimplifiedLayerNormalization(Node &n) {
  return normaliseSum(n, /*isCentred=*/false);
}

/// y = (x - mean) * scale / sqrt(variance + epsilon) + shift, where what does
/// not depend on x comes first: it is computed once if it depends on weights
/// alone.
static Tensor scaleAndShift(Emitter &e, const Tensor &x, const Tensor &scale,
                            const Tensor &shift, const Tensor &mean,
                            const Tensor &variance, double epsilon) {
  Tensor factor = e.mul(scale, inverseRoot(e, variance, epsilon));
  Tensor offset = e.sub(shift, e.mul(mean, factor));
  return e.map({x, alongChannels(e, factor, x.rank()),
                alongChannels(e, offset, x.rank())},
               x.type, [](Scalars &s, ArrayRef<Value> v) {
                 return s.add(s.mul(v[0], v[1]), v[2]);
               });
}

/// With `spatial=0`, before opset 9, features are all elements of a batch, not
/// channels alone: they are flattened.
static Tensor flattenFeatures(Emitter &e, const Tensor &x) {
  ArrayRef<Expr> features = ArrayRef<Expr>(x.dims).drop_front();
  return e.reshape(x, {x.dims[0], e.product(features)});
}

/// Whether means and variances are those of the input.
static bool isTraining(Node &n) {
  if (n.opset() < 7)
    return !n.intAttr("is_test", 0);
  return n.opset() < 14 ? n.wants(1) : n.intAttr("training_mode", 0) != 0;
}

static LogicalResult batchNormalization(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0);
  // Statistics may have a wider type than the input.
  for (size_t i = 1; i < 5; ++i)
    if (n.type(i) == DataType::Double)
      x = e.cast(x, DataType::Double);
  if (x.rank() < 2)
    return n.fail("expected rank 2 or more");
  SmallVector<Expr, 4> given(x.dims), ofFeatures{x.dims[1]};
  SmallVector<Tensor> parts;
  bool flattens = n.opset() < 9 && !n.intAttr("spatial", 1);
  if (flattens)
    ofFeatures.assign(given.begin() + 1, given.end());
  for (size_t i = 1; i < 5; ++i) {
    Tensor part = e.cast(n.tensor(i), x.type);
    if (part.rank() != static_cast<int64_t>(ofFeatures.size()))
      return n.fail("expected scale, shift, mean and variance of rank " +
                    Twine(ofFeatures.size()));
    for (auto [own, wanted] : llvm::zip(part.dims, ofFeatures))
      e.require(Relation::eq(own, wanted),
                "there must be a scale and a shift for each channel");
    part = e.wrap(part.value, ofFeatures, x.type);
    parts.push_back(flattens ? e.reshape(part, e.product(ofFeatures)) : part);
  }
  if (flattens)
    x = flattenFeatures(e, x);
  double epsilon = n.floatAttr("epsilon", 1e-5f);
  auto setShifted = [&](const Tensor &mean, const Tensor &variance) {
    Tensor y = scaleAndShift(e, x, parts[0], parts[1], mean, variance, epsilon);
    return n.setRounded(0, e.reshape(y, given));
  };
  if (!isTraining(n))
    return setShifted(parts[2], parts[3]);
  SmallVector<int64_t, 4> axes = axesFrom(1, x.rank());
  axes[0] = 0; // all but the channels
  Tensor mean = meanOf(e, x, axes, false);
  Tensor centred = e.sub(x, alongChannels(e, mean, x.rank()));
  Tensor variance = meanOf(e, squareOf(e, centred), axes, false);
  if (failed(setShifted(mean, variance)))
    return failure();
  double momentum = n.floatAttr("momentum", 0.9f);
  auto running = [&](const Tensor &before, const Tensor &now) {
    return e.map({before, now}, x.type, [=](Scalars &s, ArrayRef<Value> v) {
      Type type = v[0].getType();
      return s.add(s.mul(v[0], s.number(type, momentum)),
                   s.mul(v[1], s.number(type, 1 - momentum)));
    });
  };
  auto setStatistics = [&](size_t i, const Tensor &t, size_t typedAs) {
    return n.set(i, e.cast(e.reshape(t, ofFeatures), n.type(typedAs)));
  };
  // Before opset 14 those of the input are results, too.
  return success(succeeded(setStatistics(1, running(parts[2], mean), 3)) &&
                 succeeded(setStatistics(2, running(parts[3], variance), 4)) &&
                 succeeded(setStatistics(3, mean, 3)) &&
                 succeeded(setStatistics(4, variance, 4)));
}

static LogicalResult instanceNormalization(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0);
  if (x.rank() < 2)
    return n.fail("expected rank 2 or more");
  Tensor scale = ofChannels(n, 1, x.dims[1]);
  Tensor shift = ofChannels(n, 2, x.dims[1]);
  if (!scale || !shift)
    return failure();
  SmallVector<int64_t, 4> axes = axesFrom(2, x.rank());
  Tensor centred = e.sub(x, meanOf(e, x, axes, true));
  Tensor variance = meanOf(e, squareOf(e, centred), axes, true);
  Tensor y =
      e.mul(centred, inverseRoot(e, variance, n.floatAttr("epsilon", 1e-5f)));
  y = e.mul(y, alongChannels(e, scale, x.rank()));
  return n.setRounded(0, e.add(y, alongChannels(e, shift, x.rank())));
}

/// Opset 18 has a scale for each group, opset 21 one for each channel.
static LogicalResult groupNormalization(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0);
  int64_t groups = n.intAttr("num_groups", 0);
  if (x.rank() < 2 || groups < 1)
    return n.fail("expected rank 2 or more, and a number of groups");
  Expr count = e.constant(groups);
  bool perGroup = n.opset() < 21;
  Tensor scale = ofChannels(n, 1, perGroup ? count : x.dims[1]);
  Tensor shift = ofChannels(n, 2, perGroup ? count : x.dims[1]);
  if (!scale || !shift)
    return failure();
  e.require(Relation::divides(count, x.dims[1]),
            "groups must have equally many channels");
  Expr size = e.divideExactly(x.dims[1], count);
  SmallVector<Expr, 4> parts{x.dims[0], count, size};
  llvm::append_range(parts, ArrayRef<Expr>(x.dims).drop_front(2));
  Tensor grouped = e.reshape(x, parts);
  SmallVector<int64_t, 4> axes = axesFrom(2, grouped.rank());
  Tensor centred = e.sub(grouped, meanOf(e, grouped, axes, true));
  Tensor variance = meanOf(e, squareOf(e, centred), axes, true);
  Tensor y =
      e.mul(centred, inverseRoot(e, variance, n.floatAttr("epsilon", 1e-5f)));
  auto spread = [&](const Tensor &t) {
    if (perGroup)
      return alongChannels(e, t, grouped.rank());
    Tensor split = e.reshape(t, {count, size});
    return e.unsqueeze(split, axesFrom(2, grouped.rank() - 1));
  };
  y = e.add(e.mul(y, spread(scale)), spread(shift));
  return n.setRounded(0, e.reshape(y, x.dims));
}

static LogicalResult lpNormalization(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0);
  auto axis = n.axisAttr("axis", -1, x.rank());
  if (!axis)
    return failure();
  bool isOne = n.intAttr("p", 2) == 1;
  Tensor powers = e.unary(x, [=](Scalars &s, Value v) {
    return isOne ? s.create<math::AbsFOp>(v) : s.mul(v, v);
  });
  Tensor norm =
      e.unary(sumOf(e, powers, *axis, true), [=](Scalars &s, Value v) {
        Value size = isOne ? v : s.create<math::SqrtOp>(v);
        Value zero = s.number(v.getType(), 0);
        // If there is nothing to normalise, it stays.
        return s.select(s.equal(size, zero), s.number(v.getType(), 1), size);
      });
  return n.setRounded(0, e.div(x, norm));
}

static LogicalResult meanVarianceNormalization(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0);
  auto axes = n.axes(
      n.intsAttr("axes").value_or(SmallVector<int64_t, 4>{0, 2, 3}), x.rank());
  if (!axes)
    return failure();
  Tensor centred = e.sub(x, meanOf(e, x, *axes, true));
  Tensor variance = meanOf(e, squareOf(e, centred), *axes, true);
  Tensor deviation = e.unary(variance, [](Scalars &s, Value v) {
    return s.add(s.create<math::SqrtOp>(v), s.number(v.getType(), 1e-9));
  });
  return n.setRounded(0, e.div(centred, deviation));
}

/// A window of more channels may be cut down to those that there are.
static constexpr int64_t longestWindow = 64;

/// x / (bias + alpha / size * sum of squares of near channels) ^ beta.
static LogicalResult lrn(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0);
  int64_t size = n.intAttr("size", 1);
  if (x.rank() < 2 || size < 1)
    return n.fail("expected rank 2 or more and a size from 1");
  int64_t before = (size - 1) / 2, behind = size - 1 - before;
  Scalars outside(e.builder(), e.loc());
  SmallVector<Expr, 4> low(x.rank(), e.constant(0)), high(low);
  // No channel has more neighbours than there are channels.
  auto reach = [&](int64_t steps) {
    Expr all = e.constant(steps);
    return size > longestWindow ? e.arena().min(all, x.dims[1]) : all;
  };
  low[1] = reach(before);
  high[1] = reach(behind);
  Tensor squares =
      e.pad(squareOf(e, x), outside.number(elementType(e.context(), x.type), 0),
            low, high);
  // A window over channels: loops are the axes, then the places in it, which
  // an operand without elements of its own counts.
  unsigned loops = x.rank() + 1;
  AffineExpr place = e.builder().getAffineDimExpr(x.rank());
  AffineMap out = AffineMap::getMultiDimIdentityMap(x.rank(), e.context());
  SmallVector<AffineExpr> in(out.getResults());
  in[1] = in[1] + place;
  AffineMap maps[] = {AffineMap::get(loops, 0, in, e.context()),
                      AffineMap::get(loops, 0, place, e.context()),
                      AffineMap::get(loops, 0, out.getResults(), e.context())};
  SmallVector<bool> isReduction(loops, false);
  isReduction.back() = true;
  SmallVector<Expr, 4> window{low[1] + high[1] + 1};
  Tensor places{e.empty(window, x.type), window, x.type};
  Tensor sums = e.structured(
      {squares, places}, e.fill(x.dims, x.type, 0.0), maps, isReduction,
      [](Scalars &s, ArrayRef<Value> v) { return s.add(v[2], v[0]); });
  double alpha = n.floatAttr("alpha", 0.0001f) / size;
  double beta = n.floatAttr("beta", 0.75f), bias = n.floatAttr("bias", 1);
  Tensor y = e.map({x, sums}, x.type, [=](Scalars &s, ArrayRef<Value> v) {
    Type type = v[0].getType();
    Value base =
        s.add(s.number(type, bias), s.mul(v[1], s.number(type, alpha)));
    return s.div(v[0], s.create<math::PowFOp>(base, s.number(type, beta)));
  });
  return n.setRounded(0, y);
}

void mlir::symshape::onnx::addNormalizationOps(Registry &registry) {
  registry.add("LayerNormalization", 2, layerNormalization);
  registry.add("RMSNormalization", 2, rmsNormalization);
  registry.add("SimplifiedLayerNormalization", 2, rmsNormalization);
  registry.add("com.microsoft", "SkipLayerNormalization",
               {3, skipLayerNormalization});
  registry.add("com.microsoft", "SkipSimplifiedLayerNormalization",
               {3, skipSimplifiedLayerNormalization});
  registry.add("BatchNormalization", 5, batchNormalization);
  registry.add("InstanceNormalization", 3, instanceNormalization);
  registry.add("GroupNormalization", 3, groupNormalization);
  registry.add("LpNormalization", 1, lpNormalization);
  registry.add("MeanVarianceNormalization", 1, meanVarianceNormalization);
  registry.add("LRN", 1, lrn);
}
