//===- LinalgOtherRules.cpp - Shape rules of linalg without maps ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Softmax, pack and unpack. Not for: structured ops (LinalgRules.cpp).
//
//===----------------------------------------------------------------------===//

#include "LinalgRules.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::linalg;

static void softmaxRule(SoftmaxOp op, ShapeFacts &facts) {
  requireSameExtents(facts, op.getInput(), op.getOutput(), "output");
  for (Value result : op->getResults())
    facts.copyExtents(op.getOutput(), result);
}

/// The packed tensor has, per dimension of the plain one, a number of tiles, in
/// the order of `outer_dims_perm`, and then the sizes of the tiles. `check`
/// says what holds of extent, tile and number of tiles (1 where it is not
/// tiled).
static void
relateTiles(ShapeFacts &facts, Value plain, Value packed,
            ArrayRef<int64_t> outerPerm, ArrayRef<int64_t> tiledDims,
            ArrayRef<OpFoldResult> tiles,
            llvm::function_ref<void(unsigned, Expr, Expr, Expr)> check) {
  int64_t rank = cast<ShapedType>(plain.getType()).getRank();
  for (int64_t place = 0; place < rank; ++place) {
    int64_t d = outerPerm.empty() ? place : outerPerm[place];
    Expr tile = facts.constant(1);
    for (auto [i, tiled] : llvm::enumerate(tiledDims))
      if (tiled == d) {
        tile = facts.value(tiles[i]);
        facts.require(Relation::ge(tile, facts.constant(1)), "tile size");
        facts.require(Relation::eq(tile, facts.dim(packed, rank + i)),
                      "tile size");
      }
    check(d, facts.dim(plain, d), tile, facts.dim(packed, place));
  }
}

/// Without padding, tiles fill the source exactly; with it, they cover it.
static void packRule(PackOp op, ShapeFacts &facts) {
  bool isPadded = bool(op.getPaddingValue());
  relateTiles(facts, op.getSource(), op.getDest(), op.getOuterDimsPerm(),
              op.getInnerDimsPos(), op.getMixedTiles(),
              [&](unsigned d, Expr extent, Expr tile, Expr count) {
                facts.require(
                    Relation::eq(facts.arena().ceilDiv(extent, tile), count),
                    "tiles of dimension " + Twine(d));
                if (!isPadded && !tile.isConstant(1))
                  facts.require(Relation::divides(tile, extent),
                                "tiled dimension " + Twine(d));
              });
  for (Value result : op->getResults())
    facts.copyExtents(op.getDest(), result);
}

/// The destination may leave out what padded the last tile, but no whole tile.
static void unpackRule(UnPackOp op, ShapeFacts &facts) {
  relateTiles(facts, op.getDest(), op.getSource(), op.getOuterDimsPerm(),
              op.getInnerDimsPos(), op.getMixedTiles(),
              [&](unsigned d, Expr extent, Expr tile, Expr count) {
                facts.require(
                    Relation::eq(facts.arena().ceilDiv(extent, tile), count),
                    "tiles of dimension " + Twine(d));
              });
  for (Value result : op->getResults())
    facts.copyExtents(op.getDest(), result);
}

void symshape::attachOtherLinalgRules(MLIRContext *context) {
  attachRule<SoftmaxOp, softmaxRule>(context);
  attachRule<PackOp, packRule>(context);
  attachRule<UnPackOp, unpackRule>(context);
}
