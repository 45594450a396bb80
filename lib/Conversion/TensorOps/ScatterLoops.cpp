//===- ScatterLoops.cpp - Scatter as loops --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As GatherLoops.cpp: a loop for each batch axis, in which the window of the
// updates is combined with that of the source.
//
//===----------------------------------------------------------------------===//

#include "ScatterLoops.h"

#include "GatherWindows.h"
#include "Structure/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::symshape;

static Value combineElements(OpBuilder &b, Location loc, Combiner combiner,
                             Value old, Value update) {
  using Kind = vector::CombiningKind;
  bool isFloat = isa<FloatType>(old.getType());
  auto make = [&](Kind kind) {
    return vector::makeArithReduction(b, loc, kind, old, update);
  };
  switch (combiner) {
  case Combiner::Add:
    return make(Kind::ADD);
  case Combiner::Sub:
    return ArithBuilder(b, loc).sub(old, update);
  case Combiner::Mul:
    return make(Kind::MUL);
  case Combiner::Max:
    return make(isFloat ? Kind::MAXIMUMF : Kind::MAXSI);
  case Combiner::Min:
    return make(isFloat ? Kind::MINIMUMF : Kind::MINSI);
  case Combiner::Update:
    return update;
  }
  llvm_unreachable("a combiner");
}

Value symshape::combineWindows(OpBuilder &b, Location loc, Combiner combiner,
                               Value old, Value update) {
  if (combiner == Combiner::Update)
    return update;
  int64_t rank = cast<RankedTensorType>(old.getType()).getRank();
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, old.getType(), update, old, maps, loops,
             [&](OpBuilder &inner, Location where, ValueRange args) {
               linalg::YieldOp::create(
                   inner, where,
                   combineElements(inner, where, combiner, args[1], args[0]));
             })
      .getResult(0);
}

namespace {
/// The lowering of one scatter.
class ScatterLowering {
public:
  ScatterLowering(RewriterBase &b, ScatterOp op, bool isChecked);
  void run();

private:
  void failUnlessUnique();
  scf::ValueVector addWindow(ValueRange position, Value carried);
  Value writeWindow(ValueRange position, Value carried);
  /// Computes the starts of the window of a batch position; if `isChecked`, a
  /// broken promise ends the call.
  void computeStarts(ValueRange batch, bool isChecked);

  RewriterBase &b;
  ScatterOp op;
  Location loc;
  bool isChecked;
  bool isByElement; ///< a loop for each axis of the updates
  SmallVector<int64_t> windowAxes, batchAxes;
  SmallVector<OpFoldResult> extents; ///< of the updates
  SmallVector<OpFoldResult> sizes;   ///< of a window, per axis of the source
  Windows windows;
};
} // namespace

/// Whether the order of windows differs from the row-major order of updates,
/// and matters: it decides the last update of an element.
static bool needsOrderOfElements(ScatterOp op) {
  if (op.getCombiner() != Combiner::Update || op.getUniqueIndices() ||
      op.getUpdateWindowDims().empty() || op.getBatchAxes().empty())
    return false;
  return op.getUpdateWindowDims().front() < op.getBatchAxes().back();
}

ScatterLowering::ScatterLowering(RewriterBase &b, ScatterOp op, bool isChecked)
    : b(b), op(op), loc(op.getLoc()), isChecked(isChecked),
      isByElement(needsOrderOfElements(op)), windowAxes(op.getWindowAxes()),
      batchAxes(op.getBatchAxes()),
      extents(tensor::getMixedSizes(b, loc, op.getUpdates())),
      sizes(cast<RankedTensorType>(op.getType()).getRank(), b.getIndexAttr(1)),
      windows(b, op, op.getSource(), op.getIndices(), op.getIndexVectorDim(),
              op.getScatterDimsToOperandDims(), op.getOperandBatchingDims(),
              op.getScatterIndicesBatchingDims()) {
  for (auto [update, axis] : llvm::zip(op.getUpdateWindowDims(), windowAxes))
    sizes[axis] = extents[update];
}

static SmallVector<Value> valuesAt(ValueRange position,
                                   ArrayRef<int64_t> axes) {
  return llvm::map_to_vector(
      axes, [&](int64_t axis) -> Value { return position[axis]; });
}

void ScatterLowering::computeStarts(ValueRange batch, bool isChecked) {
  windows.computeStarts(batch);
  if (op.getMode() == ScatterMode::Clip)
    windows.clamp();
  if (op.getMode() == ScatterMode::PromiseInBounds && isChecked)
    windows.failUnlessInRange();
}

/// Ends the call if two updates write one element: a mark per element of the
/// source tells which are written.
void ScatterLowering::failUnlessUnique() {
  Value no = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  Value marks = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, op.getSource()), b.getI1Type());
  marks = linalg::FillOp::create(b, loc, no, marks).getResult(0);
  auto markElement = [&](ValueRange position,
                         ValueRange carried) -> scf::ValueVector {
    computeStarts(valuesAt(position, batchAxes), /*isChecked=*/true);
    auto mark = [&](Value inner) -> Value {
      SmallVector<Value> at = windows.starts;
      for (auto [update, axis] :
           llvm::zip(op.getUpdateWindowDims(), windowAxes))
        at[axis] = arith::AddIOp::create(b, loc, at[axis], position[update]);
      failIf(b, op, tensor::ExtractOp::create(b, loc, inner, at),
             FailMessage() << "an element is written twice, though the indices "
                              "are promised to be unique",
             "scatter", "unique_indices", FailMessage() << "false");
      return tensor::InsertOp::create(b, loc, yes, inner, at);
    };
    if (op.getMode() != ScatterMode::Drop)
      return {mark(carried.front())};
    return {
        makeConditional(b, loc, windows.isInRange(), carried.front(), mark)};
  };
  makePositionLoops(b, loc, extents, marks, markElement);
}

/// The window of a position, or one element of it, combined with what the
/// carried result has there.
Value ScatterLowering::writeWindow(ValueRange position, Value carried) {
  SmallVector<OpFoldResult> offsets(extents.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> fromSizes = extents, toSizes = sizes;
  SmallVector<Value> starts = windows.starts;
  SmallVector<int64_t> kept = windowAxes, keptUpdates(op.getUpdateWindowDims());
  if (isByElement) {
    offsets = getAsOpFoldResult(position);
    fromSizes.assign(extents.size(), b.getIndexAttr(1));
    toSizes.assign(sizes.size(), b.getIndexAttr(1));
    for (auto [update, axis] : llvm::zip(keptUpdates, kept))
      starts[axis] =
          arith::AddIOp::create(b, loc, starts[axis], position[update]);
    kept.clear();
    keptUpdates.clear();
  } else {
    for (auto [axis, value] : llvm::zip(batchAxes, position)) {
      offsets[axis] = value;
      fromSizes[axis] = b.getIndexAttr(1);
    }
  }
  SliceBounds from = windowAt(b, offsets, fromSizes);
  SliceBounds to = windowAt(b, getAsOpFoldResult(starts), toSizes);
  Value update = extractWindow(b, loc, op.getUpdates(), from, keptUpdates);
  Value old = extractWindow(b, loc, carried, to, kept);
  Value combined = combineWindows(b, loc, op.getCombiner(), old, update);
  return insertSlice(b, loc, combined, carried, to);
}

scf::ValueVector ScatterLowering::addWindow(ValueRange position,
                                            Value carried) {
  computeStarts(isByElement ? valuesAt(position, batchAxes)
                            : SmallVector<Value>(position),
                isChecked);
  if (op.getMode() != ScatterMode::Drop)
    return {writeWindow(position, carried)};
  return {
      makeConditional(b, loc, windows.isInRange(), carried, [&](Value inner) {
        return writeWindow(position, inner);
      })};
}

void ScatterLowering::run() {
  windows.prepare(sizes);
  if (op.getUniqueIndices() && isChecked)
    failUnlessUnique();
  b.replaceOp(op,
              makePositionLoops(
                  b, loc, isByElement ? extents : select(extents, batchAxes),
                  op.getSource(), [&](ValueRange position, ValueRange carried) {
                    return addWindow(position, carried.front());
                  }));
}

void symshape::lower(RewriterBase &b, ScatterOp op, bool isChecked) {
  ScatterLowering(b, op, isChecked).run();
}
