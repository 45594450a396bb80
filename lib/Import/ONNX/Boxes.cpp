//===- Boxes.cpp - Boxes in images ----------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NonMaxSuppression and RoiAlign.
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "Families.h"
#include "Ordering.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

//===----------------------------------------------------------------------===//
// NonMaxSuppression
//===----------------------------------------------------------------------===//

/// For each box its least place along both axes, then its greatest ones.
static Tensor cornersOf(Emitter &e, const Tensor &boxes, bool fromCenter) {
  SmallVector<Expr, 3> dims{boxes.dims[0], boxes.dims[1], e.constant(4)};
  return e.generate(dims, boxes.type, [&](Scalars &s, ArrayRef<Value> at) {
    Value two = s.index(2);
    Value isHigh = s.lessOrEqual(two, at[2]);
    Value axis = s.create<arith::RemUIOp>(at[2], two);
    Value x = Emitter::at(s, boxes, {at[0], at[1], axis});
    Value y = Emitter::at(s, boxes, {at[0], at[1], s.add(axis, two)});
    if (!fromCenter)
      return s.select(isHigh, s.max(x, y), s.min(x, y));
    Value half = s.div(y, s.number(y.getType(), 2));
    return s.select(isHigh, s.add(x, half), s.sub(x, half));
  });
}

/// Whether two boxes share more than `threshold` of what they cover together.
static Value overlaps(Scalars &s, ArrayRef<Value> a, ArrayRef<Value> b,
                      Value threshold) {
  Value zero = s.number(a[0].getType(), 0);
  SmallVector<Value> common;
  for (size_t i = 0; i < 2; ++i)
    common.push_back(s.sub(s.min(a[i + 2], b[i + 2]), s.max(a[i], b[i])));
  Value shared = s.mul(common[0], common[1]);
  auto area = [&](ArrayRef<Value> box) {
    return s.mul(s.sub(box[2], box[0]), s.sub(box[3], box[1]));
  };
  Value areaA = area(a), areaB = area(b);
  Value together = s.sub(s.add(areaA, areaB), shared);
  Value result = s.less(threshold, s.div(shared, together));
  for (Value positive : {common[0], common[1], shared, areaA, areaB, together})
    result = s.logicalAnd(result, s.less(zero, positive));
  return result;
}

/// Boxes in order of their scores: which they are, [batch, class, box].
static Tensor orderByScore(Emitter &e, const Tensor &scores) {
  Tensor keys = e.unary(scores, [](Scalars &s, Value v) { return s.neg(v); });
  auto op =
      SortOp::create(e.builder(), e.loc(), keys.value.getType(),
                     e.typeOf(scores.dims, DataType::Int64), keys.value, 2);
  return {op.getPermutation(), scores.dims, DataType::Int64};
}

/// Takes boxes in order of their scores; each that stays drops later ones that
/// overlap with it. Which ones are dropped does not depend on how many are
/// asked for, so these are counted at the end.
static LogicalResult nonMaxSuppression(Node &n) {
  Emitter &e = n.emit();
  Tensor boxes = n.tensor(0), scores = n.tensor(1);
  if (boxes.rank() != 3 || scores.rank() != 3 || !isFloat(boxes.type) ||
      !isFloat(scores.type))
    return n.fail("expected boxes and scores of floats of rank 3");
  e.require(Relation::eq(boxes.dims[0], scores.dims[0]),
            "batches must be equal");
  e.require(Relation::eq(boxes.dims[1], scores.dims[2]),
            "there must be a score for each box");
  e.require(Relation::eq(boxes.dims[2], e.constant(4)),
            "a box must have four numbers");
  Expr limit = e.constant(0);
  if (n.has(2) && !(limit = n.oneInt(2)))
    return failure();
  Scalars outside(e.builder(), e.loc());
  Value threshold = outside.number(outside.floatType(boxes.type), 0);
  if (n.has(3)) {
    threshold = n.oneElement(3);
    if (!threshold)
      return failure();
    threshold = outside.cast(threshold, n.type(3), boxes.type);
    Value one = outside.number(threshold.getType(), 1);
    Value zero = outside.number(threshold.getType(), 0);
    e.requireThat(outside.logicalAnd(outside.lessOrEqual(zero, threshold),
                                     outside.lessOrEqual(threshold, one)),
                  "iou_threshold must be from 0 to 1");
  }
  Tensor corners = cornersOf(e, boxes, n.intAttr("center_point_box", 0));
  Tensor order = orderByScore(e, scores);
  auto boxAt = [&](Scalars &s, Value batch, Value kind, Value place) {
    Value box =
        s.toIndex(Emitter::at(s, order, {batch, kind, place}), DataType::Int64);
    SmallVector<Value> numbers;
    for (int64_t i = 0; i < 4; ++i)
      numbers.push_back(Emitter::at(s, corners, {batch, box, s.index(i)}));
    return numbers;
  };
  Tensor candidates;
  if (n.has(4)) {
    Value least = n.oneElement(4);
    if (!least)
      return failure();
    least = outside.cast(least, n.type(4), scores.type);
    candidates = e.generate(
        scores.dims, DataType::Bool, [&](Scalars &s, ArrayRef<Value> at) {
          Value box = s.toIndex(Emitter::at(s, order, at), DataType::Int64);
          return s.less(least, Emitter::at(s, scores, {at[0], at[1], box}));
        });
  } else {
    candidates = e.fill(scores.dims, DataType::Bool, 1.0);
  }
  Tensor kept =
      e.repeat(
           scores.dims[2], candidates,
           [&](Value iteration, ArrayRef<Tensor> old) {
             Tensor now = e.unary(old[0], [&](Scalars &s, Value stays) {
               Value batch = s.loop(0), kind = s.loop(1), place = s.loop(2);
               Value drops = Emitter::at(s, old[0], {batch, kind, iteration});
               drops = s.logicalAnd(drops, s.less(iteration, place));
               drops = s.logicalAnd(
                   drops, overlaps(s, boxAt(s, batch, kind, iteration),
                                   boxAt(s, batch, kind, place), threshold));
               return s.logicalAnd(stays, s.logicalNot(drops));
             });
             return SmallVector<Tensor>{now};
           })
          .front();
  Tensor ones = e.cast(kept, DataType::Int64);
  Value counts = CumsumOp::create(e.builder(), e.loc(), ones.value.getType(),
                                  ones.value, 2, /*reverse=*/false);
  Value most = outside.fromIndex(e.index(limit), DataType::Int64);
  Tensor chosen = e.map({kept, {counts, ones.dims, ones.type}}, DataType::Bool,
                        [&](Scalars &s, ArrayRef<Value> v) {
                          return s.logicalAnd(v[0], s.lessOrEqual(v[1], most));
                        });
  Tensor places = findNonzero(e, chosen);
  return n.set(
      0, e.generate(
             places.dims, DataType::Int64, [&](Scalars &s, ArrayRef<Value> at) {
               auto column = [&](int64_t i) {
                 return Emitter::at(s, places, {at[0], s.index(i)});
               };
               Value box =
                   Emitter::at(s, order, {column(0), column(1), column(2)});
               Value own =
                   s.fromIndex(Emitter::at(s, places, at), DataType::Int64);
               return s.select(s.equal(at[1], s.index(2)), box, own);
             }));
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

namespace {
struct RoiMode {
  bool isMax, isHalfPixel;
  int64_t ratio; ///< samples along an axis of a bin; 0: as many as pixels
  double scale;
};

/// A region along one axis: where it begins, how long its bins are, how many
/// samples each has.
struct RoiAxis {
  Value start, bin, samples;
};
} // namespace

/// A region along axis 0, the rows, or 1.
static RoiAxis roiAxis(Scalars &s, const RoiMode &mode, const Tensor &rois,
                       Value roi, int64_t axis, Value bins) {
  auto read = [&](int64_t i) {
    Value x = Emitter::at(s, rois, {roi, s.index(i)});
    x = s.mul(s.cast(x, rois.type, DataType::Double), f64(s, mode.scale));
    return mode.isHalfPixel ? s.sub(x, f64(s, 0.5)) : x;
  };
  Value start = read(1 - axis), size = s.sub(read(3 - axis), start);
  if (!mode.isHalfPixel)
    size = s.max(size, f64(s, 1));
  Value bin = s.div(size, s.fromIndex(bins, DataType::Double));
  Value samples = s.index(mode.ratio);
  if (mode.ratio <= 0) {
    Value whole =
        s.cast(s.create<math::CeilOp>(bin), DataType::Double, DataType::Int64);
    samples = s.max(s.toIndex(whole, DataType::Int64), s.index(0));
  }
  return {start, bin, samples};
}

/// The most samples of any region along an axis.
static Expr mostSamples(Emitter &e, const RoiMode &mode, const Tensor &rois,
                        int64_t axis, Value bins) {
  if (mode.ratio > 0)
    return e.constant(mode.ratio);
  Tensor each = e.generate(
      rois.dims[0], DataType::Int64, [&](Scalars &s, ArrayRef<Value> at) {
        RoiAxis roi = roiAxis(s, mode, rois, at[0], axis, bins);
        return s.fromIndex(roi.samples, DataType::Int64);
      });
  Tensor most =
      e.reduce(each, 0, false, DataType::Int64, 0,
               [](Scalars &s, ArrayRef<Value> v) { return s.max(v[0], v[1]); });
  Scalars s(e.builder(), e.loc());
  return e.bind(s.toIndex(e.extract(most, {}), DataType::Int64), "_v");
}

/// Two neighbours along an axis, and their weights.
struct Neighbours {
  Value at[2], weight[2], isInside;
};

static Neighbours neighbours(Scalars &s, Value place, Value extent) {
  Value size = s.fromIndex(extent, DataType::Double);
  Neighbours result;
  result.isInside = s.logicalAnd(s.lessOrEqual(f64(s, -1), place),
                                 s.lessOrEqual(place, size));
  Value last = s.sub(extent, s.index(1));
  Value x = s.max(f64(s, 0), s.min(place, s.fromIndex(last, DataType::Double)));
  Value low =
      s.toIndex(s.cast(x, DataType::Double, DataType::Int64), DataType::Int64);
  result.at[0] = low;
  result.at[1] = s.min(s.add(low, s.index(1)), last);
  result.weight[1] = s.sub(x, s.fromIndex(low, DataType::Double));
  result.weight[0] = s.sub(f64(s, 1), result.weight[1]);
  return result;
}

/// The weighted elements around a place: their sum, or the greatest.
static Value roiSample(Scalars &s, const RoiMode &mode, const Tensor &x,
                       Value batch, Value channel, const Neighbours &row,
                       const Neighbours &column) {
  Value result;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 2; ++j) {
      Value element =
          Emitter::at(s, x, {batch, channel, row.at[i], column.at[j]});
      Value part = s.mul(s.mul(row.weight[i], column.weight[j]),
                         s.cast(element, x.type, DataType::Double));
      result = !result      ? part
               : mode.isMax ? s.max(result, part)
                            : s.add(result, part);
    }
  Value isInside = s.logicalAnd(row.isInside, column.isInside);
  return s.select(isInside, result, f64(s, 0));
}

Tensor mlir::symshape::onnx::foldBins(Emitter &e, const Tensor &init,
                                      ArrayRef<Expr> places,
                                      Emitter::Body body) {
  SmallVector<AffineExpr> loops;
  for (int64_t i = 0; i < 6; ++i)
    loops.push_back(e.builder().getAffineDimExpr(i));
  AffineMap maps[] = {
      AffineMap::get(6, 0, ArrayRef(loops).take_back(2), e.context()),
      AffineMap::get(6, 0, ArrayRef(loops).take_front(4), e.context())};
  Tensor bin{e.empty(places, init.type), SmallVector<Expr, 4>(places),
             init.type};
  return e.structured(bin, init, maps, {false, false, false, false, true, true},
                      body);
}

static LogicalResult roiAlign(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), rois = n.tensor(1), batches = n.tensor(2);
  if (x.rank() != 4 || rois.rank() != 2 || batches.rank() != 1 ||
      !isFloat(x.type) || !isFloat(rois.type) || !isInteger(batches.type))
    return n.fail("expected images of rank 4, regions of rank 2, and the batch "
                  "of each");
  StringRef pixels =
      n.textAttr("coordinate_transformation_mode",
                 n.opset() < 16 ? "output_half_pixel" : "half_pixel");
  RoiMode mode{n.textAttr("mode", "avg") == "max", pixels == "half_pixel",
               n.intAttr("sampling_ratio", 0), n.floatAttr("spatial_scale", 1)};
  e.require(Relation::eq(rois.dims[1], e.constant(4)),
            "a region must have four numbers");
  e.require(Relation::eq(rois.dims[0], batches.dims[0]),
            "there must be a batch for each region");
  rois = e.unary(rois, [](Scalars &s, Value v) {
    Value nothing = s.sub(v, v); // NaN unless v is finite
    Value isFinite = s.logicalNot(s.isNaN(nothing));
    s.requireNonzero(isFinite, DataType::Bool,
                     "a region must have finite numbers");
    return v;
  });
  SmallVector<Expr, 4> dims{rois.dims[0], x.dims[1],
                            e.constant(n.intAttr("output_height", 1)),
                            e.constant(n.intAttr("output_width", 1))};
  SmallVector<Expr, 2> samples;
  SmallVector<Value> extents, bins;
  for (int64_t axis = 0; axis < 2; ++axis) {
    e.require(Relation::ge(x.dims[axis + 2], e.constant(1)),
              "there is nothing to sample in an empty axis");
    extents.push_back(e.index(x.dims[axis + 2]));
    bins.push_back(e.index(dims[axis + 2]));
    samples.push_back(mostSamples(e, mode, rois, axis, bins[axis]));
  }
  double infinity = std::numeric_limits<double>::infinity();
  Tensor init = e.fill(dims, DataType::Double, mode.isMax ? -infinity : 0.0);
  auto regionOf = [&](Scalars &s, int64_t axis) {
    return roiAxis(s, mode, rois, s.loop(0), axis, bins[axis]);
  };
  Tensor folded =
      foldBins(e, init, samples, [&](Scalars &s, ArrayRef<Value> v) {
        Value isCounted = s.integer(s.b.getI1Type(), 1);
        Neighbours near[2];
        for (int64_t axis = 0; axis < 2; ++axis) {
          RoiAxis region = regionOf(s, axis);
          Value sample = s.loop(4 + axis);
          isCounted = s.logicalAnd(isCounted, s.less(sample, region.samples));
          auto real = [&](Value i) { return s.fromIndex(i, DataType::Double); };
          Value part = s.div(s.add(real(sample), f64(s, 0.5)),
                             real(s.max(region.samples, s.index(1))));
          Value place =
              s.add(region.start,
                    s.mul(s.add(real(s.loop(2 + axis)), part), region.bin));
          near[axis] = neighbours(s, place, extents[axis]);
        }
        Value batch =
            s.toIndex(Emitter::at(s, batches, s.loop(0)), batches.type);
        Value sample =
            roiSample(s, mode, x, batch, s.loop(1), near[0], near[1]);
        Value both = mode.isMax ? s.max(v[1], sample) : s.add(v[1], sample);
        return s.select(isCounted, both, v[1]);
      });
  return n.set(0, e.map(folded, x.type, [&](Scalars &s, ArrayRef<Value> v) {
    Value count = s.mul(regionOf(s, 0).samples, regionOf(s, 1).samples);
    Value some = s.fromIndex(s.max(count, s.index(1)), DataType::Double);
    Value value = mode.isMax ? v[0] : s.div(v[0], some);
    Value isEmpty = s.equal(count, s.index(0));
    return s.cast(s.select(isEmpty, f64(s, 0), value), DataType::Double,
                  x.type);
  }));
}

void mlir::symshape::onnx::addBoxOps(Registry &registry) {
  registry.add("NonMaxSuppression", 2, nonMaxSuppression);
  registry.add("RoiAlign", 3, roiAlign);
}
