//===- RowChoice.cpp - Contractions of few and of many rows ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few rows read the right operand in place, many read it packed: chosen here if
// the number of rows is known, else by a branch on it. Not for: which tiles
// there are to choose from (TileChoice).
//
//===----------------------------------------------------------------------===//

#include "ContractionFormer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

/// The rows of `init`.
Value ContractionFormer::countRows(Value init, AffineMap map) {
  Value rows = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    if (!match.loops.isRow(cast<AffineDimExpr>(expr).getPosition()))
      continue;
    Value extent = rewriter.createOrFold<tensor::DimOp>(loc, init, position);
    rows = rewriter.createOrFold<arith::MulIOp>(loc, rows, extent);
  }
  return rows;
}

/// The rows of all iterations of the loops before which the operand is packed,
/// if the innermost of them runs over blocks of rows; else null.
Value ContractionFormer::countRowsOfLoops() {
  auto outermost = cast<LoopLikeOpInterface>(choice.place);
  SmallVector<std::pair<OpFoldResult, OpFoldResult>> bounds;
  auto innermost = match.op->getParentOfType<LoopLikeOpInterface>();
  for (auto loop = innermost;;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds();
    auto steps = loop.getLoopSteps();
    if (!lower || !upper || !steps || steps->empty() ||
        (loop == innermost && isOneInteger(steps->back())))
      return nullptr;
    for (auto [begin, end] : llvm::zip_equal(*lower, *upper))
      bounds.emplace_back(begin, end);
    if (loop == outermost)
      break;
  }
  auto isOutside = [&](OpFoldResult bound) {
    auto value = dyn_cast<Value>(bound);
    return !value || outermost.isDefinedOutsideOfLoop(value);
  };
  if (!llvm::all_of(bounds, [&](auto &pair) {
        return isOutside(pair.first) && isOutside(pair.second);
      }))
    return nullptr;
  auto toValue = [&](OpFoldResult bound) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, bound);
  };
  Value rows = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (auto [lower, upper] : bounds) {
    Value trips = rewriter.createOrFold<arith::SubIOp>(loc, toValue(upper),
                                                       toValue(lower));
    rows = rewriter.createOrFold<arith::MulIOp>(loc, rows, trips);
  }
  return rows;
}

/// Whether so many rows are few enough for the operand to be read in place, as
/// an attribute if that is known.
OpFoldResult ContractionFormer::areFew(Value rows) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  Value terms = rewriter.createOrFold<tensor::DimOp>(
      loc, match.b, match.bMap.getNumResults() - 1);
  Value enough = rewriter.createOrFold<arith::MinUIOp>(
      loc, terms, constant(maxRowsInPlace * leastTermsInPlace));
  Value needed = rewriter.createOrFold<arith::MulIOp>(
      loc, rows, constant(leastTermsInPlace));
  auto knownNeeded = getConstantIntValue(needed),
       knownEnough = getConstantIntValue(enough);
  if (knownNeeded && knownEnough)
    return rewriter.getBoolAttr(static_cast<uint64_t>(*knownNeeded) <=
                                static_cast<uint64_t>(*knownEnough));
  return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ule, needed,
                               enough)
      .getResult();
}

/// `create` with the tile for the rows of `init`, or with one for few rows and
/// one for many under a branch on their number.
Value ContractionFormer::chooseByRows(
    Value init, AffineMap map, function_ref<Value(TileAttr tile)> create) {
  if (!choice.inPlace)
    return create(choice.tile);
  bool isInLoop = choice.place != match.op;
  OpFoldResult choosesInPlace;
  {
    OpBuilder::InsertionGuard guard(rewriter);
    if (isInLoop)
      rewriter.setInsertionPoint(choice.place);
    Value rows = isInLoop ? countRowsOfLoops() : countRows(init, map);
    if (!rows)
      return create(choice.tile);
    choosesInPlace = areFew(rows);
  }
  if (auto known = dyn_cast<Attribute>(choosesInPlace))
    return create(cast<BoolAttr>(known).getValue() ? choice.inPlace
                                                   : choice.tile);
  auto condition = cast<Value>(choosesInPlace);
  auto branch = scf::IfOp::create(rewriter, loc, init.getType(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(rewriter, loc, create(choice.inPlace));
  if (isInLoop)
    isInPlace = condition;
  rewriter.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(rewriter, loc, create(choice.tile));
  return branch.getResult(0);
}
