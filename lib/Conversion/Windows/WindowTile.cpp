//===- WindowTile.cpp - One tile of windows -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The initial values, the terms and the results of one tile.
//
//===----------------------------------------------------------------------===//

#include "WindowNestBuilder.h"

#include "Structure/WindowMaps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::symshape;

void WindowNestBuilder::buildTile(const WindowTile &tile) {
  SmallVector<Value> values;
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t vector = 0; vector < tile.vectors; ++vector)
      values.push_back(initial(tile, row, vector));
  values = buildReductions(tile, 0, std::move(values));
  if (sums && tile.rows > 1)
    return finishInLoop(tile, values);
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t vector = 0; vector < tile.vectors; ++vector)
      finish(tile, row, vector, values[row * tile.vectors + vector]);
}

SmallVector<Value>
WindowNestBuilder::buildReductions(const WindowTile &tile, unsigned depth,
                                   SmallVector<Value> values) {
  if (depth == tiling.looped.size())
    return buildTaps(tile, std::move(values));
  unsigned dim = tiling.looped[depth];
  return makeLoop(rewriter, loc, index(0), sizes[dim], index(1), values,
                  [&](Value iv, ValueRange carried) {
                    ivs[dim] = iv;
                    return buildReductions(tile, depth + 1,
                                           llvm::to_vector(carried));
                  });
}

/// Each position in the unrolled windows, in order.
void WindowNestBuilder::forTaps(function_ref<void(ArrayRef<int64_t>)> body) {
  SmallVector<int64_t> tap(tiling.unrolled.size(), 0);
  int64_t count = 1;
  for (unsigned dim : tiling.unrolled)
    count *= extents[dim];
  for (int64_t number = 0; number < count; ++number) {
    body(tap);
    for (size_t i = tap.size(); i-- > 0;) {
      if (++tap[i] < extents[tiling.unrolled[i]])
        break;
      tap[i] = 0;
    }
  }
}

/// The order in which a tile adds its taps: what several rows read is read
/// once, and used by all of them before the next is read, so that registers
/// hold sums, factors and one element. Taps of a row stay in order.
SmallVector<WindowNestBuilder::Step>
WindowNestBuilder::orderSteps(const WindowTile &tile) {
  SmallVector<Step> steps;
  forTaps([&](ArrayRef<int64_t> tap) {
    for (int64_t row = 0; row < tile.rows; ++row)
      steps.push_back({llvm::to_vector(tap), row, {}});
  });
  std::optional<WindowOverlap> overlap =
      findOverlap(op, tiling.rowDim, tiling.unrolled);
  if (!overlap)
    return steps;
  for (Step &step : steps) {
    // Instead of its tap, how far it is from the first one of the first row.
    step.place = step.tap;
    step.place[overlap->tap] =
        step.row * overlap->rowStep + step.tap[overlap->tap] * overlap->tapStep;
    step.place.push_back(step.row);
  }
  llvm::sort(steps, [](const Step &lhs, const Step &rhs) {
    return lhs.place < rhs.place;
  });
  return steps;
}

SmallVector<Value> WindowNestBuilder::buildTaps(const WindowTile &tile,
                                                SmallVector<Value> values) {
  Cache cache;
  for (const Step &step : orderSteps(tile))
    for (int64_t vector = 0; vector < tile.vectors; ++vector) {
      Value &value = values[step.row * tile.vectors + vector];
      value = combine(tile, step.tap, step.row, vector, value, cache);
    }
  return values;
}

/// One step of the reduction for one vector.
Value WindowNestBuilder::combine(const WindowTile &tile, ArrayRef<int64_t> tap,
                                 int64_t row, int64_t vector, Value value,
                                 Cache &cache) {
  IRMapping mapping;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (!argument.use_empty())
      mapping.map(argument, load(*operand, mapAt(*operand, tap, row, vector),
                                 tile, cache));
  }
  mapping.map(op.getRegionOutputArgs().front(), value);
  PayloadEmitter emitter(rewriter, loc, placeOf(op, tile, row, vector));
  Value result = emitter.broadcast(emitter.emitBody(mapping).front());
  auto [a, b] = getFactors(op);
  if (!a || !tiling.fma)
    return result;
  return vector::FMAOp::create(
      rewriter, loc, emitter.broadcast(mapping.lookupOrDefault(a)),
      emitter.broadcast(mapping.lookupOrDefault(b)), value);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The indices of an operand, as a function of the indices of the tile.
AffineMap WindowNestBuilder::mapAt(OpOperand &operand, ArrayRef<int64_t> tap,
                                   int64_t row, int64_t vector) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<AffineExpr> dims(
      rewriter.getMultiDimIdentityMap(map.getNumDims()).getResults());
  dims[tiling.rowDim] = dims[tiling.rowDim] + row;
  dims[tiling.vectorDim] = dims[tiling.vectorDim] + vector * tiling.lanes;
  for (auto [dim, position] : llvm::zip(tiling.unrolled, tap))
    dims[dim] = rewriter.getAffineConstantExpr(position);
  return simplifyAffineMap(
      map.replaceDimsAndSymbols(dims, {}, map.getNumDims(), 0));
}

SmallVector<Value> WindowNestBuilder::indicesOf(AffineMap map) {
  SmallVector<OpFoldResult> operands(ivs.begin(), ivs.end());
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(getValueOrCreateConstantIndexOp(
        rewriter, loc,
        affine::makeComposedFoldedAffineApply(
            rewriter, loc, AffineMap::get(map.getNumDims(), 0, expr),
            operands)));
  return indices;
}

Value WindowNestBuilder::loadVector(Value base, ValueRange indices,
                                    Value count) {
  Place place;
  place.width = tiling.lanes;
  place.count = count;
  return PayloadEmitter(rewriter, loc, std::move(place))
      .loadVector(base, indices, getElementTypeOrSelf(base.getType()));
}

/// Two vectors that end with the last element that is wanted: the second begins
/// with the element before its first wanted one, so that none lies beyond.
Value WindowNestBuilder::loadEverySecond(Value base, SmallVector<Value> indices,
                                         Value count) {
  int64_t lanes = tiling.lanes;
  Value firstCount, secondCount;
  if (count) {
    AffineExpr n = rewriter.getAffineDimExpr(0);
    auto apply = [&](AffineExpr e) -> Value {
      return affine::AffineApplyOp::create(rewriter, loc,
                                           AffineMap::get(1, 0, e), count);
    };
    firstCount = apply(n * 2 - 1);
    secondCount = apply(n * 2 - lanes);
  }
  Value first = loadVector(base, indices, firstCount);
  indices.back() = shifted(indices.back(), lanes - 1);
  Value second = loadVector(base, indices, secondCount);
  SmallVector<int64_t> picked;
  for (int64_t lane = 0; lane < lanes; ++lane)
    picked.push_back(lane < lanes / 2 ? 2 * lane : 2 * lane + 1);
  return vector::ShuffleOp::create(rewriter, loc, first, second, picked);
}

/// The elements of an operand for a vector of points, or the one for all.
Value WindowNestBuilder::load(OpOperand &operand, AffineMap map,
                              const WindowTile &tile, Cache &cache) {
  Value base = operand.get();
  if (!isa<MemRefType>(base.getType()))
    return base;
  if (Value known = preloaded.lookup({&operand, map}))
    return known;
  Value &value = cache[{&operand, map}];
  if (value)
    return value;
  int64_t step = *getStepOfVector(op, operand, tiling.vectorDim);
  SmallVector<Value> indices = indicesOf(map);
  if (step == 0)
    value = memref::LoadOp::create(rewriter, loc, base, indices);
  else if (step == 1)
    value = loadVector(base, indices, tile.count);
  else
    value = loadEverySecond(base, indices, tile.count);
  return value;
}

/// Reads what depends on the outer loops alone, such as the filter of a
/// channel.
void WindowNestBuilder::preload() {
  preloaded.clear();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    auto varies = [&](unsigned dim) { return map.isFunctionOfDim(dim); };
    if (op.getMatchingBlockArgument(operand).use_empty() ||
        !hasElementOutside(op, *operand) || varies(tiling.vectorDim) ||
        varies(tiling.rowDim) || llvm::any_of(tiling.looped, varies))
      continue;
    Cache cache;
    forTaps([&](ArrayRef<int64_t> tap) {
      AffineMap here = mapAt(*operand, tap, 0, 0);
      preloaded[{operand, here}] = load(*operand, here, WindowTile(), cache);
    });
  }
}

Place WindowNestBuilder::placeOf(linalg::GenericOp of, const WindowTile &tile,
                                 int64_t row, int64_t vector) {
  Place place;
  place.op = of;
  place.ivs = ivs;
  place.ivs[tiling.rowDim] = shifted(ivs[tiling.rowDim], row);
  place.ivs[tiling.vectorDim] =
      shifted(ivs[tiling.vectorDim], vector * tiling.lanes);
  place.vectorDim = tiling.vectorDim;
  place.width = tiling.lanes;
  place.count = tile.count;
  return place;
}

Value WindowNestBuilder::initial(const WindowTile &tile, int64_t row,
                                 int64_t vector) {
  OpOperand &init = *op.getDpsInitOperand(0);
  PayloadEmitter emitter(rewriter, loc, placeOf(op, tile, row, vector));
  if (linalg::FillOp fill = group.fill)
    return emitter.broadcast(fill.value());
  return emitter.load(init);
}

/// The epilogue as a loop over the rows of a tile, which wait in `sums`.
void WindowNestBuilder::finishInLoop(const WindowTile &tile,
                                     ArrayRef<Value> values) {
  auto place = [&](Value row, int64_t vector) {
    return SmallVector<Value>{row, index(vector * tiling.lanes)};
  };
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t vector = 0; vector < tile.vectors; ++vector)
      vector::StoreOp::create(rewriter, loc,
                              values[row * tile.vectors + vector], sums,
                              place(index(row), vector));
  Value first = ivs[tiling.rowDim];
  loop(index(0), index(tile.rows), 1, [&](Value row) {
    ivs[tiling.rowDim] = add(first, row);
    for (int64_t vector = 0; vector < tile.vectors; ++vector)
      finish(tile, 0, vector,
             vector::LoadOp::create(rewriter, loc, values.front().getType(),
                                    sums, place(row, vector)));
  });
  ivs[tiling.rowDim] = first;
}

/// Stores one vector of the result, or what the epilogue makes of it.
void WindowNestBuilder::finish(const WindowTile &tile, int64_t row,
                               int64_t vector, Value value) {
  OpOperand &init = *op.getDpsInitOperand(0);
  Place place = placeOf(op, tile, row, vector);
  linalg::GenericOp epilogue = group.epilogue;
  if (!epilogue)
    return PayloadEmitter(rewriter, loc, std::move(place)).store(init, value);
  // Position p of the result is loop `result(p)` here and `read(p)` there.
  AffineMap result = op.getMatchingIndexingMap(&init);
  OpOperand *in =
      *llvm::find_if(epilogue.getDpsInputOperands(), [&](OpOperand *operand) {
        return operand->get() == init.get();
      });
  AffineMap read = epilogue.getMatchingIndexingMap(in);
  Place there;
  there.op = epilogue;
  there.ivs.resize(epilogue.getNumLoops());
  there.width = place.width;
  there.count = place.count;
  for (unsigned p = 0; p < result.getNumResults(); ++p) {
    unsigned dim = result.getDimPosition(p);
    there.ivs[read.getDimPosition(p)] = place.ivs[dim];
    if (dim == tiling.vectorDim)
      there.vectorDim = read.getDimPosition(p);
  }
  PayloadEmitter emitter(rewriter, loc, std::move(there));
  IRMapping mapping;
  for (OpOperand &operand : epilogue->getOpOperands())
    if (operand.get() == init.get())
      mapping.map(epilogue.getMatchingBlockArgument(&operand), value);
  SmallVector<Value> results = emitter.emitBody(mapping);
  for (auto [target, computed] :
       llvm::zip(epilogue.getDpsInitsMutable(), results))
    emitter.store(target, computed);
}
