//===- VectorNest.cpp - Vector loops of one structured op -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops, and what is done for one place. Not for: reductions along the vectors
// (VectorReductions.cpp).
//
//===----------------------------------------------------------------------===//

#include "VectorNest.h"

#include "NextRow.h"
#include "VectorChoice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::symshape;

/// Floats that are added one by one: where a sum is far larger than its terms,
/// as one of a million of them, rounding would take more and more of each.
static constexpr int64_t termsInSequence = 4096;

VectorNest::VectorNest(RewriterBase &rewriter, linalg::GenericOp op,
                       std::optional<unsigned> vectorDim, int64_t width,
                       bool hasScalarTail)
    : Arithmetic(rewriter, op.getLoc()), rewriter(rewriter), op(op),
      vectorDim(vectorDim), width(width), hasScalarTail(hasScalarTail) {
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
  if (!vectorDim)
    return;
  for (OpOperand *input : this->op.getDpsInputOperands())
    if (isa<MemRefType>(input->get().getType()) &&
        getAccess(op, *input, *vectorDim) == Access::Contiguous)
      if (Value next = makeNextRow(rewriter, *input))
        nextRows.emplace_back(input, next);
}

Place VectorNest::makePlace(int64_t lanes, Value count) {
  Place place;
  place.op = op;
  place.ivs = ivs;
  place.vectorDim = vectorDim.value_or(0);
  place.width = lanes;
  place.count = count;
  return place;
}

bool VectorNest::fillsVectors(unsigned dim) {
  return !ShapedType::isDynamic(extents[dim]) && extents[dim] % width == 0;
}

/// The largest multiple of the vector width that is at most the extent.
Value VectorNest::getMainEnd(unsigned dim) {
  if (fillsVectors(dim))
    return sizes[dim];
  return roundDown(rewriter, loc, sizes[dim], width);
}

/// A parallel loop from 0.
void VectorNest::onThreads(ValueRange ends, ArrayRef<int64_t> steps,
                           function_ref<void(ValueRange)> body) {
  SmallVector<Value> begins(ends.size(), index(0)), stepValues;
  for (int64_t step : steps)
    stepValues.push_back(index(step));
  scf::ParallelOp::create(
      rewriter, loc, begins, ends, stepValues,
      [&](OpBuilder &, Location, ValueRange values) { body(values); });
}

/// Whether iterations that differ in `dim` write to different elements.
bool VectorNest::indexesAllResults(unsigned dim) {
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return llvm::is_contained(op.getMatchingIndexingMap(&init).getResults(),
                              rewriter.getAffineDimExpr(dim));
  });
}

void VectorNest::buildOnThreads() {
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

void VectorNest::buildParallel(unsigned depth) {
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

void VectorNest::buildVectorLoop(unsigned dim) {
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
  Value hasRest = compare(arith::CmpIPredicate::slt, mainEnd, sizes[dim]);
  auto rest = scf::IfOp::create(rewriter, loc, hasRest);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(rest.thenBlock());
  ivs[dim] = mainEnd;
  buildPoint(width, subtract(sizes[dim], mainEnd), uniform);
}

/// Everything for one point, or one vector, of the parallel dimensions.
void VectorNest::buildPoint(int64_t lanes, Value count,
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

/// Where a loop of a reduction ends.
Value VectorNest::getReductionEnd(unsigned depth) {
  SmallVector<Value> inner;
  for (unsigned dim : ArrayRef(reductions).drop_front(depth + 1))
    inner.push_back(sizes[dim]);
  return endUnlessEmpty(rewriter, loc, sizes[reductions[depth]], inner);
}

/// Whether a carried init is a sum of floats that only its end is read of. One
/// of 16 bits is a sum as the program has written it.
bool VectorNest::isFloatSum(OpOperand &init) {
  Operation *combiner = getCombiner(op, getInitNumber(op, init));
  return isa_and_nonnull<arith::AddFOp>(combiner) && combiner->hasOneUse() &&
         op.getMatchingBlockArgument(&init).hasOneUse() &&
         combiner->getResult(0).getType().getIntOrFloatBitWidth() >= 32;
}

/// After how many iterations of a loop of a reduction sums begin anew; null if
/// there are never so many terms, or no sums.
Value VectorNest::getIterationsOfSum(unsigned depth) {
  if (llvm::none_of(carriedInits,
                    [&](OpOperand *init) { return isFloatSum(*init); }))
    return nullptr;
  constexpr int64_t tooMany = termsInSequence + 1;
  int64_t terms = 1;
  for (unsigned dim : ArrayRef(reductions).drop_front(depth)) {
    int64_t extent = ShapedType::isDynamic(extents[dim])
                         ? tooMany
                         : std::min(extents[dim], tooMany);
    terms = std::min(terms * extent, tooMany);
  }
  if (terms < tooMany)
    return nullptr;
  if (depth + 1 == reductions.size())
    return index(termsInSequence);
  Value one = index(1), inner = one;
  for (unsigned dim : ArrayRef(reductions).drop_front(depth + 1))
    inner = multiply(inner, sizes[dim]);
  Value count = arith::DivUIOp::create(rewriter, loc, index(termsInSequence),
                                       maximum(inner, one));
  return maximum(count, one);
}

SmallVector<Value> VectorNest::buildReductions(unsigned depth,
                                               ValueRange carried,
                                               int64_t lanes, Value count,
                                               const IRMapping &uniform) {
  if (depth == reductions.size())
    return emit(carried, lanes, count, uniform);
  unsigned dim = reductions[depth];
  if (vectorDim == dim)
    return buildVectorReduction(carried);
  auto run = [&](Value begin, Value end, ValueRange carried) {
    return loop(begin, end, 1, carried,
                [&](Value iv, ValueRange args) -> SmallVector<Value> {
                  ivs[dim] = iv;
                  return buildReductions(depth + 1, args, lanes, count,
                                         uniform);
                });
  };
  Value end = getReductionEnd(depth), step = getIterationsOfSum(depth);
  if (!step)
    return run(index(0), end, carried);

  // Behind what is carried are the sums of the terms before the present ones.
  // From the negative zero, both are what they would be without the other.
  SmallVector<size_t> sums;
  SmallVector<Value> start(carried), zeros;
  for (auto [number, init] : llvm::enumerate(carriedInits))
    if (isFloatSum(*init)) {
      sums.push_back(number);
      Type type = carried[number].getType();
      TypedAttr zero = rewriter.getFloatAttr(getElementTypeOrSelf(type), -0.0);
      if (auto vector = dyn_cast<VectorType>(type))
        zero = DenseElementsAttr::get(vector, zero);
      zeros.push_back(arith::ConstantOp::create(rewriter, loc, zero));
    }
  llvm::append_range(start, zeros);
  SmallVector<Value> results = makeLoop(
      rewriter, loc, index(0), end, step, start,
      [&](Value iv, ValueRange args) {
        SmallVector<Value> next = run(iv, minimum(add(iv, step), end),
                                      args.take_front(carried.size()));
        for (auto [number, before, zero] :
             llvm::zip(sums, args.drop_front(carried.size()), zeros))
          next.push_back(add(before, std::exchange(next[number], zero)));
        return next;
      });
  for (auto [number, before] :
       llvm::zip(sums, ArrayRef(results).drop_front(carried.size())))
    results[number] = add(before, results[number]);
  results.truncate(carried.size());
  return results;
}

/// Everything for one place, except storing what reductions carry.
SmallVector<Value> VectorNest::emit(ValueRange carried, int64_t lanes,
                                    Value count, const IRMapping &uniform) {
  Place place = makePlace(lanes, count);
  PayloadEmitter emitter(rewriter, loc, place);
  IRMapping mapping = uniform;
  for (auto [init, value] : llvm::zip(carriedInits, carried))
    if (value)
      mapping.map(op.getMatchingBlockArgument(init), value);
  SmallVector<Value> all = emitter.emitBody(mapping);
  if (lanes && !count)
    for (auto [input, next] : nextRows)
      emitter.prefetch(*input, next);
  auto number = [&](OpOperand *init) { return getInitNumber(op, *init); };
  for (OpOperand *init : storedInits)
    emitter.store(*init, all[number(init)]);
  SmallVector<Value> results;
  for (OpOperand *init : carriedInits)
    results.push_back(emitter.broadcast(all[number(init)]));
  return results;
}
