//===- RegionPools.cpp - Pools of regions of images -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MaxRoiPool: the greatest element of each bin of a region. Not for: RoiAlign,
// which reads between pixels (Boxes.cpp).
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "Families.h"
#include "Ordering.h"
#include "Reductions.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
/// The elements of a bin along an axis, within the image.
struct Bin {
  Value begin, size;
};
} // namespace

/// Ends of regions are rounded to pixels, of which the last belongs to the
/// region. Bins next to each other may share one. `region` is a row of `rois`.
static Bin poolBin(Scalars &s, const Tensor &rois, Value region, double scale,
                   int64_t axis, Value bin, Value bins, Value extent) {
  auto whole = [&](Value x) {
    return s.toIndex(s.cast(x, DataType::Double, DataType::Int64),
                     DataType::Int64);
  };
  auto corner = [&](int64_t column) {
    Value x = Emitter::at(s, rois, {region, s.index(column)});
    x = s.mul(s.cast(x, rois.type, DataType::Double), f64(s, scale));
    return whole(s.create<math::RoundOp>(x));
  };
  // Columns: the batch, then x and y of the first and of the last corner.
  Value first = corner(2 - axis), last = corner(4 - axis);
  Value one = s.index(1), zero = s.index(0);
  Value pixels = s.max(s.add(s.sub(last, first), one), one);
  // Of integers: floor(bin * pixels / bins), and the end rounded up.
  Value begin = s.create<arith::FloorDivSIOp>(s.mul(bin, pixels), bins);
  Value end =
      s.create<arith::CeilDivSIOp>(s.mul(s.add(bin, one), pixels), bins);
  auto inImage = [&](Value place) {
    return s.min(s.max(s.add(place, first), zero), extent);
  };
  begin = inImage(begin);
  return {begin, s.sub(inImage(end), begin)};
}

static LogicalResult maxRoiPool(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), rois = n.tensor(1);
  auto shape = n.intsAttr("pooled_shape");
  if (x.rank() != 4 || rois.rank() != 2 || !isFloat(x.type) ||
      !isFloat(rois.type))
    return n.fail("expected images of rank 4 and regions of rank 2, of floats");
  if (!shape || shape->size() != 2 ||
      llvm::any_of(*shape, [](int64_t extent) { return extent < 1; }))
    return n.fail("expected 'pooled_shape' to be 2 numbers from 1");
  double scale = n.floatAttr("spatial_scale", 1);
  if (!(std::abs(scale) <= 1 << 20))
    return n.fail("expected 'spatial_scale' to be a number of at most 2^20");
  e.require(Relation::eq(rois.dims[1], e.constant(5)),
            "a region must have a batch and four numbers");
  rois = e.unary(rois, [&](Scalars &s, Value v) {
    Value size = s.create<math::AbsFOp>(s.cast(v, rois.type, DataType::Double));
    Value isSmall = s.lessOrEqual(size, f64(s, 1 << 20)); // NaN is not
    s.requireNonzero(isSmall, DataType::Bool,
                     "a region must have numbers of at most 2^20");
    return v;
  });
  SmallVector<Expr, 4> dims{rois.dims[0], x.dims[1], e.constant((*shape)[0]),
                            e.constant((*shape)[1])};
  SmallVector<Value> extents, bins;
  SmallVector<Expr, 2> most;
  Scalars outside(e.builder(), e.loc());
  auto binOf = [&](Scalars &s, int64_t axis, Value region, Value bin) {
    return poolBin(s, rois, region, scale, axis, bin, bins[axis],
                   extents[axis]);
  };
  for (int64_t axis = 0; axis < 2; ++axis) {
    extents.push_back(e.index(x.dims[axis + 2]));
    bins.push_back(e.index(dims[axis + 2]));
    Tensor sizes = e.generate({dims[0], dims[axis + 2]}, DataType::Int64,
                              [&](Scalars &s, ArrayRef<Value> at) {
                                Bin bin = binOf(s, axis, at[0], at[1]);
                                return s.fromIndex(bin.size, DataType::Int64);
                              });
    Tensor greatest = e.reduce(
        sizes, {0, 1}, false, DataType::Int64, 0,
        [](Scalars &s, ArrayRef<Value> v) { return s.max(v[0], v[1]); });
    Value count = outside.toIndex(e.extract(greatest, {}), DataType::Int64);
    most.push_back(e.bind(count, "_v"));
  }
  Value least = leastOf(outside, x.type, false);
  Tensor folded = foldBins(
      e, e.fill(dims, x.type, least), most, [&](Scalars &s, ArrayRef<Value> v) {
        Value isInside = s.integer(s.b.getI1Type(), 1), zero = s.index(0);
        SmallVector<Value> place;
        for (int64_t axis = 0; axis < 2; ++axis) {
          Bin bin = binOf(s, axis, s.loop(0), s.loop(2 + axis));
          Value at = s.loop(4 + axis);
          isInside = s.logicalAnd(isInside, s.less(at, bin.size));
          // Elements behind the bin are read somewhere, and not used.
          Value last = s.sub(extents[axis], s.index(1));
          place.push_back(s.max(s.min(s.add(bin.begin, at), last), zero));
        }
        Value batch = Emitter::at(s, rois, {s.loop(0), zero});
        batch = s.toIndex(s.cast(batch, rois.type, DataType::Int64),
                          DataType::Int64);
        Value element =
            Emitter::at(s, x, {batch, s.loop(1), place[0], place[1]});
        return s.select(isInside, s.max(v[1], element), v[1]);
      });
  return n.set(0, e.generate(dims, x.type, [&](Scalars &s, ArrayRef<Value> at) {
    Value empty = s.integer(s.b.getI1Type(), 0);
    for (int64_t axis = 0; axis < 2; ++axis) {
      Bin bin = binOf(s, axis, at[0], at[2 + axis]);
      empty = s.logicalOr(empty, s.equal(bin.size, s.index(0)));
    }
    Value value = Emitter::at(s, folded, at);
    return s.select(empty, s.number(value.getType(), 0), value);
  }));
}

void mlir::symshape::onnx::addRegionPoolOps(Registry &registry) {
  registry.add("MaxRoiPool", 2, maxRoiPool);
}
