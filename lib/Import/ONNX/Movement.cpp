//===- Movement.cpp - Elements at other places ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transposes, slices, concatenations, borders. Not for: places given by data
// (Gathering.cpp).
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

static LogicalResult transpose(Node &n) {
  Tensor x = n.tensor(0);
  SmallVector<int64_t, 4> permutation;
  if (auto given = n.intsAttr("perm")) {
    permutation = *given;
    for (int64_t &axis : permutation)
      if (auto counted = n.axis(axis, x.rank()))
        axis = *counted;
      else
        return failure();
    SmallVector<int64_t, 4> sorted(permutation);
    llvm::sort(sorted);
    for (int64_t i = 0; i < static_cast<int64_t>(sorted.size()); ++i)
      if (sorted[i] != i)
        return n.fail("expected a permutation of the axes");
    if (static_cast<int64_t>(permutation.size()) != x.rank())
      return n.fail("expected a permutation of the axes");
  } else {
    for (int64_t i = x.rank(); i > 0; --i)
      permutation.push_back(i - 1);
  }
  return n.set(0, n.emit().transpose(x, permutation));
}

static LogicalResult concat(Node &n) {
  int64_t listAxis = n.intAttr("axis", 0);
  bool isList = listAxis == 0 || listAxis == -1, isOpen = false;
  for (size_t i = 0; i < n.numInputs(); ++i) {
    bool isShort =
        n.has(i) && n.rank(i) == 1 && n.type(i) == n.type(0) &&
        (n.type(i) == DataType::Int64 || n.type(i) == DataType::Int32) &&
        (n.isKnownList(i) ||
         (n.operand(i).kind == Operand::IsTensor &&
          n.operand(i).tensor.dims[0].asInt64().value_or(65) <= 64));
    isList &= isShort;
    isOpen |= n.operand(i).kind == Operand::IsList;
  }
  if (isList && isOpen) {
    SmallVector<Expr, 4> all;
    llvm::SmallBitVector given;
    for (size_t i = 0; i < n.numInputs(); ++i) {
      auto part = n.ints(i);
      if (!part)
        return failure();
      llvm::append_range(all, *part);
      llvm::SmallBitVector own = n.givenInts(i, part->size());
      for (size_t k = 0; k < part->size(); ++k)
        given.push_back(own[k]);
    }
    return n.setList(0, all, false, n.type(0), given);
  }
  SmallVector<Tensor> parts;
  for (size_t i = 0; i < n.numInputs(); ++i)
    parts.push_back(n.tensor(i));
  auto axis = n.axisAttr("axis", 0, parts[0].rank());
  if (!axis)
    return failure();
  return n.set(0, n.emit().concat(parts, *axis));
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// The part of an axis that a slice takes, after the axis was reversed if the
/// step is negative.
struct Part {
  Expr offset, size;
  int64_t step;
  bool isReversed;
};
} // namespace

/// What exporters write for `to the end`.
static constexpr int64_t farAway = 100000000;

/// A position, counted from the end if it is negative, not yet clamped.
static Expr wrapPosition(Emitter &e, Expr at, Expr extent) {
  ExprArena &arena = e.arena();
  if (e.isNonNegative(at))
    return at;
  if (e.isProvably(Relation::lt(at, arena.zero())))
    return at + extent;
  Expr isNegative = arena.min(arena.max(-at, arena.zero()), arena.one());
  return at + extent * isNegative;
}

static Expr clampPosition(Emitter &e, Expr at, Expr low, Expr high) {
  return e.simplify(e.arena().max(low, e.arena().min(at, high)));
}

/// The place of a position that is clamped to [low, high]; far positions are
/// required to be beyond the ends.
static Expr place(Emitter &e, Expr at, Expr extent, Expr low, Expr high) {
  std::optional<int64_t> value = at.asInt64();
  if (value && (*value >= farAway || *value <= -farAway)) {
    // No axis is longer than the largest number, which most exporters write.
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    int64_t reach = *value > 0 ? *value : -(*value + 1);
    if (reach < most - 1)
      e.require(Relation::le(extent, e.constant(reach)),
                "a slice to the end must reach it");
    return *value > 0 ? high : low;
  }
  return clampPosition(e, wrapPosition(e, at, extent), low, high);
}

static Part findPart(Emitter &e, Expr extent, Expr start, Expr end,
                     int64_t step) {
  ExprArena &arena = e.arena();
  Expr zero = arena.zero(), last = extent - 1;
  Expr begin, stop;
  if (step > 0) {
    begin = place(e, start, extent, zero, extent);
    stop = place(e, end, extent, zero, extent);
  } else {
    // On the reversed axis, i becomes extent - 1 - i. On an empty axis, the
    // last place is -1.
    begin = arena.max(zero, last - place(e, start, extent, zero, last));
    stop = last - place(e, end, extent, e.constant(-1), last);
  }
  int64_t stride = step > 0 ? step : -step;
  Expr size = arena.max(zero, arena.ceilDiv(stop - begin, e.constant(stride)));
  return {e.simplify(begin), e.simplify(size), stride, step < 0};
}

/// Reads the optional operand `i`, if present, in place of `values`.
static LogicalResult readIfGiven(Node &n, size_t i,
                                 SmallVector<int64_t, 4> &values) {
  if (!n.has(i))
    return success();
  auto given = n.neededInts(i);
  if (!given)
    return failure();
  values = std::move(*given);
  return success();
}

static LogicalResult slice(Node &n) {
  Emitter &e = n.emit();
  auto starts = n.ints(1), ends = n.ints(2);
  if (!starts || !ends)
    return failure();
  int64_t rank = n.rank(0);
  SmallVector<int64_t, 4> axes, steps(starts->size(), 1);
  for (size_t i = 0; i < starts->size(); ++i)
    axes.push_back(i);
  if (failed(readIfGiven(n, 3, axes)) || failed(readIfGiven(n, 4, steps)))
    return failure();
  if (ends->size() != starts->size() || axes.size() != starts->size() ||
      steps.size() != starts->size() || llvm::is_contained(steps, 0))
    return n.fail("expected as many starts as ends, axes and steps, none of "
                  "which is 0");
  if (!n.axes(axes, rank))
    return failure();
  Tensor x = n.tensor(0);
  SmallVector<Expr, 4> offsets(rank, e.constant(0)), sizes(x.dims);
  SmallVector<int64_t, 4> strides(rank, 1), reversed;
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t axis = *n.axis(axes[i], rank);
    Part part = findPart(e, x.dims[axis], (*starts)[i], (*ends)[i], steps[i]);
    offsets[axis] = part.offset;
    sizes[axis] = part.size;
    strides[axis] = part.step;
    if (part.isReversed)
      reversed.push_back(axis);
  }
  return n.set(0, e.slice(e.reverse(x, reversed), offsets, sizes, strides));
}

/// As many as fit in each part; the last ones take the rest. Each extent is an
/// expression of its own, not one of those before.
static LogicalResult splitEvenly(Node &n, const Tensor &x, int64_t axis) {
  Emitter &e = n.emit();
  ExprArena &arena = e.arena();
  Expr extent = x.dims[axis], count = e.constant(n.numOutputs());
  bool isExact = n.opset() < 18;
  Expr size = arena.ceilDiv(extent, count);
  if (isExact) {
    e.require(Relation::divides(count, extent),
              "the axis must split into equal parts");
    size = e.divideExactly(extent, count);
  }
  for (size_t i = 0; i < n.numOutputs(); ++i) {
    Expr offset = size * static_cast<int64_t>(i), part = size;
    if (!isExact) {
      offset = e.simplify(arena.min(offset, extent));
      bool isLast = i + 1 == n.numOutputs();
      part = isLast ? extent - offset : arena.min(size, extent - offset);
    }
    if (failed(n.set(i, e.slice(x, axis, offset, e.simplify(part)))))
      return failure();
  }
  return success();
}

static LogicalResult split(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  auto axis = n.axisAttr("axis", 0, x.rank());
  if (!axis)
    return failure();
  int64_t count = n.numOutputs();
  if (int64_t asked = n.intAttr("num_outputs", count);
      asked != count || (n.has(1) && n.attribute("num_outputs")))
    return n.fail("expected sizes, or num_outputs to be the number of outputs");
  if (n.opset() >= 18 && !n.has(1) && !n.attribute("num_outputs"))
    return n.fail("expected sizes in 'split', or num_outputs");
  if (!n.has(1))
    return splitEvenly(n, x, *axis);
  std::optional<SmallVector<Expr, 4>> sizes;
  if (isFloat(n.type(1))) { // of opset 1
    if (auto numbers = n.neededNumbers(1))
      sizes = llvm::map_to_vector<4>(
          *numbers, [&](double size) { return e.constant(size); });
  } else {
    sizes = n.partSizes(1, x.dims[*axis]);
  }
  if (!sizes)
    return failure();
  if (static_cast<int64_t>(sizes->size()) != count)
    return n.fail("expected one size for each output");
  for (auto [i, part] : llvm::enumerate(e.split(x, *axis, *sizes)))
    if (failed(n.set(i, part)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Borders
//===----------------------------------------------------------------------===//

/// The source coordinate that a padded one shows, by mode; `i` counts from the
/// first element of the source.
static Value mirror(Scalars &s, StringRef mode, Value i, Value extent) {
  Value zero = s.index(0), one = s.index(1), last = s.sub(extent, one);
  if (mode == "edge")
    return s.max(zero, s.min(i, last));
  if (mode == "wrap") {
    Value rest = s.create<arith::RemSIOp>(i, s.max(extent, one));
    return s.select(s.less(rest, zero), s.add(rest, extent), rest);
  }
  // Reflected at the ends as often as it takes.
  Value period = s.max(s.mul(last, s.index(2)), one);
  Value rest = s.create<arith::RemSIOp>(i, period);
  rest = s.select(s.less(rest, zero), s.add(rest, period), rest);
  Value mirrored = s.sub(s.mul(last, s.index(2)), rest);
  return s.select(s.less(last, rest), mirrored, rest);
}

/// What negative amounts leave; the amounts become those that are not.
static Tensor crop(Emitter &e, const Tensor &x, MutableArrayRef<Expr> low,
                   MutableArrayRef<Expr> high) {
  SmallVector<Expr, 4> offsets, sizes;
  bool isCropped = false;
  for (auto [dim, l, h] : llvm::zip(x.dims, low, high)) {
    Expr zero = e.constant(0), front = zero, back = zero;
    for (auto [amount, cut] : {std::pair(&l, &front), std::pair(&h, &back)}) {
      if (e.isNonNegative(*amount))
        continue;
      *cut = e.simplify(e.arena().max(-*amount, zero));
      *amount = e.simplify(e.arena().max(*amount, zero));
      isCropped = true;
    }
    offsets.push_back(front);
    sizes.push_back(dim - front - back);
  }
  return isCropped
             ? e.slice(x, offsets, sizes, SmallVector<int64_t>(x.rank(), 1))
             : x;
}

static LogicalResult padByMode(Node &n, const Tensor &whole, StringRef mode,
                               MutableArrayRef<Expr> low,
                               MutableArrayRef<Expr> high) {
  if (mode != "reflect" && mode != "edge" && mode != "wrap")
    return n.fail("expected a mode of Pad, but got '" + mode + "'");
  Emitter &e = n.emit();
  Tensor x = crop(e, whole, low, high);
  SmallVector<Expr, 4> dims;
  SmallVector<Value> before, extents;
  for (auto [dim, l, h] : llvm::zip(x.dims, low, high)) {
    dims.push_back(dim + l + h);
    before.push_back(e.index(l));
    extents.push_back(e.index(dim));
    bool isPadded = !l.isConstant(0) || !h.isConstant(0);
    if (!isPadded || e.isProvably(Relation::ge(dim, e.constant(1))))
      continue;
    // An empty axis may stay as it is.
    Expr some = dim, added = l + h;
    if (!added.isConstant())
      some = e.arena().max(dim, e.constant(1) - added);
    e.require(Relation::ge(some, e.constant(1)),
              "there is nothing to repeat in an empty axis");
  }
  return n.set(0, e.generate(dims, x.type, [&](Scalars &s, ArrayRef<Value> at) {
    SmallVector<Value> from;
    for (size_t i = 0; i < at.size(); ++i)
      from.push_back(
          low[i].isConstant(0) && high[i].isConstant(0)
              ? at[i]
              : mirror(s, mode, s.sub(at[i], before[i]), extents[i]));
    return Emitter::at(s, x, from);
  }));
}

static LogicalResult pad(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  auto amounts = n.ints(1);
  if (!amounts)
    return failure();
  SmallVector<int64_t, 4> axes;
  for (int64_t i = 0; i < x.rank(); ++i)
    axes.push_back(i);
  if (failed(readIfGiven(n, 3, axes)))
    return failure();
  if (amounts->size() != 2 * axes.size() || !n.axes(axes, x.rank()))
    return n.fail("expected two amounts for each axis");
  SmallVector<Expr, 4> low(x.rank(), e.constant(0)), high(low);
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t axis = *n.axis(axes[i], x.rank());
    low[axis] = (*amounts)[i];
    high[axis] = (*amounts)[axes.size() + i];
  }
  StringRef mode = n.textAttr("mode", "constant");
  if (mode != "constant")
    return padByMode(n, x, mode, low, high);
  Scalars s(e.builder(), e.loc());
  Value value = s.number(elementType(e.context(), x.type), 0);
  if (n.has(2)) {
    Value given = n.oneElement(2);
    if (!given)
      return failure();
    value = s.cast(given, n.type(2), x.type);
  }
  return n.set(0, e.pad(x, value, low, high));
}

/// How often each axis is repeated; before opset 6, one of them. Nullopt after
/// an error.
static std::optional<SmallVector<Expr, 4>> readRepeats(Node &n, int64_t rank) {
  if (n.opset() >= 6)
    return n.ints(1);
  auto times = n.neededNumbers(1), axis = n.neededNumbers(2);
  if (!times || !axis)
    return std::nullopt;
  if (times->size() != 1 || axis->size() != 1 || axis->front() < 0 ||
      axis->front() >= rank) {
    (void)n.fail("expected one number of repetitions, and an axis");
    return std::nullopt;
  }
  SmallVector<Expr, 4> repeats(rank, n.emit().constant(1));
  repeats[axis->front()] = n.emit().constant(times->front());
  return repeats;
}

static LogicalResult repeat(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  auto repeats = readRepeats(n, x.rank());
  if (!repeats)
    return failure();
  if (static_cast<int64_t>(repeats->size()) != x.rank())
    return n.fail("expected one number of repetitions for each axis");
  for (Expr times : *repeats)
    e.require(Relation::ge(times, e.constant(0)),
              "a number of repetitions must not be negative");
  SmallVector<Expr, 4> dims;
  SmallVector<Value> extents;
  for (auto [dim, times] : llvm::zip(x.dims, *repeats)) {
    dims.push_back(dim * times);
    extents.push_back(e.index(dim));
  }
  return n.set(0, e.generate(dims, x.type, [&](Scalars &s, ArrayRef<Value> at) {
    SmallVector<Value> from;
    for (size_t i = 0; i < at.size(); ++i)
      from.push_back(
          (*repeats)[i].isConstant(1)
              ? at[i]
              : s.create<arith::RemUIOp>(at[i], s.max(extents[i], s.index(1))));
    return Emitter::at(s, x, from);
  }));
}

//===----------------------------------------------------------------------===//
// Blocks and triangles
//===----------------------------------------------------------------------===//

static LogicalResult depthToSpace(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  int64_t block = n.intAttr("blocksize", 0);
  if (x.rank() != 4 || block < 1)
    return n.fail("expected rank 4 and a block size from 1");
  Expr size = e.constant(block), square = e.constant(block * block);
  // The reshape accepts any number of channels if there are no elements.
  e.require(Relation::divides(square, x.dims[1]),
            "each block needs as many channels as it has elements");
  Expr c = e.divideExactly(x.dims[1], square), h = x.dims[2], w = x.dims[3];
  bool isCrd = n.textAttr("mode", "DCR") == "CRD";
  SmallVector<Expr, 6> parts, dims{x.dims[0], c, h * size, w * size};
  if (isCrd)
    parts = {x.dims[0], c, size, size, h, w};
  else
    parts = {x.dims[0], size, size, c, h, w};
  Tensor apart = e.reshape(x, parts);
  Tensor moved = isCrd ? e.transpose(apart, {0, 1, 4, 2, 5, 3})
                       : e.transpose(apart, {0, 3, 4, 1, 5, 2});
  return n.set(0, e.reshape(moved, dims));
}

static LogicalResult spaceToDepth(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  int64_t block = n.intAttr("blocksize", 0);
  if (x.rank() != 4 || block < 1)
    return n.fail("expected rank 4 and a block size from 1");
  Expr size = e.constant(block);
  for (Expr extent : {x.dims[2], x.dims[3]})
    e.require(Relation::divides(size, extent), "blocks are whole");
  Expr h = e.divideExactly(x.dims[2], size),
       w = e.divideExactly(x.dims[3], size);
  Tensor apart = e.reshape(x, {x.dims[0], x.dims[1], h, size, w, size});
  bool isCrd = n.textAttr("mode", "DCR") == "CRD"; // since opset 28
  Tensor moved = isCrd ? e.transpose(apart, {0, 1, 3, 5, 2, 4})
                       : e.transpose(apart, {0, 3, 5, 1, 2, 4});
  return n.set(
      0, e.reshape(moved, {x.dims[0], x.dims[1] * (block * block), h, w}));
}

static LogicalResult trilu(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  if (x.rank() < 2)
    return n.fail("expected rank 2 or more");
  Expr diagonals = n.has(1) ? n.oneInt(1) : e.constant(0);
  if (!diagonals)
    return failure();
  Value k = e.index(diagonals);
  bool upper = n.intAttr("upper", 1);
  int64_t rank = x.rank();
  return n.set(0, e.map(x, x.type, [&](Scalars &s, ArrayRef<Value> v) {
    Value diagonal = s.sub(s.loop(rank - 1), s.loop(rank - 2));
    Value keeps =
        upper ? s.lessOrEqual(k, diagonal) : s.lessOrEqual(diagonal, k);
    return s.select(keeps, v[0], s.number(v[0].getType(), 0));
  }));
}

void mlir::symshape::onnx::addMovementOps(Registry &registry) {
  registry.add("Transpose", 1, transpose);
  registry.add("Concat", 1, concat);
  registry.add("Slice", 3, slice);
  registry.add("Split", 1, split);
  registry.add("Pad", 2, pad);
  registry.add("Tile", 2, repeat);
  registry.add("DepthToSpace", 1, depthToSpace);
  registry.add("SpaceToDepth", 1, spaceToDepth);
  registry.add("Trilu", 1, trilu);
}
