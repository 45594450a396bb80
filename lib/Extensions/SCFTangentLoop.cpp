//===- SCFTangentLoop.cpp - Loops of tangents alone -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop for tangents needs in each iteration what the first one carried:
// values that keep their extents are stored, in one tensor with a row per
// iteration. Where it needs only what the body reads of a tensor that is
// carried and changed in parts, the slice or element is stored, not the tensor:
// what a loop writes row by row would else be stored once per row. For values
// whose extents change, earlier iterations run again.
//
//===----------------------------------------------------------------------===//

#include "SCFTangentLoop.h"

#include "KeptExtents.h"
#include "SCFDerivatives.h"
#include "SCFForDerivatives.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "symshape/IR/Slices.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// What the body of a loop has in each iteration, and its tangents' loop may
/// need: what is carried, or read of that.
struct LoopValue {
  Value value; ///< an argument of the body, or the result of a read
  bool keepsExtents;
  SmallVector<OpFoldResult> extents; ///< those it keeps, or starts with
  /// Stands for it in the tangents' loop, until it is known how to get it.
  UnrealizedConversionCastOp there;

  Value placeholder() { return there.getResult(0); }
};

/// The loop for the tangents of a loop. From the body of that loop it keeps
/// what tangents need.
class TangentLoop {
public:
  TangentLoop(scf::ForOp op, ArrayRef<unsigned> active, Tangents &tangents)
      : op(op), active(active), tangents(tangents), b(tangents.builder()),
        loc(op.getLoc()), bounds(op) {}
  LogicalResult build();

private:
  void findValues();
  std::optional<OpFoldResult> beforeLoop(OpFoldResult extent);
  std::optional<SmallVector<OpFoldResult>> extentsOfRead(Operation &read);
  FailureOr<SmallVector<Value>> buildBody(Value number, ValueRange carried);
  void readKeptExtents();
  void getNeeded();
  void runAgain();
  void store(ArrayRef<LoopValue *> needed);
  Value makeStack(const LoopValue &value);
  Value writeStack(Value stack, Value number, Value value);
  Value readStack(Value stack, Value number, Type type);

  scf::ForOp op;
  ArrayRef<unsigned> active;
  Tangents &tangents;
  OpBuilder &b;
  Location loc;
  LoopBounds bounds;
  Value count;
  scf::ForOp loop;               ///< of the tangents
  SmallVector<LoopValue> values; ///< what is carried, then reads
};
} // namespace

//===----------------------------------------------------------------------===//
// What it may need
//===----------------------------------------------------------------------===//

/// The argument of the loop's body whose elements a tensor may have: it, or
/// what the body has made of it by writing parts.
static BlockArgument findCarried(scf::ForOp loop, Value tensor) {
  while (Operation *def = tensor.getDefiningOp()) {
    if (def->getBlock() != loop.getBody())
      return nullptr;
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(def))
      tensor = insert.getDest();
    else if (auto element = dyn_cast<tensor::InsertOp>(def))
      tensor = element.getDest();
    else if (auto update = dyn_cast<DynamicUpdateSliceOp>(def))
      tensor = update.getSource();
    else
      return nullptr;
  }
  auto argument = cast<BlockArgument>(tensor);
  return argument.getOwner() == loop.getBody() &&
                 argument.getArgNumber() >= loop.getNumInductionVars()
             ? argument
             : nullptr;
}

/// An extent of a read as a value from before the loop.
std::optional<OpFoldResult> TangentLoop::beforeLoop(OpFoldResult extent) {
  auto value = dyn_cast<Value>(extent);
  if (!value || op.isDefinedOutsideOfLoop(value))
    return extent;
  auto dim = value.getDefiningOp<tensor::DimOp>();
  BlockArgument carried = dim && dim.getConstantIndex()
                              ? findCarried(op, dim.getSource())
                              : nullptr;
  if (!carried)
    return std::nullopt;
  const LoopValue &known = values[carried.getArgNumber() - 1];
  if (!known.keepsExtents)
    return std::nullopt;
  return known.extents[*dim.getConstantIndex()];
}

/// The extents of what an op of the body reads of a tensor that is carried, if
/// they are the same in each iteration.
std::optional<SmallVector<OpFoldResult>>
TangentLoop::extentsOfRead(Operation &read) {
  SmallVector<OpFoldResult> sizes;
  llvm::SmallBitVector dropped;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(read)) {
    sizes = slice.getMixedSizes();
    dropped = slice.getDroppedDims();
  } else if (auto window = dyn_cast<DynamicSliceOp>(read)) {
    sizes = window.getMixedSizes();
  } else if (!isa<tensor::ExtractOp>(read)) {
    return std::nullopt;
  }
  if (!findCarried(op, read.getOperand(0)))
    return std::nullopt;
  dropped.resize(sizes.size());
  auto type = dyn_cast<RankedTensorType>(read.getResult(0).getType());
  SmallVector<OpFoldResult> kept;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    std::optional<OpFoldResult> extent = beforeLoop(size);
    if (!extent)
      return std::nullopt;
    if (dropped[d])
      continue;
    // What is stored has the type of what is read.
    int64_t number = type.getDimSize(kept.size());
    if (!ShapedType::isDynamic(number))
      extent = b.getIndexAttr(number);
    else if (isa<Attribute>(*extent))
      extent = getValueOrCreateConstantIndexOp(b, loc, *extent);
    kept.push_back(*extent);
  }
  return kept;
}

void TangentLoop::findValues() {
  for (auto [init, argument, yielded] : llvm::zip(
           op.getInitArgs(), op.getRegionIterArgs(), op.getYieldedValues())) {
    auto type = dyn_cast<RankedTensorType>(init.getType());
    bool keeps =
        !type || type.hasStaticShape() || keepsExtentsOf(yielded, argument);
    values.push_back({argument, keeps, extentsOf(b, loc, init), {}});
  }
  for (Operation &inner : *op.getBody())
    if (auto extents = extentsOfRead(inner))
      values.push_back({inner.getResult(0), true, *extents, {}});
  // Outside the loop, where dead ops are erased.
  b.setInsertionPointAfter(op);
  for (LoopValue &value : values)
    value.there = UnrealizedConversionCastOp::create(
        b, loc, value.value.getType(), ValueRange{});
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// The body again, with tangents, yielding only these.
FailureOr<SmallVector<Value>> TangentLoop::buildBody(Value number,
                                                     ValueRange carried) {
  Tangents::Scope scope(tangents);
  unsigned numCarried = op.getNumResults();
  IRMapping mapping;
  mapping.map(op.getInductionVar(), bounds.valueAt(b, loc, number));
  for (LoopValue &value : MutableArrayRef(values).take_front(numCarried))
    mapping.map(value.value, value.placeholder());
  for (auto [i, tangent] : llvm::zip(active, carried)) {
    LoopValue &value = values[i];
    tangents.set(value.placeholder(),
                 withExtents(b, tangent,
                             value.keepsExtents
                                 ? value.extents
                                 : extentsOf(b, loc, value.placeholder())));
  }
  // The rule of an inner loop may replace a value: the copy of the yield has
  // the new one.
  Operation *yield = nullptr;
  for (Operation &inner : *op.getBody())
    yield = b.clone(inner, mapping);
  Block &body = *b.getInsertionBlock();
  if (failed(tangents.differentiate(body)))
    return failure();
  for (LoopValue &read : MutableArrayRef(values).drop_front(numCarried))
    mapping.lookup(read.value).replaceAllUsesWith(read.placeholder());
  b.setInsertionPoint(yield);
  SmallVector<Value> yielded = llvm::map_to_vector(active, [&](unsigned i) {
    return tangents.orZero(yield->getOperand(i));
  });
  yield->erase();
  b.setInsertionPointToEnd(&body);
  return yielded;
}

/// A value that keeps its extents is not needed for its extents alone.
void TangentLoop::readKeptExtents() {
  for (LoopValue &value : values) {
    if (!value.keepsExtents)
      continue;
    for (Operation *user :
         llvm::make_early_inc_range(value.placeholder().getUsers())) {
      auto dim = dyn_cast<tensor::DimOp>(user);
      if (!dim || !dim.getConstantIndex())
        continue;
      b.setInsertionPoint(dim);
      dim.replaceAllUsesWith(getValueOrCreateConstantIndexOp(
          b, loc, value.extents[*dim.getConstantIndex()]));
    }
  }
}

/// Finds what the loop carries by running earlier iterations again.
void TangentLoop::runAgain() {
  b.setInsertionPointToStart(loop.getBody());
  scf::ForOp again = makeLoop(
      b, loc, loop.getInductionVar(), op.getInitArgs(),
      [&](Value number, ValueRange carried) -> FailureOr<SmallVector<Value>> {
        SmallVector<Value> arguments{bounds.valueAt(b, loc, number)};
        llvm::append_range(arguments, carried);
        return copyBlock(b, *op.getBody(), arguments, op.getYieldedValues());
      });
  for (auto [value, result] : llvm::zip(values, again.getResults()))
    value.placeholder().replaceAllUsesWith(result);
}

//===----------------------------------------------------------------------===//
// What is stored
//===----------------------------------------------------------------------===//

/// Room for a value per iteration.
Value TangentLoop::makeStack(const LoopValue &value) {
  SmallVector<OpFoldResult> sizes{count};
  llvm::append_range(sizes, value.extents);
  return tensor::EmptyOp::create(b, loc, sizes,
                                 getElementTypeOrSelf(value.value));
}

namespace {
/// The row of a stack that one iteration has.
struct Row : SliceBounds {
  Row(OpBuilder &b, Location loc, Value stack, Value number) {
    sizes = tensor::getMixedSizes(b, loc, stack);
    offsets.assign(sizes.size(), b.getIndexAttr(0));
    strides.assign(sizes.size(), b.getIndexAttr(1));
    offsets[0] = number;
    sizes[0] = b.getIndexAttr(1);
  }
};
} // namespace

Value TangentLoop::writeStack(Value stack, Value number, Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return tensor::InsertOp::create(b, loc, value, stack, number);
  Row row(b, loc, stack, number);
  return insertSlice(b, loc, value, stack, row);
}

Value TangentLoop::readStack(Value stack, Value number, Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType)
    return tensor::ExtractOp::create(b, loc, stack, number);
  Row row(b, loc, stack, number);
  return extractSlice(b, loc, stack, row, tensorType);
}

/// Makes the loop store what it has, and the tangents' loop read it.
void TangentLoop::store(ArrayRef<LoopValue *> needed) {
  b.setInsertionPoint(op);
  SmallVector<Value> stacks;
  for (const LoopValue *value : needed)
    stacks.push_back(makeStack(*value));
  Block &body = *op.getBody();
  b.setInsertionPointToStart(&body);
  Value number = bounds.numberOf(b, loc, op.getInductionVar());
  SmallVector<Value> written;
  for (auto [value, stack] : llvm::zip(needed, stacks)) {
    if (isa<OpResult>(value->value))
      b.setInsertionPointAfterValue(value->value);
    written.push_back(writeStack(body.addArgument(stack.getType(), loc), number,
                                 value->value));
  }
  Operation *yield = body.getTerminator();
  yield->insertOperands(yield->getNumOperands(), written);
  b.setInsertionPoint(op);
  op = carryMore(b, op, stacks);
  b.setInsertionPointToStart(loop.getBody());
  for (auto [value, stack] :
       llvm::zip(needed, op.getResults().take_back(needed.size())))
    value->placeholder().replaceAllUsesWith(
        readStack(stack, loop.getInductionVar(), value->value.getType()));
}

/// Gets what the tangents' loop uses.
void TangentLoop::getNeeded() {
  SmallVector<LoopValue *> needed;
  for (LoopValue &value : values)
    if (!value.placeholder().use_empty())
      needed.push_back(&value);
  if (!llvm::all_of(needed, [](LoopValue *v) { return v->keepsExtents; })) {
    runAgain();
    llvm::erase_if(needed,
                   [](LoopValue *v) { return v->placeholder().use_empty(); });
  }
  if (!needed.empty())
    store(needed);
}

LogicalResult TangentLoop::build() {
  b.setInsertionPoint(op);
  count = bounds.count(b, loc);
  findValues();
  SmallVector<Value> inits;
  for (unsigned i : active)
    inits.push_back(tangents.orZero(op.getInitArgs()[i]));
  loop = makeLoop(b, loc, count, inits, [&](Value number, ValueRange carried) {
    return buildBody(number, carried);
  });
  if (!loop)
    return failure();
  readKeptExtents();
  eraseDeadOps(*loop.getBody());
  getNeeded();
  for (LoopValue &value : values)
    value.there.erase();
  b.setInsertionPointAfter(loop);
  for (auto [i, tangent] : llvm::zip(active, loop.getResults())) {
    Value result = op.getResult(i);
    tangents.set(result, withExtents(b, tangent,
                                     values[i].keepsExtents
                                         ? values[i].extents
                                         : extentsOf(b, loc, result)));
  }
  return success();
}

LogicalResult symshape::jvpSeparate(scf::ForOp op, ArrayRef<unsigned> active,
                                    Tangents &tangents) {
  return TangentLoop(op, active, tangents).build();
}
