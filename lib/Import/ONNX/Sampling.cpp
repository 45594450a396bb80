//===- Sampling.cpp - Elements at places between elements -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements at places that are computed in floats.
//
//===----------------------------------------------------------------------===//

#include "Sampling.h"
#include "Families.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

//===----------------------------------------------------------------------===//
// GridSample
//===----------------------------------------------------------------------===//

/// v mirrored at low and high as often as it takes.
static Value reflect(Scalars &s, Value v, Value low, Value high) {
  Value range = s.sub(high, low);
  Value isEmpty = s.lessOrEqual(range, f64(s, 0));
  Value safe = s.select(isEmpty, f64(s, 1), range);
  Value isBelow = s.less(v, low);
  Value distance =
      s.select(isBelow, s.sub(low, v), s.max(s.sub(v, high), f64(s, 0)));
  Value times = s.create<math::FloorOp>(s.div(distance, safe));
  Value rest = s.sub(distance, s.mul(times, safe));
  Value halves = s.mul(times, f64(s, 0.5));
  Value isEven = s.equal(s.create<math::FloorOp>(halves), halves);
  Value up = s.add(low, rest), down = s.sub(high, rest);
  Value mirrored =
      s.select(isBelow, s.select(isEven, up, down), s.select(isEven, down, up));
  Value isOutside = s.logicalOr(isBelow, s.less(high, v));
  return s.select(isEmpty, low, s.select(isOutside, mirrored, v));
}

static Value cubicWeight(Scalars &s, Value distance) {
  constexpr double a = -0.75;
  Value t = s.create<math::AbsFOp>(distance);
  Value t2 = s.mul(t, t), t3 = s.mul(t2, t);
  Value inner = s.add(s.sub(s.mul(f64(s, a + 2), t3), s.mul(f64(s, a + 3), t2)),
                      f64(s, 1));
  Value outer =
      s.sub(s.add(s.sub(s.mul(f64(s, a), t3), s.mul(f64(s, 5 * a), t2)),
                  s.mul(f64(s, 8 * a), t)),
            f64(s, 4 * a));
  Value result = s.select(s.lessOrEqual(t, f64(s, 1)), inner, outer);
  return s.select(s.less(t, f64(s, 2)), result, f64(s, 0));
}

SmallVector<Tap> mlir::symshape::onnx::findTaps(Scalars &s,
                                                const SampleMode &mode,
                                                Value at, Value extent) {
  Value size = toF64(s, extent), one = f64(s, 1), last = s.sub(size, one);
  Value low = f64(s, mode.corners ? 0 : -0.5);
  Value high = mode.corners ? last : s.sub(size, f64(s, 0.5));
  if (mode.kind == "nearest")
    at = s.create<math::RoundEvenOp>(at);
  // After this, only a window of neighbours can leave the border. A cubic one
  // is moved as a whole by reflection alone, as in PyTorch and ONNX Runtime.
  if (mode.outside == "border" && mode.kind != "cubic")
    at = s.max(f64(s, 0), s.min(at, last));
  else if (mode.outside == "reflection")
    at = reflect(s, at, low, high);
  Value base = s.create<math::FloorOp>(at);
  int64_t from = mode.kind == "cubic" ? -1 : 0;
  int64_t to = mode.kind == "cubic" ? 2 : mode.kind == "linear" ? 1 : 0;
  SmallVector<Tap> taps;
  for (int64_t k = from; k <= to; ++k) {
    Value position = s.add(base, f64(s, k));
    // Not from the position, which is that of all far away.
    Value distance = s.sub(s.sub(at, base), f64(s, k));
    Value weight = one;
    if (mode.kind == "linear")
      weight = s.sub(one, s.create<math::AbsFOp>(distance));
    else if (mode.kind == "cubic")
      weight = cubicWeight(s, distance);
    if (mode.outside == "reflection")
      position = reflect(s, position, low, high);
    Value i = s.toIndex(s.cast(position, DataType::Double, DataType::Int64),
                        DataType::Int64);
    Value zero = s.index(0), end = s.sub(extent, s.index(1));
    Value inside = s.logicalAnd(s.lessOrEqual(zero, i), s.lessOrEqual(i, end));
    taps.push_back({s.max(zero, s.min(i, end)), weight, inside});
  }
  return taps;
}

static Value sumFrom(Scalars &s, const Tensor &x, const SampleMode &mode,
                     ArrayRef<SmallVector<Tap>> axes,
                     SmallVectorImpl<Value> &at, Value weight, Value inside) {
  if (axes.empty()) {
    Value element = s.cast(Emitter::at(s, x, at), x.type, DataType::Double);
    if (mode.outside == "zeros")
      element = s.select(inside, element, f64(s, 0));
    return s.mul(weight, element);
  }
  Value sum = f64(s, 0);
  for (const Tap &tap : axes.front()) {
    at.push_back(tap.index);
    sum = s.add(sum, sumFrom(s, x, mode, axes.drop_front(), at,
                             s.mul(weight, tap.weight),
                             s.logicalAnd(inside, tap.inside)));
    at.pop_back();
  }
  return sum;
}

Value mlir::symshape::onnx::sumTaps(Scalars &s, const Tensor &x,
                                    const SampleMode &mode,
                                    ArrayRef<SmallVector<Tap>> axes,
                                    ArrayRef<Value> at) {
  SmallVector<Value> place(at);
  return sumFrom(s, x, mode, axes, place, f64(s, 1),
                 s.integer(s.b.getI1Type(), 1));
}

/// The coordinate along an axis of `extent` of a place in [-1, 1].
static Value toCoordinate(Scalars &s, const SampleMode &mode, Value place,
                          Value extent) {
  Value size = toF64(s, extent), one = f64(s, 1), two = f64(s, 2);
  Value shifted = s.add(place, one);
  return mode.corners ? s.mul(s.div(shifted, two), s.sub(size, one))
                      : s.div(s.sub(s.mul(shifted, size), one), two);
}

static LogicalResult gridSample(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), grid = n.tensor(1);
  StringRef kind = n.textAttr("mode", "linear");
  kind = kind == "bilinear" ? "linear" : kind == "bicubic" ? "cubic" : kind;
  SampleMode mode{kind, n.textAttr("padding_mode", "zeros"),
                  n.intAttr("align_corners", 0) != 0};
  int64_t spatial = x.rank() - 2;
  if (spatial < 1 || spatial > 3 || grid.rank() != x.rank() ||
      !isFloat(grid.type))
    return n.fail("expected an input and a grid of floats of rank 3 to 5");
  if (kind != "linear" && kind != "nearest" && kind != "cubic")
    return n.fail("expected a known mode, but got '" + kind + "'");
  e.require(Relation::eq(grid.dims.back(), e.constant(spatial)),
            "a place of the grid must have a number for each axis");
  e.require(Relation::eq(grid.dims[0], x.dims[0]), "batches must be equal");
  SmallVector<Expr, 5> dims{x.dims[0], x.dims[1]};
  SmallVector<Value> extents;
  for (int64_t i = 0; i < spatial; ++i) {
    dims.push_back(grid.dims[i + 1]);
    extents.push_back(e.index(x.dims[i + 2]));
    e.require(Relation::ge(x.dims[i + 2], e.constant(1)),
              "there is nothing to sample in an empty axis");
  }
  return n.set(0, e.generate(dims, x.type, [&](Scalars &s, ArrayRef<Value> at) {
    SmallVector<SmallVector<Tap>> taps;
    for (int64_t i = 0; i < spatial; ++i) {
      // The numbers of a place are in the reverse order of the axes.
      SmallVector<Value> where{at[0]};
      llvm::append_range(where, at.drop_front(2));
      where.push_back(s.index(spatial - 1 - i));
      Value place =
          s.cast(Emitter::at(s, grid, where), grid.type, DataType::Double);
      Value at = toCoordinate(s, mode, place, extents[i]);
      taps.push_back(findTaps(s, mode, at, extents[i]));
    }
    if (mode.kind != "nearest")
      return s.cast(sumTaps(s, x, mode, taps, at.take_front(2)),
                    DataType::Double, x.type);
    SmallVector<Value> from(at.take_front(2));
    Value inside = s.integer(s.b.getI1Type(), 1);
    for (const SmallVector<Tap> &tap : taps) {
      from.push_back(tap.front().index);
      inside = s.logicalAnd(inside, tap.front().inside);
    }
    Value element = Emitter::at(s, x, from);
    return mode.outside == "zeros"
               ? s.select(inside, element, s.number(element.getType(), 0))
               : element;
  }));
}

//===----------------------------------------------------------------------===//
// AffineGrid, CenterCropPad, BitCast
//===----------------------------------------------------------------------===//

static LogicalResult affineGrid(Node &n) {
  Emitter &e = n.emit();
  Tensor theta = n.tensor(0);
  auto size = n.ints(1);
  if (!size)
    return failure();
  int64_t spatial = static_cast<int64_t>(size->size()) - 2;
  if (theta.rank() != 3 || spatial < 2 || spatial > 3)
    return n.fail("expected matrices, and the size of an image");
  bool corners = n.intAttr("align_corners", 0);
  Expr rows = e.constant(spatial);
  Expr extentsOfTheta[] = {(*size)[0], rows, rows + 1};
  for (auto [own, wanted] : llvm::zip_equal(theta.dims, extentsOfTheta))
    e.require(Relation::eq(own, wanted),
              "there is one matrix for each image, of a column more than rows");
  SmallVector<Expr, 5> dims{(*size)[0]};
  SmallVector<Value> extents;
  for (int64_t i = 0; i < spatial; ++i) {
    dims.push_back((*size)[i + 2]);
    extents.push_back(e.index((*size)[i + 2]));
  }
  dims.push_back(e.constant(spatial));
  return n.set(
      0, e.generate(dims, theta.type, [&](Scalars &s, ArrayRef<Value> at) {
        auto entry = [&](Value column) {
          return s.cast(Emitter::at(s, theta, {at[0], at.back(), column}),
                        theta.type, DataType::Double);
        };
        Value sum = entry(s.index(spatial));
        for (int64_t i = 0; i < spatial; ++i) {
          // From -1 to 1, in the middle of pixels unless corners align.
          Value length = toF64(s, extents[i]), one = f64(s, 1);
          Value place = toF64(s, at[1 + i]);
          Value twice = s.mul(place, f64(s, 2));
          Value steps = s.sub(length, one);
          Value safe = s.select(s.equal(steps, f64(s, 0)), one, steps);
          Value coordinate = corners
                                 ? s.sub(s.div(twice, safe), one)
                                 : s.sub(s.div(s.add(twice, one), length), one);
          sum = s.add(sum, s.mul(coordinate, entry(s.index(spatial - 1 - i))));
        }
        return s.cast(sum, DataType::Double, theta.type);
      }));
}

static LogicalResult centerCropPad(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  auto wanted = n.ints(1);
  if (!wanted)
    return failure();
  SmallVector<int64_t, 4> axes;
  for (int64_t i = 0; i < x.rank(); ++i)
    axes.push_back(i);
  if (auto given = n.intsAttr("axes"))
    axes = *given;
  if (axes.size() != wanted->size())
    return n.fail("expected an extent for each axis");
  if (!n.axes(axes, x.rank()))
    return failure();
  ExprArena &arena = e.arena();
  SmallVector<Expr, 4> low(x.rank(), e.constant(0)), high(low);
  for (auto [given, to] : llvm::zip(axes, *wanted)) {
    auto axis = n.axis(given, x.rank());
    if (!axis)
      return failure();
    e.require(Relation::ge(to, e.constant(0)),
              "an extent must not be negative");
    // An odd element is padded, or cropped, at the end.
    Expr from = x.dims[*axis], two = e.constant(2), zero = e.constant(0);
    Expr padded = arena.floorDiv(arena.max(to - from, zero), two);
    Expr cropped = arena.floorDiv(arena.max(from - to, zero), two);
    low[*axis] = e.simplify(padded - cropped);
    high[*axis] = to - from - low[*axis];
  }
  Scalars s(e.builder(), e.loc());
  Value zero = s.number(elementType(e.context(), x.type), 0);
  return n.set(0, e.pad(x, zero, low, high));
}

static LogicalResult bitCast(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  DataType type = static_cast<DataType>(n.intAttr("to", 0));
  if (!elementType(e.context(), type) || bytesOf(type) != bytesOf(x.type))
    return n.fail("expected types of one width, but got " + nameOf(x.type) +
                  " and " + nameOf(type));
  if (type == DataType::Bool || x.type == DataType::Bool) // a byte of 0 or 1
    return n.set(0, e.cast(x, type));
  return n.set(0, e.map(x, type, [&](Scalars &s, ArrayRef<Value> v) {
    Type element = elementType(e.context(), type);
    return element == v[0].getType()
               ? v[0]
               : s.create<arith::BitcastOp>(element, v[0]);
  }));
}

void mlir::symshape::onnx::addSamplingOps(Registry &registry) {
  registry.add("GridSample", 2, gridSample);
  registry.add("AffineGrid", 2, affineGrid);
  registry.add("CenterCropPad", 2, centerCropPad);
  registry.add("BitCast", 1, bitCast);
}
