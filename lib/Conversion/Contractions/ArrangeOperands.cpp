//===- ArrangeOperands.cpp - Operands as tiles read them ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The left operand of a contraction transposed, the right one in panels, and
// the weights of a convolution transformed.
//
//===----------------------------------------------------------------------===//

#include "ContractionFormer.h"

#include "Winograd.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

/// Copies A if its rows are neighbours in memory: each step of a sum would be
/// in another line, often of the same few sets of a cache. The copy pays if
/// several panels of columns read it, and groups of terms need it.
void ContractionFormer::transposeLeft() {
  constexpr int64_t leastColumns = 256, leastSteps = 64;
  if (!match.aMap.isProjectedPermutation())
    return; // windows
  auto type = cast<RankedTensorType>(match.a.getType());
  auto resultType = cast<RankedTensorType>(match.op->getResult(0).getType());
  SmallVector<int64_t> order, reductions;
  int64_t steps = 1;
  for (auto [position, expr] : llvm::enumerate(match.aMap.getResults())) {
    bool isReduction = llvm::is_contained(
        match.loops.reductions, cast<AffineDimExpr>(expr).getPosition());
    (isReduction ? reductions : order).push_back(position);
    if (isReduction)
      steps = ShapedType::isDynamic(type.getDimSize(position))
                  ? std::max(steps, leastSteps)
                  : steps * type.getDimSize(position);
  }
  int64_t columns = resultType.getShape().back();
  if (order.empty() || order.back() != type.getRank() - 1 ||
      (!isGrouped() &&
       (!match.loops.isRow(match.aMap.getDimPosition(order.back())) ||
        (!ShapedType::isDynamic(columns) && columns < leastColumns) ||
        steps < leastSteps)))
    return;
  order.append(reductions);
  OpBuilder::InsertionGuard guard(rewriter);
  if (Operation *place = findPlaceOutside(match.op, match.a); place != match.op)
    rewriter.setInsertionPoint(place);
  match.a = makeTranspose(rewriter, loc, match.a, order);
  SmallVector<AffineExpr> results = llvm::map_to_vector(
      order, [&](int64_t position) { return match.aMap.getResult(position); });
  match.aMap = AffineMap::get(match.aMap.getNumDims(), 0, results,
                              rewriter.getContext());
}

/// B with the columns or the grouped terms innermost: packing goes along these.
void ContractionFormer::moveColumnsLast(unsigned grouped) {
  unsigned last = match.bMap.getNumResults() - 1;
  unsigned innermost = match.bMap.getDimPosition(last);
  if (innermost == match.loops.column || innermost == grouped)
    return;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, last + 1));
  auto column = llvm::find_if(order, [&](int64_t position) {
    return match.bMap.getDimPosition(position) == match.loops.column;
  });
  std::rotate(column, column + 1, order.end());
  match.b = makeTranspose(rewriter, loc, match.b, order);
  match.bMap =
      match.bMap.getSubMap(SmallVector<unsigned>(order.begin(), order.end()));
}

/// An operand in panels as wide as the tile, with the terms of a group side by
/// side; and its map then.
Value ContractionFormer::packColumns(Value operand, AffineMap &map,
                                     unsigned columnLoop,
                                     ArrayRef<unsigned> reductionLoops,
                                     std::optional<unsigned> grouped) {
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> outer, reductions, blocked(1), groups;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (dim == columnLoop)
      blocked[0] = position;
    else if (dim == grouped)
      groups.push_back(position);
    else if (llvm::is_contained(reductionLoops, dim))
      reductions.push_back(position);
    else
      outer.push_back(position);
  }
  SmallVector<int64_t> order = outer;
  order.push_back(blocked[0]);
  order.append(reductions);
  order.append(groups);
  SmallVector<OpFoldResult> tiles{
      rewriter.getIndexAttr(choice.tile.getColumns())};
  if (grouped) {
    blocked.append(groups);
    tiles.push_back(rewriter.getIndexAttr(choice.tile.getGroup()));
    if (int64_t terms = type.getDimSize(groups[0]);
        !ShapedType::isDynamic(terms))
      groupedTerms = terms;
  }
  Value padding = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  Value target = linalg::PackOp::createDestinationTensor(rewriter, loc, operand,
                                                         tiles, blocked, order);
  SmallVector<AffineExpr> results;
  for (int64_t position : order)
    results.push_back(map.getResult(position));
  map = AffineMap::get(map.getNumDims(), 0, results, rewriter.getContext());
  return linalg::PackOp::create(rewriter, loc, operand, target, blocked, tiles,
                                padding, order)
      .getResult();
}

/// Sets `codes` where a tile can make numbers of them in registers, which the
/// calls then read instead of floats.
void ContractionFormer::findCodes() {
  auto made = match.b.getDefiningOp<DequantizeOp>();
  if (!made || !choice.tile || isGrouped() || !match.sumType.isF32() ||
      choice.tile.getPacking() != Packing::BeforeCall ||
      !getElementTypeOrSelf(match.a.getType()).isF32() ||
      !getElementTypeOrSelf(match.b.getType()).isF32() ||
      !isProductByMatrix(match) ||
      match.bMap.getDimPosition(0) != match.loops.column ||
      match.bMap.getDimPosition(1) != match.loops.reductions.front() ||
      !match.aMap.isFunctionOfDim(match.loops.reductions.front()))
    return;
  int64_t terms = made.getNumTerms();
  if (terms % made.getTermsPerByte() == 0 &&
      made.getBlock() % DequantizeOp::blockMultiple == 0)
    codes = made;
}

/// Codes as rows of bytes, and their scales and zeros, each in panels.
void ContractionFormer::packCodes() {
  auto pack = [&](Value value) {
    AffineMap map = match.bMap;
    return value ? packColumns(value, map, match.loops.column,
                               match.loops.reductions, std::nullopt)
                 : Value();
  };
  scales = pack(codes.getScales());
  zeros = pack(codes.getZeros());
  match.b = pack(codes.getCodes());
}

void ContractionFormer::pack() {
  OpBuilder::InsertionGuard guard(rewriter);
  if (choice.place != match.op)
    rewriter.setInsertionPoint(choice.place);
  if (codes)
    return packCodes();
  std::optional<unsigned> grouped;
  if (isGrouped()) {
    grouped = *findGroupedLoop(match);
    moveColumnsLast(*grouped);
  }
  match.b = packColumns(match.b, match.bMap, match.loops.column,
                        match.loops.reductions, grouped);
  if (!isInPlace)
    return;
  auto pack = match.b.getDefiningOp<linalg::PackOp>();
  rewriter.setInsertionPoint(pack);
  // Empty tensors of one shape become one: it would be copied for each branch.
  auto empty = pack.getDest().getDefiningOp<tensor::EmptyOp>();
  Value dest = bufferization::AllocTensorOp::create(
      rewriter, loc, empty.getType(), empty.getDynamicSizes());
  rewriter.modifyOpInPlace(pack, [&] { pack.getDestMutable().assign(dest); });
  auto branch = scf::IfOp::create(rewriter, loc, match.b.getType(), isInPlace,
                                  /*withElseRegion=*/true);
  rewriter.moveOpBefore(pack, branch.elseBlock(), branch.elseBlock()->end());
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(rewriter, loc, dest);
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(rewriter, loc, pack.getResult());
  match.b = branch.getResult(0);
}

/// The weights for Winograd's algorithm, packed for the same tile; null where
/// it is not possible.
Value ContractionFormer::transformForWinograd() {
  if (!usesWinograd || !choice.tile || accumulates ||
      !winograd::isPossible(match) ||
      choice.tile.getPacking() != Packing::BeforeCall)
    return nullptr;
  Value weights = winograd::transformWeights(rewriter, loc, match);
  AffineMap map = rewriter.getMultiDimIdentityMap(4);
  return packColumns(weights, map, /*columnLoop=*/3, /*reductionLoops=*/{2},
                     /*grouped=*/std::nullopt);
}
