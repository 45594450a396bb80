//===- RowLoops.cpp - A group of structured ops, row by row ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"

#include "Structure/Contraction.h"
#include "symshape/Transforms/Canonicalizer.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

/// The part of `value` at the current rows.
RowLoops::Slice RowLoops::getSlice(Value value, AffineMap map,
                                   ArrayRef<unsigned> loops) {
  Slice slice;
  Value source = getShapeSource(value);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    const unsigned *row =
        loop ? llvm::find(loops, loop.getPosition()) : loops.end();
    bool isRow = row != loops.end();
    slice.isWhole &= !isRow;
    slice.offsets.push_back(isRow ? ivs[row - loops.begin()]
                                  : rewriter.getIndexAttr(0));
    slice.sizes.push_back(
        isRow ? counts[row - loops.begin()]
              : tensor::getMixedSize(rewriter, loc, source, dim));
    slice.strides.push_back(rewriter.getIndexAttr(1));
  }
  return slice;
}

Value RowLoops::extract(Value value, const Slice &slice) {
  if (slice.isWhole)
    return value;
  return extractSlice(rewriter, loc, value, slice);
}

/// What the op for the current rows writes into: rows of the loop's result, or
/// a tensor of its own.
Value RowLoops::getInit(linalg::LinalgOp op, OpOperand &init,
                        const Slice &slice) {
  Value value = init.get();
  auto fill = value.getDefiningOp<linalg::FillOp>();
  bool isRead = !overwrites(op, init);
  OpResult result = op.getTiedOpResult(&init);
  if (OpOperand *lender = getLender(op, init))
    return tiles.lookup(lender->get());
  Value home = homes.contains(result) ? homes.lookup(result) : Value(result);
  Value rows;
  if (Value carried = escaping.lookup(home))
    rows = extract(carried, slice);
  else if (!isRead || fill)
    rows = tensor::EmptyOp::create(rewriter, loc, slice.sizes,
                                   getElementTypeOrSelf(value.getType()));
  else
    rows = extract(value, slice);
  if (fill && isRead)
    rows =
        linalg::FillOp::create(rewriter, loc, fill.value(), rows).getResult(0);
  return rows;
}

/// An input that `init` may overwrite: one that only the group reads, this op
/// last, and at the same places.
OpOperand *RowLoops::getLender(linalg::LinalgOp op, OpOperand &init) {
  if (!escaping.contains(op.getTiedOpResult(&init)) || !overwrites(op, init) ||
      op.getNumReductionLoops() > 0)
    return nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto producer = input->get().getDefiningOp<linalg::GenericOp>();
    if (!group.contains(producer) || escaping.contains(input->get()) ||
        input->get().getType() != init.get().getType() ||
        op.getMatchingIndexingMap(input) != op.getMatchingIndexingMap(&init))
      continue;
    OpOperand *producerInit = producer.getDpsInitOperand(
        cast<OpResult>(input->get()).getResultNumber());
    bool isLast = llvm::all_of(input->get().getUsers(), [&](Operation *user) {
      return user == op || user->isBeforeInBlock(op);
    });
    if (isLast && overwrites(producer, *producerInit))
      return input;
  }
  return nullptr;
}

/// Lets what ends up in an escaping result be written there directly.
void RowLoops::findHomes() {
  for (Value value : llvm::make_first_range(escaping)) {
    auto result = cast<OpResult>(value);
    auto op = cast<linalg::LinalgOp>(result.getOwner());
    OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
    if (OpOperand *lender = getLender(op, *init))
      homes[lender->get()] = result;
  }
}

/// Runs an op for the current rows, and stores what escapes.
void RowLoops::runOp(linalg::LinalgOp op, ArrayRef<unsigned> loops) {
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!isa<RankedTensorType>(value.getType()))
      operands.push_back(value);
    else if (Value rows = tiles.lookupOrNull(value))
      operands.push_back(rows);
    else if (op.isDpsInit(&operand))
      operands.push_back(getInit(op, operand, getSlice(value, map, loops)));
    else
      operands.push_back(extract(value, getSlice(value, map, loops)));
    if (op.isDpsInit(&operand))
      types.push_back(operands.back().getType());
  }
  auto clone = cast<linalg::LinalgOp>(
      mlir::clone(rewriter, op.getOperation(), types, operands));
  SmallVector<OpFoldResult> offsets(op.getNumLoops());
  for (auto [loop, iv] : llvm::zip(loops, ivs))
    offsets[loop] = iv;
  linalg::offsetIndices(rewriter, clone, offsets);
  tiles.map(op->getResults(), clone->getResults());
  clones.push_back(clone);
  for (OpResult result : op->getResults()) {
    auto carried = escaping.find(result);
    if (carried == escaping.end())
      continue;
    Slice slice =
        getSlice(result, op.getIndexingMapMatchingResult(result), loops);
    if (parallel)
      stores.push_back(
          {carried - escaping.begin(), tiles.lookup(result), slice});
    else
      carried->second = insertSlice(rewriter, loc, tiles.lookup(result),
                                    carried->second, slice);
  }
}

SmallVector<Value> RowLoops::runRows(ValueRange rowIvs, ValueRange carried) {
  for (auto [entry, value] : llvm::zip(escaping, carried))
    entry.second = value;
  ivs.assign(rowIvs.begin(), rowIvs.end());
  counts.assign(group.numRows, rewriter.getIndexAttr(1));
  if (blockRows > 1) {
    AffineExpr extent, iv;
    bindDims(rewriter.getContext(), extent, iv);
    AffineExpr full = rewriter.getAffineConstantExpr(blockRows);
    counts.back() = affine::makeComposedFoldedAffineMin(
        rewriter, loc,
        AffineMap::get(2, 0, {full, extent - iv}, rewriter.getContext()),
        {extents.back(), ivs.back()});
  }
  for (auto &[op, loops] : group.loops)
    runOp(cast<linalg::LinalgOp>(op), loops);
  return llvm::to_vector(llvm::make_second_range(escaping));
}

/// The number of rows in each row dimension.
static SmallVector<OpFoldResult> getRowExtents(OpBuilder &builder,
                                               const RowGroup &group) {
  auto op = cast<linalg::LinalgOp>(group.loops.front().first);
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(0));
  SmallVector<OpFoldResult> extents;
  for (unsigned loop : group.loops.front().second)
    extents.push_back(tensor::getMixedSize(
        builder, op.getLoc(), getShapeSource(op->getResult(0)),
        *map.getResultPosition(builder.getAffineDimExpr(loop))));
  return extents;
}

/// What the rows of an escaping result are stored into.
Value RowLoops::makeResult(OpResult result) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
  Value value = init->get();
  if (!overwrites(op, *init) && !value.getDefiningOp<linalg::FillOp>() &&
      !group.contains(value.getDefiningOp()))
    return value;
  return tensor::EmptyOp::create(
      rewriter, loc,
      tensor::getMixedSizes(rewriter, loc, getShapeSource(value)),
      getElementTypeOrSelf(value.getType()));
}

/// Whether a row of the result has no elements; null if it has some, by its
/// type.
Value RowLoops::isRowEmpty(OpResult result, Value init) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  AffineMap map = op.getIndexingMapMatchingResult(result);
  ArrayRef<unsigned> loops = group.loops.find(op)->second;
  Value empty;
  auto type = cast<RankedTensorType>(result.getType());
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
    if ((loop && llvm::is_contained(loops, loop.getPosition())) ||
        (!ShapedType::isDynamic(extent) && extent != 0))
      continue;
    Value none = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq,
        getValueOrCreateConstantIndexOp(
            rewriter, loc, tensor::getMixedSize(rewriter, loc, init, dim)),
        arith::ConstantIndexOp::create(rewriter, loc, 0));
    empty = empty ? arith::OrIOp::create(rewriter, loc, empty, none) : none;
  }
  return empty;
}

/// Where the loops over the rows end: at once if rows have no elements, as many
/// as there are.
SmallVector<Value> RowLoops::getEnds() {
  SmallVector<Value> ends(extents);
  // Rows of a block, or of a type that says how many, are few.
  auto many = llvm::find_if_not(ends, [](Value extent) {
    return getConstantIntValue(extent) ||
           extent.getDefiningOp<affine::AffineMinOp>();
  });
  if (many == ends.end())
    return ends;
  Value allEmpty;
  for (auto [result, init] : escaping) {
    Value empty = isRowEmpty(cast<OpResult>(result), init);
    if (!empty)
      return ends;
    allEmpty = allEmpty ? arith::AndIOp::create(rewriter, loc, allEmpty, empty)
                        : empty;
  }
  *many = arith::SelectOp::create(
      rewriter, loc, allEmpty, arith::ConstantIndexOp::create(rewriter, loc, 0),
      *many);
  return ends;
}

/// The loop over the rows, one after the other; returns the outermost one.
Operation *RowLoops::runInOrder(ValueRange begins, ValueRange ends,
                                ValueRange steps, ValueRange inits) {
  scf::LoopNest nest = scf::buildLoopNest(
      rewriter, loc, begins, ends, steps, inits,
      [&](OpBuilder &builder, Location, ValueRange rowIvs, ValueRange carried) {
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPoint(builder.getInsertionBlock(),
                                   builder.getInsertionPoint());
        return runRows(rowIvs, carried);
      });
  return nest.loops.front();
}

/// The same with rows in any order; each stores its own part of the results.
Operation *RowLoops::runOnThreads(ValueRange begins, ValueRange ends,
                                  ValueRange steps, ValueRange inits) {
  auto loop = scf::ForallOp::create(
      rewriter, loc, getAsOpFoldResult(begins), getAsOpFoldResult(ends),
      getAsOpFoldResult(steps), inits, /*mapping=*/std::nullopt);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop.getTerminator());
  runRows(loop.getInductionVars(), loop.getRegionIterArgs());
  rewriter.setInsertionPointToStart(loop.getTerminator().getBody());
  for (auto &[number, tile, slice] : stores) {
    BlockArgument result = loop.getRegionIterArgs()[number];
    if (!hasNoElements(cast<RankedTensorType>(result.getType()), slice))
      tensor::ParallelInsertSliceOp::create(rewriter, loc, tile, result,
                                            slice.offsets, slice.sizes,
                                            slice.strides);
  }
  return loop;
}

void RowLoops::build() {
  SmallVector<Operation *> dependents = group.getDependents();
  rewriter.setInsertionPoint(group.last());
  auto isOutside = [&](OpOperand &use) {
    return !group.contains(use.getOwner());
  };
  SmallVector<Value> inits;
  for (Operation *op : llvm::make_first_range(group.loops))
    for (OpResult result : op->getResults())
      if (llvm::any_of(result.getUses(), isOutside)) {
        inits.push_back(makeResult(result));
        escaping.insert({result, inits.back()});
      }
  findHomes();
  extents = getValueOrCreateConstantIndexOp(rewriter, loc,
                                            getRowExtents(rewriter, group));
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  SmallVector<Value> begins(group.numRows, zero);
  SmallVector<Value> steps(group.numRows,
                           arith::ConstantIndexOp::create(rewriter, loc, 1));
  steps.back() = arith::ConstantIndexOp::create(rewriter, loc, blockRows);
  SmallVector<Value> ends = getEnds();
  Operation *end = parallel ? runOnThreads(begins, ends, steps, inits)
                            : runInOrder(begins, ends, steps, inits);
  for (auto [result, value] :
       llvm::zip(llvm::make_first_range(escaping), end->getResults()))
    rewriter.replaceUsesWithIf(result, value, isOutside);
  for (Operation *op : dependents) {
    rewriter.moveOpAfter(op, end);
    end = op;
  }
  SmallVector<Operation *> ops =
      llvm::to_vector(llvm::make_first_range(group.loops));
  for (Operation *op : llvm::reverse(ops))
    rewriter.eraseOp(op);
}

/// Whether an elementwise op may be computed inside a reduction that reads it.
/// What is read again afterwards must be computed once for each of the
/// reduction's iterations: a value per row would not be there if the row had no
/// elements.
static bool canFuseIntoReduction(OpOperand &operand) {
  auto reduction = cast<linalg::GenericOp>(operand.getOwner());
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  return producer && producer->getBlock() == reduction->getBlock() &&
         linalg::areElementwiseOpsFusable(&operand) && mayFuse(operand) &&
         (producer->hasOneUse() ||
          reduction.getMatchingIndexingMap(&operand).isPermutation()) &&
         llvm::all_of(producer->getUsers(), [&](Operation *user) {
           Operation *inBlock =
               reduction->getBlock()->findAncestorOpInBlock(*user);
           return user == reduction ||
                  (inBlock && reduction->isBeforeInBlock(inBlock));
         });
}

/// Computes what is reduced and read again in the pass that reduces it.
void RowLoops::fuseIntoReductions() {
  for (linalg::LinalgOp clone : clones) {
    auto reduction = dyn_cast<linalg::GenericOp>(clone.getOperation());
    if (!reduction || reduction.getNumReductionLoops() == 0 ||
        isContraction(clone))
      continue;
    for (OpOperand *operand : reduction.getDpsInputOperands()) {
      if (!canFuseIntoReduction(*operand))
        continue;
      Operation *producer = operand->get().getDefiningOp();
      rewriter.setInsertionPoint(reduction);
      FailureOr<linalg::ElementwiseOpFusionResult> fused =
          linalg::fuseElementwiseOps(rewriter, operand);
      if (failed(fused))
        continue;
      for (auto [value, replacement] : fused->replacements)
        rewriter.replaceUsesWithIf(value, replacement, [&](OpOperand &use) {
          return use.getOwner() != reduction && use.getOwner() != producer;
        });
      rewriter.eraseOp(reduction);
      rewriter.eraseOp(producer);
      break;
    }
  }
}
