//===- VectorReductions.cpp - Reductions along the vectors of a nest ------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several vectors under way at a time, whole vectors, and the bounded one.
//
//===----------------------------------------------------------------------===//

#include "VectorNest.h"

#include "VectorChoice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::symshape;

/// Vectors of a reduction under way at a time, a power of two: the latency of
/// an addition, in cycles.
static constexpr int64_t kReductionVectors = 4;

/// The next partials after one vector.
SmallVector<Value> VectorNest::emitLanes(ValueRange lanes, Value count,
                                         const IRMapping &uniform) {
  SmallVector<Value> firsts, next;
  unsigned position = 0;
  for (LanePartials &partials : reducers) {
    firsts.push_back(lanes[position]);
    position += partials.size();
  }
  SmallVector<Value> combined = emit(firsts, width, count, uniform);
  position = 0;
  for (auto [partials, value] : llvm::zip(reducers, combined)) {
    llvm::append_range(
        next, partials.advance(value, lanes.slice(position, partials.size())));
    position += partials.size();
  }
  return next;
}

/// Runs over [0, end) in steps of several vectors, each with partial results of
/// its own, so that no addition waits for the one before it. Returns where it
/// stops, and the parts put together.
std::pair<Value, SmallVector<Value>>
VectorNest::buildWideReduction(Value end, const IRMapping &uniform) {
  unsigned dim = *vectorDim;
  int64_t step = kReductionVectors * width;
  SmallVector<Value> start, lanes;
  for (LanePartials &partials : reducers)
    llvm::append_range(start, partials.makeStart());
  for (int64_t i = 0; i < kReductionVectors; ++i)
    llvm::append_range(lanes, start);
  Value wideEnd = roundDown(rewriter, loc, end, step);
  lanes = loop(index(0), wideEnd, step, lanes, [&](Value iv, ValueRange args) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < kReductionVectors; ++i) {
      ivs[dim] = arith::AddIOp::create(rewriter, loc, iv, index(i * width));
      llvm::append_range(next,
                         emitLanes(args.slice(i * start.size(), start.size()),
                                   nullptr, uniform));
    }
    return next;
  });
  for (int64_t parts = kReductionVectors; parts > 1; parts /= 2)
    for (int64_t i = 0; i < parts / 2; ++i) {
      unsigned position = i * start.size();
      unsigned other = position + parts / 2 * start.size();
      for (LanePartials &partials : reducers) {
        SmallVector<Value> merged =
            partials.merge(ValueRange(lanes).slice(position, partials.size()),
                           ValueRange(lanes).slice(other, partials.size()));
        llvm::copy(merged, lanes.begin() + position);
        position += partials.size();
        other += partials.size();
      }
    }
  lanes.resize(start.size());
  return {wideEnd, lanes};
}

/// What remains after whole vectors: one bounded vector, of which the lanes
/// that exist are combined.
SmallVector<Value> VectorNest::buildBoundedReduction(Value mainEnd,
                                                     ValueRange lanes,
                                                     const IRMapping &uniform) {
  unsigned dim = *vectorDim;
  Value hasRest = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::slt, mainEnd, sizes[dim]);
  auto rest = scf::IfOp::create(rewriter, loc, TypeRange(lanes), hasRest,
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(rest.elseBlock());
  scf::YieldOp::create(rewriter, loc, lanes);
  rewriter.setInsertionPointToStart(rest.thenBlock());
  ivs[dim] = mainEnd;
  Value count = subtract(sizes[dim], mainEnd);
  Place place = makePlace(width, count);
  Value mask = PayloadEmitter(rewriter, loc, place).getMask();
  SmallVector<Value> next = emitLanes(lanes, count, uniform);
  for (auto [value, lane] : llvm::zip(next, lanes))
    value = arith::SelectOp::create(rewriter, loc, mask, value, lane);
  scf::YieldOp::create(rewriter, loc, next);
  return llvm::to_vector_of<Value>(rest.getResults());
}

/// Partial results per lane, combined with the carried scalar at the end.
SmallVector<Value> VectorNest::buildVectorReduction(ValueRange carried) {
  unsigned dim = *vectorDim;
  IRMapping uniform;
  Place outside = makePlace(width);
  PayloadEmitter(rewriter, loc, outside).emitUniform(uniform, {});
  reducers.clear();
  for (OpOperand *init : carriedInits)
    reducers.emplace_back(rewriter, loc,
                          getCombiner(op, getInitNumber(op, *init)), width);
  Value mainEnd = getMainEnd(dim);
  auto [wideEnd, lanes] = buildWideReduction(mainEnd, uniform);
  lanes = loop(wideEnd, mainEnd, width, lanes, [&](Value iv, ValueRange args) {
    ivs[dim] = iv;
    return emitLanes(args, nullptr, uniform);
  });
  if (!fillsVectors(dim) && !hasScalarTail)
    lanes = buildBoundedReduction(mainEnd, lanes, uniform);
  SmallVector<Value> results;
  unsigned position = 0;
  for (auto [partials, start] : llvm::zip(reducers, carried)) {
    results.push_back(partials.finish(
        ValueRange(lanes).slice(position, partials.size()), start));
    position += partials.size();
  }
  if (fillsVectors(dim) || !hasScalarTail)
    return results;
  return loop(mainEnd, sizes[dim], 1, results, [&](Value iv, ValueRange args) {
    ivs[dim] = iv;
    return emit(args, /*width=*/0, nullptr, uniform);
  });
}
