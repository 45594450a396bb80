//===- JoinTaps.cpp - Longer sums of convolutions
//--------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "JoinTaps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

/// Makes one dimension of `first` and the next.
static Value joinDims(OpBuilder &b, Location loc, Value value, int64_t first) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != first + 1)
      groups.emplace_back();
    groups.back().push_back(d);
  }
  return tensor::CollapseShapeOp::create(b, loc, value, groups);
}

void symshape::joinTaps(RewriterBase &rewriter, ContractionMatch &match,
                        Operation *place) {
  int64_t last = match.aMap.getNumResults() - 1;
  if (match.aMap.isProjectedPermutation() || last == 0)
    return;
  Location loc = match.op->getLoc();
  auto isReduction = [&](unsigned loop) {
    return llvm::is_contained(match.loops.reductions, loop);
  };
  auto channel = dyn_cast<AffineDimExpr>(match.aMap.getResult(last));
  AffineExpr index = match.aMap.getResult(last - 1);
  int64_t channels = cast<ShapedType>(match.a.getType()).getShape().back();
  std::optional<unsigned> tap;
  forEachTerm(index, [&](unsigned loop, int64_t factor) {
    if (factor == 1 && isReduction(loop))
      tap = loop;
  });
  if (!channel || !isReduction(channel.getPosition()) || !tap ||
      ShapedType::isDynamic(channels))
    return;
  unsigned dropped = channel.getPosition();
  auto loop = [&](unsigned d) { return rewriter.getAffineDimExpr(d); };
  auto first = match.bMap.getResultPosition(loop(*tap));
  if (!first || *first + 1 >= match.bMap.getNumResults() ||
      match.bMap.getResult(*first + 1) != channel)
    return;
  match.a = joinDims(rewriter, loc, match.a, last - 1);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    if (place != match.op)
      rewriter.setInsertionPoint(place);
    match.b = joinDims(rewriter, loc, match.b, *first);
  }
  AffineExpr joined = rewriter.getAffineConstantExpr(0);
  forEachTerm(index, [&](unsigned d, int64_t factor) {
    joined = joined + loop(d) * (d == tap ? 1 : factor * channels);
  });
  SmallVector<AffineExpr> read(match.aMap.getResults().drop_back(2)),
      taken(match.bMap.getResults()), renamed;
  read.push_back(joined);
  taken.erase(taken.begin() + *first + 1);
  unsigned count = match.aMap.getNumDims() - 1;
  for (unsigned d = 0; d <= count; ++d)
    renamed.push_back(loop(d - (d > dropped)));
  auto rename = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(count + 1, 0, results, rewriter.getContext())
        .replaceDimsAndSymbols(renamed, {}, count, 0);
  };
  match.aMap = rename(read);
  match.bMap = rename(taken);
  match.resultMap = rename(match.resultMap.getResults());
  match.loops = *assignLoops(match.aMap, match.bMap, match.resultMap);
}
