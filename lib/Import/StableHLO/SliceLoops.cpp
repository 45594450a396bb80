//===- SliceLoops.cpp - Loops over the slices of tensors ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `scan` of chlo. Slices have one axis less than what they are slices of.
//
//===----------------------------------------------------------------------===//

#include "SliceLoops.h"
#include "ControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
class SliceLoop {
public:
  explicit SliceLoop(Node &n) : n(n) {}
  LogicalResult run();

private:
  LogicalResult readSegments();
  /// The type of a slice; null, after an error, of what has none.
  RankedTensorType sliceType(RankedTensorType type);
  std::optional<SmallVector<OpFoldResult>> sliceSizes(RankedTensorType slice);
  /// Result `i` before the loop, where it collects slices.
  Value makeOutput(size_t i, OpFoldResult extent);
  Operand slice(Value x, Value at);
  /// `into` with a slice of the artifact's `type` at `at`.
  Value insert(Operand slice, Value into, Value at, RankedTensorType type);
  SmallVector<Value> runBody(Value at, ValueRange carried);

  Node &n;
  int64_t axis = 0;
  size_t numInputs = 0, numOutputs = 0;
  SmallVector<Value> inputs;
};
} // namespace

/// Of a list of two, how many are in the first one.
static std::optional<size_t> readFirst(Node &n, StringRef name, size_t count) {
  auto list = dyn_cast_or_null<DenseI32ArrayAttr>(n.attribute(name));
  if (!list || list.size() != 2 || list[0] < 0 || list[1] < 0 ||
      static_cast<size_t>(list[0]) + list[1] != count)
    return std::nullopt;
  return list[0];
}

LogicalResult SliceLoop::readSegments() {
  auto first = readFirst(n, "operandSegmentSizes", n.count());
  auto outputs = readFirst(n, "resultSegmentSizes", n.op->getNumResults());
  if (!first || !outputs ||
      n.count() - *first != n.op->getNumResults() - *outputs)
    return n.fail("expected a result for each value that is carried");
  if (*first == 0)
    return n.fail("expected an input");
  numInputs = *first;
  numOutputs = *outputs;
  axis = n.integer("dimension", 0, n.rank(0) - 1);
  for (size_t i = 0; i < numInputs; ++i) {
    inputs.push_back(n.tensor(i));
    if (!inputs.back() || n.rank(i) <= axis)
      return n.fail("expected inputs that have axis " + Twine(axis));
  }
  return success();
}

RankedTensorType SliceLoop::sliceType(RankedTensorType type) {
  if (!type || type.getRank() <= axis)
    return (void)n.fail("expected tensors that have axis " + Twine(axis)),
           RankedTensorType();
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  return RankedTensorType::get(shape, type.getElementType());
}

/// Those that its type says, else those of an operand; nullopt without one.
std::optional<SmallVector<OpFoldResult>>
SliceLoop::sliceSizes(RankedTensorType slice) {
  if (slice.hasStaticShape())
    return getAsIndexOpFoldResult(n.b.getContext(), slice.getShape());
  for (size_t i = n.count(); i > 0; --i) {
    bool isInput = i <= numInputs;
    auto own = isInput ? sliceType(n.type(i - 1)) : n.type(i - 1);
    Value x = n.tensor(i - 1);
    if (!x || !own || failed(verifyCompatibleShape(own, slice)))
      continue;
    SmallVector<OpFoldResult> sizes = n.extents(x);
    if (isInput)
      sizes.erase(sizes.begin() + axis);
    return sizes;
  }
  return std::nullopt;
}

Value SliceLoop::makeOutput(size_t i, OpFoldResult extent) {
  auto type = n.resultType(i);
  auto slice = sliceType(type);
  auto sizes = slice ? sliceSizes(slice) : std::nullopt;
  if (!sizes)
    return (void)n.fail("expected an operand of the extents of result " +
                        Twine(i)),
           Value();
  sizes->insert(sizes->begin() + axis, extent);
  return n.empty(*sizes, signless(type.getElementType()));
}

namespace {
/// Where a slice lies in a tensor.
struct Place {
  Place(Node &n, Value x, int64_t axis, Value at)
      : starts(n.extents(x).size(), n.b.getIndexAttr(0)), sizes(n.extents(x)),
        steps(sizes.size(), n.b.getIndexAttr(1)) {
    auto own = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> shape(own.getShape());
    shape.erase(shape.begin() + axis);
    type = RankedTensorType::get(shape, own.getElementType());
    starts[axis] = at;
    sizes[axis] = n.b.getIndexAttr(1);
  }
  SmallVector<OpFoldResult> starts, sizes, steps;
  RankedTensorType type; ///< of the slice
};
} // namespace

Operand SliceLoop::slice(Value x, Value at) {
  Place place(n, x, axis, at);
  Value slice;
  if (place.type.getRank() == 0)
    slice = n.fromScalar(tensor::ExtractOp::create(n.b, n.loc, x, at));
  else
    slice = tensor::ExtractSliceOp::create(
        n.b, n.loc, place.type, x, place.starts, place.sizes, place.steps);
  return Operand{slice, std::nullopt, {}};
}

Value SliceLoop::insert(Operand slice, Value into, Value at,
                        RankedTensorType type) {
  Value carried = toCarried(n, std::move(slice), type);
  if (!carried)
    return into;
  if (type.getRank() == 0)
    return tensor::InsertOp::create(n.b, n.loc, carried, into, at);
  Place place(n, into, axis, at);
  return tensor::InsertSliceOp::create(n.b, n.loc, n.cast(carried, place.type),
                                       into, place.starts, place.sizes,
                                       place.steps);
}

/// From what is carried, the outputs first, to the same of the next slice.
SmallVector<Value> SliceLoop::runBody(Value at, ValueRange carried) {
  SmallVector<Operand> arguments;
  for (Value x : inputs)
    arguments.push_back(slice(x, at));
  for (Value x : carried.drop_front(numOutputs))
    arguments.push_back(fromCarried(n, x));
  SmallVector<Value> next(carried);
  auto results = n.importer.importRegion(n.op->getRegion(0), arguments);
  if (failed(results) || results->size() != carried.size()) {
    (void)n.fail("expected a body that gives each result");
    return next;
  }
  for (auto [i, result] : llvm::enumerate(*results)) {
    auto type = n.resultType(i);
    bool isOutput = i < numOutputs;
    auto own = isOutput ? sliceType(type) : type;
    if (!own)
      return next;
    Value value =
        isOutput ? insert(result, next[i], at, own) : toCarried(n, result, own);
    next[i] = value ? value : next[i];
  }
  return next;
}

LogicalResult SliceLoop::run() {
  if (failed(readSegments()))
    return failure();
  OpFoldResult extent = n.extent(inputs.front(), axis);
  SmallVector<Value> carried;
  for (size_t i = 0; i < n.op->getNumResults(); ++i) {
    Operand *init =
        i < numOutputs ? nullptr : n.operand(numInputs + i - numOutputs);
    auto type = n.resultType(i);
    carried.push_back(init && type ? toCarried(n, *init, type)
                                   : makeOutput(i, extent));
    if (!carried.back())
      return failure();
  }
  Value zero = n.index(n.b.getIndexAttr(0)), one = n.index(n.b.getIndexAttr(1));
  Value count = n.index(extent);
  Value last = arith::SubIOp::create(n.b, n.loc, count, one);
  bool isReverse = n.flag("is_reverse");
  SmallVector<Value> results =
      n.loop(zero, count, one, carried, [&](Value step, ValueRange values) {
        return runBody(isReverse ? arith::SubIOp::create(n.b, n.loc, last, step)
                                 : step,
                       values);
      });
  SmallVector<Operand> operands;
  for (auto [i, result] : llvm::enumerate(results))
    operands.push_back(i < numOutputs ? Operand{result, std::nullopt, {}}
                                      : fromCarried(n, result));
  return n.setAll(operands);
}

LogicalResult mlir::symshape::stablehlo::scanSlices(Node &n) {
  return SliceLoop(n).run();
}
