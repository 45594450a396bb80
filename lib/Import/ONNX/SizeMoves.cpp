//===- SizeMoves.cpp - Sizes that are moved and folded --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that take elements of small tensors to other places, or fold them along
// axes, where all places are constants. A node that ONNX does not allow is left
// to its definition, which refuses it. Not for: arithmetic (Lists.cpp).
//
//===----------------------------------------------------------------------===//

#include "SizeMoves.h"
#include "SizePlaces.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/StringSwitch.h"
#include <numeric>

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// The same numbers in another shape.
static std::optional<Sizes> reshaped(const Sizes &x, Ints shape) {
  if (shape.size() > largestRank || x.numbers.empty() ||
      computeProduct(shape) != static_cast<int64_t>(x.numbers.size()))
    return std::nullopt;
  return Sizes{shape, x.numbers};
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static std::optional<Sizes> reshape(Node &n, const Sizes &x) {
  auto wanted = readConstants(n, 1);
  if (!wanted || n.rank(1) != 1)
    return std::nullopt;
  llvm::SmallBitVector given = n.givenInts(1, wanted->size());
  std::optional<size_t> open;
  int64_t known = 1, count = x.numbers.size();
  for (auto [i, extent] : llvm::enumerate(*wanted)) {
    // A computed 0 stands for itself (Shapes.cpp).
    if (extent == 0 && given[i] && !n.intAttr("allowzero", 0) &&
        i < x.shape.size())
      extent = x.shape[i];
    if (extent == -1 && !open)
      open = i;
    else if (extent < 1 || extent > mostNumbers || known > mostNumbers)
      return std::nullopt;
    else
      known *= extent;
  }
  if (open)
    (*wanted)[*open] = count / known;
  return reshaped(x, *wanted);
}

static std::optional<Sizes> flatten(Node &n, const Sizes &x) {
  int64_t axis = n.intAttr("axis", 1), rank = x.shape.size();
  if (axis < -rank || axis > rank)
    return std::nullopt;
  ArrayRef<int64_t> shape = x.shape;
  axis = axis < 0 ? axis + rank : axis;
  return reshaped(x, {computeProduct(shape.take_front(axis)),
                      computeProduct(shape.drop_front(axis))});
}

static std::optional<Sizes> squeeze(Node &n, const Sizes &x) {
  Ints given;
  if (n.has(1)) {
    auto values = readConstants(n, 1);
    if (!values)
      return std::nullopt;
    given = *values;
  } else {
    for (auto [i, extent] : llvm::enumerate(x.shape))
      if (extent == 1)
        given.push_back(i);
  }
  auto axes = toAxes(given, x.shape.size());
  Ints shape;
  for (auto [i, extent] : llvm::enumerate(x.shape))
    if (!axes || !axes->test(i))
      shape.push_back(extent);
    else if (extent != 1)
      return std::nullopt;
  return axes ? reshaped(x, shape) : std::nullopt;
}

static std::optional<Sizes> unsqueeze(Node &n, const Sizes &x) {
  auto given = readConstants(n, 1);
  auto axes = given ? toAxes(*given, x.shape.size() + given->size())
                    : std::optional<llvm::SmallBitVector>();
  if (!axes)
    return std::nullopt;
  Ints shape;
  const int64_t *next = x.shape.begin();
  for (size_t i = 0; i < axes->size(); ++i)
    shape.push_back(axes->test(i) ? 1 : *next++);
  return reshaped(x, shape);
}

static std::optional<Sizes> transpose(Node &n, const Sizes &x) {
  int64_t rank = x.shape.size();
  Ints permutation = llvm::to_vector<4>(llvm::reverse(llvm::seq(rank)));
  if (auto given = n.intsAttr("perm"))
    permutation = *given;
  auto axes = toAxes(permutation, rank);
  if (!axes || !axes->all() || static_cast<int64_t>(permutation.size()) != rank)
    return std::nullopt;
  Ints shape;
  for (int64_t &axis : permutation) {
    axis = *wrapAxis(axis, rank);
    shape.push_back(x.shape[axis]);
  }
  return take(x, shape, [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> from(rank);
    for (auto [i, axis] : llvm::zip(at, permutation))
      from[axis] = i;
    return from;
  });
}

static std::optional<Sizes> expand(Node &n, const Sizes &x) {
  auto wanted = readConstants(n, 1);
  if (!wanted || n.rank(1) != 1)
    return std::nullopt;
  Ints shape(std::max(wanted->size(), x.shape.size()), 1);
  for (ArrayRef<int64_t> part : {ArrayRef(*wanted), ArrayRef(x.shape)})
    for (auto [own, to] :
         llvm::zip(part, MutableArrayRef(shape).take_back(part.size()))) {
      if (own != 1 && to != 1 && own != to)
        return std::nullopt;
      to = own == 1 ? to : own;
    }
  return take(x, shape, [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> from;
    for (auto [extent, i] : llvm::zip(x.shape, at.take_back(x.shape.size())))
      from.push_back(extent == 1 ? 0 : i);
    return from;
  });
}

static std::optional<Sizes> tile(Node &n, const Sizes &x) {
  auto times = readConstants(n, 1);
  if (!times || times->size() != x.shape.size())
    return std::nullopt;
  Ints shape;
  for (auto [extent, factor] : llvm::zip(x.shape, *times))
    if (factor < 1 || factor > mostNumbers)
      return std::nullopt;
    else
      shape.push_back(extent * factor);
  return take(x, shape, [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> from;
    for (auto [extent, i] : llvm::zip(x.shape, at))
      from.push_back(i % extent);
    return from;
  });
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The places that a slice of an axis takes; empty if there are none.
static Ints slicePlaces(int64_t start, int64_t end, int64_t step,
                        int64_t extent) {
  auto clamp = [&](int64_t at, int64_t low, int64_t high) {
    return std::clamp(at < 0 ? at + extent : at, low, high);
  };
  if (extent == 0)
    return {};
  int64_t last = extent - 1;
  step = std::clamp(step, -extent, extent);
  Ints result;
  if (step > 0)
    for (int64_t i = clamp(start, 0, extent); i < clamp(end, 0, extent);
         i += step)
      result.push_back(i);
  else
    for (int64_t i = clamp(start, 0, last); i > clamp(end, -1, last); i += step)
      result.push_back(i);
  return result;
}

static std::optional<Sizes> slice(Node &n, const Sizes &x) {
  auto starts = readConstants(n, 1), ends = readConstants(n, 2);
  if (!starts || !ends || n.rank(1) != 1)
    return std::nullopt;
  auto axes = n.has(3) ? readConstants(n, 3)
                       : std::optional(llvm::to_vector<4>(
                             llvm::seq<int64_t>(starts->size())));
  auto steps =
      n.has(4) ? readConstants(n, 4) : std::optional(Ints(starts->size(), 1));
  size_t count = starts->size();
  if (!axes || !steps || ends->size() != count || axes->size() != count ||
      steps->size() != count || !toAxes(*axes, x.shape.size()) ||
      llvm::is_contained(*steps, 0))
    return std::nullopt;
  SmallVector<Ints> taken;
  for (int64_t extent : x.shape)
    taken.push_back(llvm::to_vector<4>(llvm::seq(extent)));
  for (size_t k = 0; k < count; ++k) {
    int64_t axis = *wrapAxis((*axes)[k], x.shape.size());
    taken[axis] =
        slicePlaces((*starts)[k], (*ends)[k], (*steps)[k], x.shape[axis]);
  }
  Ints shape;
  for (const Ints &each : taken)
    shape.push_back(each.size());
  if (shape.size() == 1 && shape[0] == 0)
    return Sizes{shape, {}};
  return take(x, shape, [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> from;
    for (auto [each, i] : llvm::zip(taken, at))
      from.push_back(each[i]);
    return from;
  });
}

/// Each as many as `sizes` say; without sizes as many as fit, the last ones
/// take the rest.
static SmallVector<Sizes, 1> split(Node &n, const Sizes &x) {
  auto axis = wrapAxis(n.intAttr("axis", 0), x.shape.size());
  int64_t count = n.numOutputs();
  if (!axis || count == 0 || (n.has(1) && n.attribute("num_outputs")) ||
      n.intAttr("num_outputs", count) != count)
    return {};
  int64_t extent = x.shape[*axis], offset = 0;
  Ints sizes;
  if (n.has(1)) {
    auto given = readConstants(n, 1);
    if (!given)
      return {};
    sizes = *given;
  } else {
    int64_t part = (extent + count - 1) / count;
    if (n.opset() < 18 && part * count != extent)
      return {};
    for (int64_t i = 0; i < count; ++i)
      sizes.push_back(std::clamp<int64_t>(extent - i * part, 0, part));
  }
  if (static_cast<int64_t>(sizes.size()) != count ||
      llvm::any_of(sizes, [&](int64_t size) { return size > extent; }) ||
      std::accumulate(sizes.begin(), sizes.end(), int64_t(0)) != extent)
    return {};
  SmallVector<Sizes, 1> parts;
  for (int64_t size : sizes) {
    Ints shape(x.shape);
    shape[*axis] = size;
    auto part = take(x, shape, [&](SmallVector<int64_t> at) {
      at[*axis] += offset;
      return at;
    });
    if (!part)
      return {};
    parts.push_back(*part);
    offset += size;
  }
  return parts;
}

static std::optional<Sizes> concat(Node &n, const Sizes &first) {
  auto axis = wrapAxis(n.intAttr("axis", 0), first.shape.size());
  if (!axis)
    return std::nullopt;
  SmallVector<Sizes> parts;
  Ints shape(first.shape);
  shape[*axis] = 0;
  Sizes all; // one part after the other, and where each place of the axis is
  SmallVector<std::pair<size_t, int64_t>> source;
  for (size_t i = 0; i < n.numInputs(); ++i) {
    auto part = readSizes(n, i);
    if (!part || n.type(i) != n.type(0) || part->shape.size() != shape.size())
      return std::nullopt;
    for (size_t k = 0; k < shape.size(); ++k)
      if (static_cast<int64_t>(k) != *axis && part->shape[k] != shape[k])
        return std::nullopt;
    shape[*axis] += part->shape[*axis];
    for (int64_t k = 0; k < part->shape[*axis]; ++k)
      source.push_back({i, k});
    parts.push_back(*part);
  }
  SmallVector<size_t> offsets;
  for (const Sizes &part : parts) {
    offsets.push_back(all.numbers.size());
    llvm::append_range(all.numbers, part.numbers);
  }
  all.shape = {static_cast<int64_t>(all.numbers.size())};
  return take(all, shape, [&](SmallVector<int64_t> at) {
    auto [part, place] = source[at[*axis]];
    at[*axis] = place;
    int64_t flat = linearize(at, computeStrides(parts[part].shape));
    return SmallVector<int64_t>{static_cast<int64_t>(offsets[part]) + flat};
  });
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// A node whose only result is known.
static std::optional<Sizes> moveOne(Node &n, const Sizes &x, SizeMath &math) {
  StringRef op = n.opType();
  auto folding = llvm::StringSwitch<SizeStep>(op)
                     .Case("ReduceSum", &SizeMath::add)
                     .Case("ReduceProd", &SizeMath::mul)
                     .Case("ReduceMax", &SizeMath::max)
                     .Case("ReduceMin", &SizeMath::min)
                     .Default(nullptr);
  if (folding)
    return reduceSizes(n, x, math, folding);
  if (op == "ScatterElements" || op == "Scatter")
    return scatterSizeElements(n, x, math);
  if (op == "ScatterND")
    return scatterSizesND(n, x, math);
  if (op == "CumSum")
    return sumSizesUp(n, x, math);
  using Move = std::optional<Sizes> (*)(Node &, const Sizes &);
  auto move = llvm::StringSwitch<Move>(op)
                  .Case("Reshape", reshape)
                  .Case("Flatten", flatten)
                  .Case("Squeeze", squeeze)
                  .Case("Unsqueeze", unsqueeze)
                  .Case("Transpose", transpose)
                  .Case("Expand", expand)
                  .Case("Tile", tile)
                  .Case("Slice", slice)
                  .Case("Concat", concat)
                  .Case("Gather", gatherSizes)
                  .Case("GatherElements", gatherSizeElements)
                  .Case("GatherND", gatherSizesND)
                  .Default(nullptr);
  return move ? move(n, x) : std::nullopt;
}

/// Whether an operand whose elements a node moves comes from sizes. Constants
/// alone are moved where models make sizes of them.
static bool isOfSizes(Node &n) {
  static const StringRef moving[] = {"Gather", "Slice", "Squeeze", "Unsqueeze"};
  StringRef op = n.opType();
  for (size_t i = 0; i < n.numInputs(); ++i)
    if (!n.operand(i).list.empty() &&
        (i == 0 || op == "Concat" || (i == 2 && op.starts_with("Scatter"))))
      return true;
  bool isOne =
      op == "Reshape" && n.isKnownList(0) && n.knownInts(0)->size() == 1;
  return isOne || (n.isKnownList(0) && llvm::is_contained(moving, op));
}

SmallVector<Sizes, 1> mlir::symshape::onnx::moveSizes(Node &n, SizeMath &math) {
  auto x = isOfSizes(n) ? readSizes(n, 0) : std::nullopt;
  if (!x)
    return {};
  if (n.opType() == "Split")
    return split(n, *x);
  if (auto moved = moveOne(n, *x, math))
    return {*moved};
  return {};
}

bool mlir::symshape::onnx::followSizes(Node &n) {
  if (isFloat(n.type(0)))
    return false;
  SizeMath math(n.emit(), n.type(0));
  SmallVector<Sizes, 1> results = moveSizes(n, math);
  if (results.empty() || results.size() < n.numOutputs())
    return false;
  for (auto [i, sizes] : llvm::enumerate(results))
    if (failed(setSizes(n, i, sizes, n.type(0))))
      return false;
  return true;
}
