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

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/StringSwitch.h"
#include <numeric>

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

using Ints = SmallVector<int64_t, 4>;

static constexpr int64_t mostNumbers = 64;
static constexpr size_t largestRank = 3;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// An operand that is constant integers, with its shape.
static std::optional<Sizes> places(Node &n, size_t i) {
  auto x = readSizes(n, i);
  if (!x || !isInteger(n.type(i)) ||
      llvm::any_of(x->numbers, [](const Number &number) {
        return !number.value.asInt64();
      }))
    return std::nullopt;
  return x;
}

/// The same of rank 1, or 0 for a single one.
static std::optional<Ints> constants(Node &n, size_t i) {
  auto x = places(n, i);
  if (!x || x->shape.size() > 1)
    return std::nullopt;
  Ints values;
  for (const Number &number : x->numbers)
    values.push_back(*number.value.asInt64());
  return values;
}

static std::optional<int64_t> wrapAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return std::nullopt;
  return axis < 0 ? axis + rank : axis;
}

/// As axes of a tensor of that rank; nullopt unless each is one, once.
static std::optional<llvm::SmallBitVector> toAxes(ArrayRef<int64_t> given,
                                                  int64_t rank) {
  llvm::SmallBitVector axes(rank);
  for (int64_t each : given) {
    auto axis = wrapAxis(each, rank);
    if (!axis || axes.test(*axis))
      return std::nullopt;
    axes.set(*axis);
  }
  return axes;
}

/// The numbers of x at the places that `from` says for coordinates of a result.
template <typename From>
static std::optional<Sizes> take(const Sizes &x, Ints shape, From from) {
  if (shape.size() > largestRank ||
      llvm::any_of(
          shape,
          [](int64_t extent) { return extent < 1 || extent > mostNumbers; }) ||
      computeProduct(shape) > mostNumbers)
    return std::nullopt;
  Sizes result{shape, {}};
  SmallVector<int64_t> strides = computeStrides(shape);
  for (int64_t flat = 0, end = computeProduct(shape); flat < end; ++flat) {
    SmallVector<int64_t> at = from(delinearize(flat, strides));
    result.numbers.push_back(x.numbers[linearize(at, computeStrides(x.shape))]);
  }
  return result;
}

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
  auto wanted = constants(n, 1);
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
    auto values = constants(n, 1);
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
  auto given = constants(n, 1);
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
  auto wanted = constants(n, 1);
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
  auto times = constants(n, 1);
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
  auto starts = constants(n, 1), ends = constants(n, 2);
  if (!starts || !ends || n.rank(1) != 1)
    return std::nullopt;
  auto axes = n.has(3) ? constants(n, 3)
                       : std::optional(llvm::to_vector<4>(
                             llvm::seq<int64_t>(starts->size())));
  auto steps =
      n.has(4) ? constants(n, 4) : std::optional(Ints(starts->size(), 1));
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
    auto given = constants(n, 1);
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
// Elements at places
//===----------------------------------------------------------------------===//

static std::optional<Sizes> gather(Node &n, const Sizes &x) {
  auto axis = wrapAxis(n.intAttr("axis", 0), x.shape.size());
  auto ids = places(n, 1);
  if (!axis || !ids)
    return std::nullopt;
  for (const Number &id : ids->numbers)
    if (!wrapAxis(*id.value.asInt64(), x.shape[*axis]))
      return std::nullopt;
  Ints shape(x.shape);
  shape.erase(shape.begin() + *axis);
  shape.insert(shape.begin() + *axis, ids->shape.begin(), ids->shape.end());
  return take(x, shape, [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> from(at.take_front(*axis));
    size_t id = linearize(at.slice(*axis, ids->shape.size()),
                          computeStrides(ids->shape));
    from.push_back(
        *wrapAxis(*ids->numbers[id].value.asInt64(), x.shape[*axis]));
    llvm::append_range(from, at.drop_front(*axis + ids->shape.size()));
    return from;
  });
}

static std::optional<Sizes> gatherElements(Node &n, const Sizes &x) {
  auto axis = wrapAxis(n.intAttr("axis", 0), x.shape.size());
  auto ids = places(n, 1);
  if (!axis || !ids || ids->shape.size() != x.shape.size())
    return std::nullopt;
  for (auto [i, extent] : llvm::enumerate(ids->shape))
    if (static_cast<int64_t>(i) != *axis && extent > x.shape[i])
      return std::nullopt;
  for (const Number &id : ids->numbers)
    if (!wrapAxis(*id.value.asInt64(), x.shape[*axis]))
      return std::nullopt;
  return take(x, ids->shape, [&](SmallVector<int64_t> at) {
    int64_t id = *ids->numbers[linearize(at, computeStrides(ids->shape))]
                      .value.asInt64();
    at[*axis] = *wrapAxis(id, x.shape[*axis]);
    return at;
  });
}

/// The places that vectors of integers say, the last axis of `ids`; nullopt if
/// one is out of range.
static std::optional<SmallVector<SmallVector<int64_t>>>
readVectors(const Sizes &ids, ArrayRef<int64_t> shape) {
  if (ids.shape.empty() || ids.shape.back() < 1 ||
      ids.shape.back() > static_cast<int64_t>(shape.size()))
    return std::nullopt;
  size_t length = ids.shape.back();
  SmallVector<SmallVector<int64_t>> vectors;
  for (size_t at = 0; at < ids.numbers.size(); at += length) {
    vectors.emplace_back();
    for (size_t k = 0; k < length; ++k) {
      auto place = wrapAxis(*ids.numbers[at + k].value.asInt64(), shape[k]);
      if (!place)
        return std::nullopt;
      vectors.back().push_back(*place);
    }
  }
  return vectors;
}

static std::optional<Sizes> gatherND(Node &n, const Sizes &x) {
  auto ids = places(n, 1);
  auto vectors = ids ? readVectors(*ids, x.shape) : std::nullopt;
  if (!vectors || n.intAttr("batch_dims", 0) != 0)
    return std::nullopt;
  size_t outer = ids->shape.size() - 1;
  Ints shape(ids->shape.begin(), ids->shape.end() - 1);
  llvm::append_range(shape, ArrayRef(x.shape).drop_front(ids->shape.back()));
  return take(x, shape, [&](ArrayRef<int64_t> at) {
    ArrayRef<int64_t> own(ids->shape);
    SmallVector<int64_t> from((*vectors)[linearize(
        at.take_front(outer), computeStrides(own.drop_back()))]);
    llvm::append_range(from, at.drop_front(outer));
    return from;
  });
}

/// One number over another as `reduction` says; false if it is not known.
static bool put(Node &n, SizeMath &math, Number &to, const Number &update) {
  StringRef reduction = n.textAttr("reduction", "none");
  SizeMath::Result result;
  if (reduction == "none")
    result = update;
  else if (reduction == "add")
    result = math.add(to, update);
  else if (reduction == "mul")
    result = math.mul(to, update);
  else if (reduction == "max")
    result = math.max(to, update);
  else if (reduction == "min")
    result = math.min(to, update);
  if (!result)
    return false;
  bool isGiven = to.isGiven && update.isGiven;
  to = *result;
  to.isGiven = reduction == "none" ? update.isGiven : isGiven;
  return true;
}

static std::optional<Sizes> scatterElements(Node &n, Sizes x, SizeMath &math) {
  auto axis = wrapAxis(n.intAttr("axis", 0), x.shape.size());
  auto ids = places(n, 1);
  auto updates = readSizes(n, 2);
  if (!axis || !ids || !updates || ids->shape != updates->shape ||
      ids->shape.size() != x.shape.size() || n.type(2) != n.type(0))
    return std::nullopt;
  SmallVector<int64_t> strides = computeStrides(ids->shape);
  for (auto [flat, update] : llvm::enumerate(updates->numbers)) {
    SmallVector<int64_t> at = delinearize(flat, strides);
    auto place = wrapAxis(*ids->numbers[flat].value.asInt64(), x.shape[*axis]);
    if (!place)
      return std::nullopt;
    at[*axis] = *place;
    for (auto [i, extent] : llvm::zip(at, x.shape))
      if (i >= extent)
        return std::nullopt;
    if (!put(n, math, x.numbers[linearize(at, computeStrides(x.shape))],
             update))
      return std::nullopt;
  }
  return x;
}

static std::optional<Sizes> scatterND(Node &n, Sizes x, SizeMath &math) {
  auto ids = places(n, 1);
  auto updates = readSizes(n, 2);
  auto vectors = ids ? readVectors(*ids, x.shape) : std::nullopt;
  if (!vectors || !updates || n.type(2) != n.type(0))
    return std::nullopt;
  ArrayRef<int64_t> rest = ArrayRef(x.shape).drop_front(ids->shape.back());
  Ints wanted(ids->shape.begin(), ids->shape.end() - 1);
  llvm::append_range(wanted, rest);
  if (ArrayRef(updates->shape) != ArrayRef(wanted))
    return std::nullopt;
  int64_t count = computeProduct(rest);
  SmallVector<int64_t> strides = computeStrides(rest);
  for (auto [i, vector] : llvm::enumerate(*vectors))
    for (int64_t k = 0; k < count; ++k) {
      SmallVector<int64_t> at(vector);
      llvm::append_range(at, delinearize(k, strides));
      if (!put(n, math, x.numbers[linearize(at, computeStrides(x.shape))],
               updates->numbers[i * count + k]))
        return std::nullopt;
    }
  return x;
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

using Step = SizeMath::Result (SizeMath::*)(const Number &, const Number &);

/// Sums and products in any order: parts of either are no larger than the whole
/// if no number is negative, and if the whole is not 0; a product is 0 in any
/// order if it is one.
static bool isAnyOrderExact(Node &n, const Sizes &x, Step step) {
  bool isAdded = step == &SizeMath::add || step == &SizeMath::mul;
  return !isFloat(n.type(0)) || !isAdded ||
         llvm::all_of(x.numbers, [&](const Number &number) {
           return (!number.divisor || number.divisor.isConstant(1)) &&
                  n.emit().isNonNegative(number.value);
         });
}

static std::optional<Sizes> reduce(Node &n, const Sizes &x, SizeMath &math,
                                   Step step) {
  int64_t rank = x.shape.size();
  auto given = n.has(1) ? constants(n, 1) : std::optional(Ints());
  if (given && given->empty() && !n.intAttr("noop_with_empty_axes", 0))
    *given = llvm::to_vector<4>(llvm::seq(rank));
  auto axes = given ? toAxes(*given, rank) : std::nullopt;
  if (!axes || x.numbers.empty() || !isAnyOrderExact(n, x, step))
    return std::nullopt;
  Ints kept(x.shape), shape;
  bool keep = n.intAttr("keepdims", 1);
  for (int64_t i = 0; i < rank; ++i) {
    kept[i] = axes->test(i) ? 1 : x.shape[i];
    if (keep || !axes->test(i))
      shape.push_back(kept[i]);
  }
  Sizes result{shape, {}};
  SmallVector<std::optional<Number>> folded(computeProduct(kept));
  SmallVector<int64_t> strides = computeStrides(x.shape);
  for (auto [flat, number] : llvm::enumerate(x.numbers)) {
    SmallVector<int64_t> at = delinearize(flat, strides);
    for (int64_t i = 0; i < rank; ++i)
      at[i] = axes->test(i) ? 0 : at[i];
    auto &to = folded[linearize(at, computeStrides(kept))];
    SizeMath::Result next = to ? (math.*step)(*to, number) : number;
    if (!next)
      return std::nullopt;
    next->isGiven = number.isGiven && (!to || to->isGiven);
    to = next;
  }
  for (const auto &number : folded)
    result.numbers.push_back(*number);
  return result;
}

static std::optional<Sizes> cumulativeSum(Node &n, Sizes x, SizeMath &math) {
  auto given = constants(n, 1);
  if (!given || given->size() != 1 || x.shape.size() != 1 ||
      wrapAxis(given->front(), 1) != 0 ||
      !isAnyOrderExact(n, x, &SizeMath::add))
    return std::nullopt;
  bool isReversed = n.intAttr("reverse", 0);
  if (isReversed)
    std::reverse(x.numbers.begin(), x.numbers.end());
  Number sum = math.fromInteger(n.emit().constant(0));
  for (Number &number : x.numbers) {
    SizeMath::Result next = math.add(sum, number);
    if (!next)
      return std::nullopt;
    next->isGiven = sum.isGiven && number.isGiven;
    number = n.intAttr("exclusive", 0) ? sum : *next;
    sum = *next;
  }
  if (isReversed)
    std::reverse(x.numbers.begin(), x.numbers.end());
  return x;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// A node whose only result is known.
static std::optional<Sizes> moveOne(Node &n, const Sizes &x, SizeMath &math) {
  StringRef op = n.opType();
  auto folding = llvm::StringSwitch<Step>(op)
                     .Case("ReduceSum", &SizeMath::add)
                     .Case("ReduceProd", &SizeMath::mul)
                     .Case("ReduceMax", &SizeMath::max)
                     .Case("ReduceMin", &SizeMath::min)
                     .Default(nullptr);
  if (folding)
    return reduce(n, x, math, folding);
  if (op == "ScatterElements" || op == "Scatter")
    return scatterElements(n, x, math);
  if (op == "ScatterND")
    return scatterND(n, x, math);
  if (op == "CumSum")
    return cumulativeSum(n, x, math);
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
                  .Case("Gather", gather)
                  .Case("GatherElements", gatherElements)
                  .Case("GatherND", gatherND)
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
