//===- SizePlaces.cpp - Sizes at places, and folded -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizePlaces.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;
namespace onnx = mlir::symshape::onnx;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

std::optional<Sizes> onnx::readPlaces(Node &n, size_t i) {
  auto x = readSizes(n, i);
  if (!x || !isInteger(n.type(i)) ||
      llvm::any_of(x->numbers, [](const Number &number) {
        return !number.value.asInt64();
      }))
    return std::nullopt;
  return x;
}

std::optional<Ints> onnx::readConstants(Node &n, size_t i) {
  auto x = readPlaces(n, i);
  if (!x || x->shape.size() > 1)
    return std::nullopt;
  Ints values;
  for (const Number &number : x->numbers)
    values.push_back(*number.value.asInt64());
  return values;
}

std::optional<int64_t> onnx::wrapAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return std::nullopt;
  return axis < 0 ? axis + rank : axis;
}

std::optional<llvm::SmallBitVector> onnx::toAxes(ArrayRef<int64_t> given,
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

std::optional<Sizes> onnx::take(
    const Sizes &x, Ints shape,
    llvm::function_ref<SmallVector<int64_t>(SmallVector<int64_t>)> from) {
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

//===----------------------------------------------------------------------===//
// Elements at places
//===----------------------------------------------------------------------===//

std::optional<Sizes> onnx::gatherSizes(Node &n, const Sizes &x) {
  auto axis = wrapAxis(n.intAttr("axis", 0), x.shape.size());
  auto ids = readPlaces(n, 1);
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

std::optional<Sizes> onnx::gatherSizeElements(Node &n, const Sizes &x) {
  auto axis = wrapAxis(n.intAttr("axis", 0), x.shape.size());
  auto ids = readPlaces(n, 1);
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

std::optional<Sizes> onnx::gatherSizesND(Node &n, const Sizes &x) {
  auto ids = readPlaces(n, 1);
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

std::optional<Sizes> onnx::scatterSizeElements(Node &n, Sizes x,
                                               SizeMath &math) {
  auto axis = wrapAxis(n.intAttr("axis", 0), x.shape.size());
  auto ids = readPlaces(n, 1);
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

std::optional<Sizes> onnx::scatterSizesND(Node &n, Sizes x, SizeMath &math) {
  auto ids = readPlaces(n, 1);
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

/// Sums and products in any order: parts of either are no larger than the whole
/// if no number is negative, and if the whole is not 0; a product is 0 in any
/// order if it is one.
static bool isAnyOrderExact(Node &n, const Sizes &x, SizeStep step) {
  bool isAdded = step == &SizeMath::add || step == &SizeMath::mul;
  return !isFloat(n.type(0)) || !isAdded ||
         llvm::all_of(x.numbers, [&](const Number &number) {
           return (!number.divisor || number.divisor.isConstant(1)) &&
                  n.emit().isNonNegative(number.value);
         });
}

std::optional<Sizes> onnx::reduceSizes(Node &n, const Sizes &x, SizeMath &math,
                                       SizeStep step) {
  int64_t rank = x.shape.size();
  auto given = n.has(1) ? readConstants(n, 1) : std::optional(Ints());
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

std::optional<Sizes> onnx::sumSizesUp(Node &n, Sizes x, SizeMath &math) {
  auto given = readConstants(n, 1);
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
