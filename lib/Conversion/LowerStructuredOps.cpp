//===- LowerStructuredOps.cpp - Structured ops to vector loops ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops for structured ops on memrefs: parallel dimensions outside, reductions
// inside with their results carried in registers, one dimension in vectors. Not
// for: contractions (LowerContractions), which are lowered before they reach
// memrefs.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Conversion/StructuredOps.h"

#include "LanePartials.h"
#include "PayloadEmitter.h"
#include "VectorChoice.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERSTRUCTUREDOPSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Builds the loops of one op.
class NestBuilder {
public:
  NestBuilder(RewriterBase &rewriter, linalg::GenericOp op,
              std::optional<unsigned> vectorDim, int64_t width,
              bool hasScalarTail);
  void build() { buildParallel(0); }
  /// The same, with the outermost dimensions in one parallel loop.
  void buildOnThreads();

private:
  /// A loop over `size` points with a body that maps carried values.
  using Body = function_ref<SmallVector<Value>(Value, ValueRange)>;
  SmallVector<Value> loop(Value begin, Value end, int64_t step,
                          ValueRange carried, Body body);
  void onThreads(ValueRange ends, ArrayRef<int64_t> steps,
                 function_ref<void(ValueRange)> body);
  bool indexesAllResults(unsigned dim);
  void buildParallel(unsigned depth);
  void buildVectorLoop(unsigned dim);
  void buildPoint(int64_t width, Value count, const IRMapping &uniform);
  SmallVector<Value> buildReductions(unsigned depth, ValueRange carried,
                                     int64_t width, Value count,
                                     const IRMapping &uniform);
  SmallVector<Value> buildVectorReduction(ValueRange carried);
  std::pair<Value, SmallVector<Value>>
  buildWideReduction(Value end, const IRMapping &uniform);
  SmallVector<Value> buildBoundedReduction(Value mainEnd, ValueRange lanes,
                                           const IRMapping &uniform);
  SmallVector<Value> emitLanes(ValueRange lanes, Value count,
                               const IRMapping &uniform);
  Value roundDown(Value size, int64_t step);
  SmallVector<Value> emit(ValueRange carried, int64_t width, Value count,
                          const IRMapping &uniform);
  Place makePlace(int64_t width, Value count = nullptr);
  Value index(int64_t value);
  Value getMainEnd(unsigned dim);
  Value getRest(Value end, Value begin);
  bool fillsVectors(unsigned dim);

  RewriterBase &rewriter;
  linalg::GenericOp op;
  Location loc;
  std::optional<unsigned> vectorDim;
  int64_t width;
  bool hasScalarTail; ///< what whole vectors leave is done one by one
  bool isVectorReduction = false;
  bool vectorsOnThreads = false;
  SmallVector<unsigned> parallels, reductions;
  SmallVector<Value> sizes, ivs;
  SmallVector<int64_t> extents;
  SmallVector<OpOperand *> carriedInits, storedInits;
  SmallVector<LanePartials> reducers; ///< per carried init
};
} // namespace

/// Vectors of a reduction under way at a time, a power of two: the latency of
/// an addition, in cycles.
static constexpr int64_t kReductionVectors = 4;

NestBuilder::NestBuilder(RewriterBase &rewriter, linalg::GenericOp op,
                         std::optional<unsigned> vectorDim, int64_t width,
                         bool hasScalarTail)
    : rewriter(rewriter), op(op), loc(op.getLoc()), vectorDim(vectorDim),
      width(width), hasScalarTail(hasScalarTail) {
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isParallel = iterator == utils::IteratorType::parallel;
    if (vectorDim == dim)
      isVectorReduction = !isParallel;
    else
      (isParallel ? parallels : reductions).push_back(dim);
  }
  if (vectorDim)
    (isVectorReduction ? reductions : parallels).push_back(*vectorDim);
  extents = op.getStaticLoopRanges();
  for (OpOperand &init : this->op.getDpsInitsMutable())
    (isWrittenInReduction(op, init) ? storedInits : carriedInits)
        .push_back(&init);
  for (const Range &range : cast<linalg::LinalgOp>(op.getOperation())
                                .createLoopRanges(rewriter, loc))
    sizes.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, range.size));
  ivs.resize(extents.size());
}

Value NestBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(rewriter, loc, value);
}

Place NestBuilder::makePlace(int64_t lanes, Value count) {
  Place place;
  place.op = op;
  place.ivs = ivs;
  place.vectorDim = vectorDim.value_or(0);
  place.width = lanes;
  place.count = count;
  return place;
}

bool NestBuilder::fillsVectors(unsigned dim) {
  return !ShapedType::isDynamic(extents[dim]) && extents[dim] % width == 0;
}

/// The largest multiple of the vector width that is at most the extent.
Value NestBuilder::getMainEnd(unsigned dim) {
  if (fillsVectors(dim))
    return sizes[dim];
  return roundDown(sizes[dim], width);
}

Value NestBuilder::roundDown(Value size, int64_t step) {
  AffineExpr expr = rewriter.getAffineDimExpr(0).floorDiv(step) * step;
  OpFoldResult end = affine::makeComposedFoldedAffineApply(
      rewriter, loc, AffineMap::get(1, 0, expr), getAsOpFoldResult(size));
  return getValueOrCreateConstantIndexOp(rewriter, loc, end);
}

Value NestBuilder::getRest(Value end, Value begin) {
  return arith::SubIOp::create(rewriter, loc, end, begin);
}

SmallVector<Value> NestBuilder::loop(Value begin, Value end, int64_t step,
                                     ValueRange carried, Body body) {
  auto loop =
      scf::ForOp::create(rewriter, loc, begin, end, index(step), carried,
                         [&](OpBuilder &, Location, Value iv, ValueRange args) {
                           scf::YieldOp::create(rewriter, loc, body(iv, args));
                         });
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// A parallel loop from 0.
void NestBuilder::onThreads(ValueRange ends, ArrayRef<int64_t> steps,
                            function_ref<void(ValueRange)> body) {
  SmallVector<Value> begins(ends.size(), index(0)), stepValues;
  for (int64_t step : steps)
    stepValues.push_back(index(step));
  scf::ParallelOp::create(
      rewriter, loc, begins, ends, stepValues,
      [&](OpBuilder &, Location, ValueRange values) { body(values); });
}

/// Whether iterations that differ in `dim` write to different elements.
bool NestBuilder::indexesAllResults(unsigned dim) {
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return llvm::is_contained(op.getMatchingIndexingMap(&init).getResults(),
                              rewriter.getAffineDimExpr(dim));
  });
}

void NestBuilder::buildOnThreads() {
  SmallVector<Value> ends;
  for (unsigned dim : parallels) {
    if (vectorDim == dim || !indexesAllResults(dim))
      break;
    ends.push_back(sizes[dim]);
  }
  if (ends.empty()) {
    vectorsOnThreads = !parallels.empty() && vectorDim == parallels.front() &&
                       indexesAllResults(*vectorDim);
    return buildParallel(0);
  }
  SmallVector<int64_t> steps(ends.size(), 1);
  onThreads(ends, steps, [&](ValueRange values) {
    for (auto [dim, value] : llvm::zip(parallels, values))
      ivs[dim] = value;
    buildParallel(ends.size());
  });
}

void NestBuilder::buildParallel(unsigned depth) {
  if (depth == parallels.size())
    return buildPoint(/*width=*/0, nullptr, IRMapping());
  unsigned dim = parallels[depth];
  if (vectorDim == dim)
    return buildVectorLoop(dim);
  loop(index(0), sizes[dim], 1, {}, [&](Value iv, ValueRange) {
    OpBuilder::InsertionGuard guard(rewriter);
    ivs[dim] = iv;
    buildParallel(depth + 1);
    return SmallVector<Value>();
  });
}

void NestBuilder::buildVectorLoop(unsigned dim) {
  IRMapping uniform;
  Place outside = makePlace(width);
  PayloadEmitter(rewriter, loc, outside).emitUniform(uniform, reductions);
  Value mainEnd = getMainEnd(dim);
  auto buildVector = [&](ValueRange values) {
    ivs[dim] = values.front();
    buildPoint(width, nullptr, uniform);
  };
  if (vectorsOnThreads)
    onThreads(mainEnd, width, buildVector);
  else
    loop(index(0), mainEnd, width, {}, [&](Value iv, ValueRange) {
      buildVector(iv);
      return SmallVector<Value>();
    });
  if (fillsVectors(dim))
    return;
  if (hasScalarTail) {
    loop(mainEnd, sizes[dim], 1, {}, [&](Value iv, ValueRange) {
      ivs[dim] = iv;
      buildPoint(/*width=*/0, nullptr, uniform);
      return SmallVector<Value>();
    });
    return;
  }
  Value hasRest = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::slt, mainEnd, sizes[dim]);
  auto rest = scf::IfOp::create(rewriter, loc, hasRest);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(rest.thenBlock());
  ivs[dim] = mainEnd;
  buildPoint(width, getRest(sizes[dim], mainEnd), uniform);
}

/// Everything for one point, or one vector, of the parallel dimensions.
void NestBuilder::buildPoint(int64_t lanes, Value count,
                             const IRMapping &uniform) {
  Place place = makePlace(lanes, count);
  PayloadEmitter emitter(rewriter, loc, place);
  SmallVector<Value> carried;
  for (OpOperand *init : carriedInits) {
    bool isRead = !op.getMatchingBlockArgument(init).use_empty();
    if (isRead || !reductions.empty())
      carried.push_back(emitter.broadcast(emitter.load(*init)));
    else
      carried.push_back(nullptr);
  }
  SmallVector<Value> results;
  if (reductions.empty())
    results = emit(carried, lanes, count, uniform);
  else
    results = buildReductions(0, carried, lanes, count, uniform);
  for (auto [init, result] : llvm::zip(carriedInits, results))
    emitter.store(*init, result);
}

SmallVector<Value> NestBuilder::buildReductions(unsigned depth,
                                                ValueRange carried,
                                                int64_t lanes, Value count,
                                                const IRMapping &uniform) {
  if (depth == reductions.size())
    return emit(carried, lanes, count, uniform);
  unsigned dim = reductions[depth];
  if (vectorDim == dim)
    return buildVectorReduction(carried);
  return loop(index(0), sizes[dim], 1, carried,
              [&](Value iv, ValueRange args) -> SmallVector<Value> {
                ivs[dim] = iv;
                return buildReductions(depth + 1, args, lanes, count, uniform);
              });
}

/// Everything for one place but the stores of what reductions carry.
SmallVector<Value> NestBuilder::emit(ValueRange carried, int64_t lanes,
                                     Value count, const IRMapping &uniform) {
  Place place = makePlace(lanes, count);
  PayloadEmitter emitter(rewriter, loc, place);
  IRMapping mapping = uniform;
  for (auto [init, value] : llvm::zip(carriedInits, carried))
    if (value)
      mapping.map(op.getMatchingBlockArgument(init), value);
  SmallVector<Value> all = emitter.emitBody(mapping);
  auto number = [&](OpOperand *init) { return getInitNumber(op, *init); };
  for (OpOperand *init : storedInits)
    emitter.store(*init, all[number(init)]);
  SmallVector<Value> results;
  for (OpOperand *init : carriedInits)
    results.push_back(emitter.broadcast(all[number(init)]));
  return results;
}

/// The next partials after one vector.
SmallVector<Value> NestBuilder::emitLanes(ValueRange lanes, Value count,
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
NestBuilder::buildWideReduction(Value end, const IRMapping &uniform) {
  unsigned dim = *vectorDim;
  int64_t step = kReductionVectors * width;
  SmallVector<Value> start, lanes;
  for (LanePartials &partials : reducers)
    llvm::append_range(start, partials.makeStart());
  for (int64_t i = 0; i < kReductionVectors; ++i)
    llvm::append_range(lanes, start);
  Value wideEnd = roundDown(end, step);
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
SmallVector<Value>
NestBuilder::buildBoundedReduction(Value mainEnd, ValueRange lanes,
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
  Value count = getRest(sizes[dim], mainEnd);
  Place place = makePlace(width, count);
  Value mask = PayloadEmitter(rewriter, loc, place).getMask();
  SmallVector<Value> next = emitLanes(lanes, count, uniform);
  for (auto [value, lane] : llvm::zip(next, lanes))
    value = arith::SelectOp::create(rewriter, loc, mask, value, lane);
  scf::YieldOp::create(rewriter, loc, next);
  return llvm::to_vector_of<Value>(rest.getResults());
}

/// Partial results per lane, combined with the carried scalar at the end.
SmallVector<Value> NestBuilder::buildVectorReduction(ValueRange carried) {
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

/// Whether a part of a vector of each operand along `dim` is loaded and stored
/// by one instruction.
static bool hasBoundedVectors(linalg::GenericOp op, unsigned dim,
                              int64_t maskedBits) {
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    Type type = getElementTypeOrSelf(operand.get().getType());
    return getAccess(op, operand, dim) != Access::Contiguous ||
           (maskedBits != 0 && type.getIntOrFloatBitWidth() >= maskedBits);
  });
}

LogicalResult mlir::symshape::lowerToVectorLoops(RewriterBase &rewriter,
                                                 linalg::GenericOp op,
                                                 int64_t vectorBits,
                                                 int64_t maskedBits,
                                                 bool onThreads) {
  if (!op.hasPureBufferSemantics() || !hasRegisterResults(op))
    return failure();
  for (OpOperand &operand : op->getOpOperands())
    if (isa<ShapedType>(operand.get().getType()) &&
        !isa<MemRefType>(operand.get().getType()))
      return failure();
  std::optional<unsigned> dim = chooseVectorDim(op);
  int64_t width = dim ? chooseVectorWidth(op, *dim, vectorBits) : 0;
  if (width <= 1)
    dim.reset();
  rewriter.setInsertionPoint(op);
  bool hasScalarTail = dim && (needsScalarTail(op, *dim) ||
                               !hasBoundedVectors(op, *dim, maskedBits));
  NestBuilder builder(rewriter, op, dim, width, hasScalarTail);
  if (onThreads)
    builder.buildOnThreads();
  else
    builder.build();
  rewriter.eraseOp(op);
  return success();
}

namespace {
struct LowerStructuredOpsPass
    : symshape::impl::LowerStructuredOpsPassBase<LowerStructuredOpsPass> {
  using LowerStructuredOpsPassBase::LowerStructuredOpsPassBase;

  /// Copies between buffers of different layout become structured ops; the rest
  /// are blocks of memory.
  void generalizeCopies(IRRewriter &rewriter) {
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp op) {
      auto isPlain = [](Value value) {
        auto type = dyn_cast<MemRefType>(value.getType());
        return !type || type.getLayout().isIdentity();
      };
      if (!isPlain(op.getSource()) || !isPlain(op.getTarget()))
        copies.push_back(op);
    });
    for (memref::CopyOp op : copies) {
      if (!isa<MemRefType>(op.getSource().getType()) ||
          !isa<MemRefType>(op.getTarget().getType()))
        continue;
      rewriter.setInsertionPoint(op);
      linalg::makeMemRefCopyOp(rewriter, op.getLoc(), op.getSource(),
                               op.getTarget());
      rewriter.eraseOp(op);
    }
  }

  void runOnOperation() override {
    if (vectorBits < 32) {
      emitError(getOperation()->getLoc())
          << "expected vector-bits of at least 32, but got "
          << int64_t(vectorBits);
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    generalizeCopies(rewriter);
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      if (!op.hasPureBufferSemantics())
        continue;
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      rewriter.setInsertionPoint(op);
      if (!generic) {
        FailureOr<linalg::GenericOp> general =
            linalg::generalizeNamedOp(rewriter, op);
        if (succeeded(general))
          generic = *general;
      }
      if (generic && succeeded(lowerToVectorLoops(rewriter, generic, vectorBits,
                                                  maskedBits, parallel)))
        continue;
      auto remaining =
          generic ? cast<linalg::LinalgOp>(generic.getOperation()) : op;
      rewriter.setInsertionPoint(remaining);
      if (failed(linalg::linalgOpToLoops(rewriter, remaining))) {
        remaining->emitOpError("expected an op that loops can express");
        return signalPassFailure();
      }
      rewriter.eraseOp(remaining);
    }
  }
};
} // namespace
