//===- PointEmitter.cpp - One point of a structured op --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results that the inner loops do not index are carried in registers; others
// are read and written at each of their iterations.
//
//===----------------------------------------------------------------------===//

#include "PointEmitter.h"

#include "GPU/Combiners.h"
#include "GPU/Kernels.h"
#include "Structure/Loops.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/Analysis/AffineAnalysis.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::symshape;

bool PointEmitter::canEmit(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.hasPureBufferSemantics() && op->getNumRegions() == 1 &&
           !op->getRegion(0).empty();
  if (auto contract = dyn_cast<ContractOp>(op))
    return isa<MemRefType>(contract.getInit().getType()) &&
           !contract.isPacked();
  return false;
}

PointEmitter::PointEmitter(OpBuilder &builder, Operation *op) : op(op) {
  Location loc = op->getLoc();
  SmallVector<bool> isPoint;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    for (const mlir::Range &range : structured.createLoopRanges(builder, loc))
      extents.push_back(range.size);
    for (utils::IteratorType type : structured.getIteratorTypesArray())
      isPoint.push_back(type == utils::IteratorType::parallel);
  } else {
    auto contract = cast<ContractOp>(op);
    extents = getLoopExtents(builder, contract);
    for (unsigned loop = 0; loop < extents.size(); ++loop)
      isPoint.push_back(contract.getInitMap().isFunctionOfDim(loop));
  }
  for (auto [loop, is] : llvm::enumerate(isPoint))
    (is ? points : inner).push_back(loop);
}

SmallVector<OpFoldResult> PointEmitter::getPointExtents() const {
  return llvm::map_to_vector(points,
                             [&](unsigned loop) { return extents[loop]; });
}

SmallVector<Value> PointEmitter::emitInner(OpBuilder &builder,
                                           SmallVector<Value> ivs,
                                           ValueRange inits, Share share,
                                           Body body) const {
  Location loc = op->getLoc();
  if (inner.empty())
    return body(ivs, inits);
  SmallVector<Value> lower, upper, step;
  for (unsigned loop : inner) {
    bool isShared = share.lane && loop == share.loop;
    lower.push_back(isShared ? share.lane : makeIndex(builder, loc, 0));
    upper.push_back(makeIndex(builder, loc, extents[loop]));
    step.push_back(makeIndex(builder, loc, isShared ? warpThreads : 1));
  }
  for (size_t i = 0; i + 1 < upper.size(); ++i)
    upper[i] = endUnlessEmpty(builder, loc, upper[i],
                              ArrayRef(upper).drop_front(i + 1));
  scf::ValueVector results =
      scf::buildLoopNest(builder, loc, lower, upper, step, inits,
                         [&](OpBuilder &, Location, ValueRange position,
                             ValueRange carried) -> scf::ValueVector {
                           for (auto [loop, iv] : llvm::zip(inner, position))
                             ivs[loop] = iv;
                           SmallVector<Value> next = body(ivs, carried);
                           return scf::ValueVector(next.begin(), next.end());
                         })
          .results;
  return SmallVector<Value>(results.begin(), results.end());
}

bool PointEmitter::carriesResults() const {
  auto structured = cast<linalg::LinalgOp>(op);
  return llvm::all_of(structured.getDpsInitsMutable(), [&](OpOperand &init) {
    AffineMap map = structured.getMatchingIndexingMap(&init);
    return llvm::none_of(
        inner, [&](unsigned loop) { return map.isFunctionOfDim(loop); });
  });
}

std::optional<unsigned> PointEmitter::findWarpLoop() const {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || inner.empty() || !carriesResults())
    return std::nullopt;
  if (!combinesInWarp(structured))
    return std::nullopt;
  for (OpOperand *input : structured.getDpsInputOperands()) {
    AffineMap map = structured.getMatchingIndexingMap(input);
    if (map.getNumResults() == 0)
      continue;
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (last && llvm::is_contained(inner, last.getPosition()))
      return last.getPosition();
  }
  return std::nullopt;
}

/// Stores what the body gives for the results at `ivs`.
static void storeResults(OpBuilder &builder, linalg::LinalgOp op,
                         ValueRange values, ArrayRef<Value> ivs) {
  for (auto [init, value] : llvm::zip(op.getDpsInitsMutable(), values))
    memref::StoreOp::create(builder, op.getLoc(), value, init.get(),
                            getElementPlace(builder, op.getLoc(),
                                            op.getMatchingIndexingMap(&init),
                                            ivs));
}

/// Combines the parts that the threads of a warp have of each result with what
/// it starts from; the first thread stores it.
static void storeOfWarp(OpBuilder &builder, linalg::LinalgOp op,
                        ValueRange inits, ValueRange parts, ArrayRef<Value> ivs,
                        Value lane) {
  Location loc = op.getLoc();
  SmallVector<Value> results;
  for (auto [number, part] : llvm::enumerate(parts)) {
    Operation *combiner = findCombiner(op, number);
    Value sum = combineWarp(builder, loc, combiner, part);
    results.push_back(combineTwo(builder, combiner, inits[number], sum));
  }
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        lane, makeIndex(builder, loc, 0));
  auto branch = scf::IfOp::create(builder, loc, isFirst);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  storeResults(builder, op, results, ivs);
}

/// True if a result may have no elements although there is a point.
static bool mayBeEmpty(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return !op.getMatchingIndexingMap(&init).isProjectedPermutation();
  });
}

void PointEmitter::emitStructured(OpBuilder &builder, linalg::LinalgOp op,
                                  ArrayRef<Value> ivs, Share share) const {
  Location loc = op.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  if (mayBeEmpty(op)) {
    // Without an iteration, results stay as they are.
    Value runs =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    for (unsigned loop : inner) {
      Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                         makeIndex(builder, loc, extents[loop]),
                                         makeIndex(builder, loc, 0));
      runs = arith::AndIOp::create(builder, loc, runs, some);
    }
    auto branch = scf::IfOp::create(builder, loc, runs);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  bool carries = carriesResults();
  auto access = [&](OpOperand &operand, ArrayRef<Value> at) {
    return getElementPlace(builder, loc, op.getMatchingIndexingMap(&operand),
                           at);
  };
  auto isRead = [&](OpOperand &operand) {
    return !op.getMatchingBlockArgument(&operand).use_empty();
  };
  SmallVector<Value> inits, starts;
  if (carries)
    for (OpOperand &init : op.getDpsInitsMutable())
      inits.push_back(
          memref::LoadOp::create(builder, loc, init.get(), access(init, ivs)));
  starts = inits;
  if (share.lane)
    for (auto [number, start] : llvm::enumerate(starts))
      start = arith::ConstantOp::create(
          builder, loc, *arith::getNeutralElement(findCombiner(op, number)));
  SmallVector<Value> results = emitInner(
      builder, SmallVector<Value>(ivs), starts, share,
      [&](ArrayRef<Value> at, ValueRange carried) {
        IRMapping mapping;
        for (OpOperand *input : op.getDpsInputOperands()) {
          Value value = input->get();
          if (isa<MemRefType>(value.getType()) && isRead(*input))
            value =
                memref::LoadOp::create(builder, loc, value, access(*input, at));
          mapping.map(op.getMatchingBlockArgument(input), value);
        }
        for (auto [number, init] : llvm::enumerate(op.getDpsInitsMutable())) {
          Value value = carries ? carried[number] : Value();
          if (!carries && isRead(init))
            value = memref::LoadOp::create(builder, loc, init.get(),
                                           access(init, at));
          if (value)
            mapping.map(op.getMatchingBlockArgument(&init), value);
        }
        SmallVector<Value> yielded =
            cloneStructuredBody(builder, op, at, mapping);
        if (carries)
          return yielded;
        storeResults(builder, op, yielded, at);
        return SmallVector<Value>();
      });
  if (share.lane)
    storeOfWarp(builder, op, inits, results, ivs, share.lane);
  else if (carries)
    storeResults(builder, op, results, ivs);
}

/// `value` in the wider type that sums are formed in.
static Value widen(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<FloatType>(type))
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

static Value addProduct(OpBuilder &builder, Location loc, Value a, Value b,
                        Value sum) {
  if (isa<FloatType>(sum.getType()))
    return math::FmaOp::create(builder, loc, a, b, sum);
  Value product = arith::MulIOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, sum, product);
}

void PointEmitter::emitContraction(OpBuilder &builder, ContractOp op,
                                   ArrayRef<Value> ivs) const {
  Location loc = op.getLoc();
  Type type = op.getSumType();
  auto load = [&](unsigned number, ArrayRef<Value> at) {
    return loadMapped(builder, op, number, at);
  };
  Value start =
      op.getAccumulate()
          ? load(2 + op.getOthers().size(), ivs)
          : arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value sum = emitInner(builder, SmallVector<Value>(ivs), start, Share(),
                        [&](ArrayRef<Value> at, ValueRange carried) {
                          Value a = widen(builder, loc, load(0, at), type);
                          Value b = widen(builder, loc, load(1, at), type);
                          return SmallVector<Value>{
                              addProduct(builder, loc, a, b, carried[0])};
                        })
                  .front();
  storeResult(builder, op, sum, ivs);
}

void PointEmitter::emitPoint(OpBuilder &builder, ValueRange position) const {
  SmallVector<Value> ivs(extents.size());
  for (auto [loop, index] : llvm::zip(points, position))
    ivs[loop] = index;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return emitStructured(builder, structured, ivs, Share());
  emitContraction(builder, cast<ContractOp>(op), ivs);
}

void PointEmitter::emitPointOfWarp(OpBuilder &builder, ValueRange position,
                                   unsigned loop, Value lane) const {
  SmallVector<Value> ivs(extents.size());
  for (auto [point, index] : llvm::zip(points, position))
    ivs[point] = index;
  emitStructured(builder, cast<linalg::LinalgOp>(op), ivs, {loop, lane});
}

void PointEmitter::emitInOrder(OpBuilder &builder) const {
  makePositionLoops(builder, op->getLoc(), getPointExtents(), {},
                    [&](ValueRange position, ValueRange) -> scf::ValueVector {
                      emitPoint(builder, position);
                      return {};
                    });
}
