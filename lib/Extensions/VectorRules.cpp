//===- VectorRules.cpp - Shape rules of vector ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses of vectors to memory, which lie inside of it. Not for: lanes that a
// mask of the program chooses, which are checked where the access is
// (Transforms/PlaceChecks.cpp).
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::vector;

namespace {
/// Requires that `count` elements from `index` on lie inside of dimension `d`.
void requireRun(ShapeFacts &facts, Value base, int64_t d, Value index,
                Expr count) {
  Expr first = facts.value(index);
  facts.require(Formula::conj(Relation::ge(first, facts.constant(0)),
                              Relation::le(first + count, facts.dim(base, d))),
                "index of dimension " + Twine(d));
}

/// A vector lies along the last dimensions of memory; one that has a length of
/// its own only at run time is known to be no shorter than its least.
template <typename OpTy>
void accessRule(OpTy op, ShapeFacts &facts) {
  Value base = op.getBase();
  if (!isRankedShaped(base.getType()) ||
      isa<VectorType>(cast<ShapedType>(base.getType()).getElementType()))
    return;
  VectorType vector = op.getVectorType();
  int64_t leading = op.getIndices().size() - vector.getRank();
  for (auto [d, index] : llvm::enumerate(op.getIndices())) {
    int64_t place = int64_t(d) - leading;
    requireRun(facts, base, d, index,
               facts.constant(place < 0 ? 1 : vector.getDimSize(place)));
  }
}

/// What a transfer does beyond an extent is defined, except where it says that
/// this does not happen; what it does before the first element is not.
void transferRule(VectorTransferOpInterface op, ShapeFacts &facts) {
  Value base = op.getBase();
  bool isMasked = op.getMask() || isa<MaskOp>(op->getParentOp());
  AffineMap map = op.getPermutationMap();
  for (auto [d, index] : llvm::enumerate(op.getIndices())) {
    std::optional<unsigned> place =
        map.getResultPosition(getAffineDimExpr(d, op->getContext()));
    if (place && (isMasked || !op.isDimInBounds(*place)))
      facts.require(Relation::ge(facts.value(index), facts.constant(0)),
                    "index of dimension " + Twine(d));
    else
      requireRun(
          facts, base, d, index,
          facts.constant(place ? op.getVectorType().getDimSize(*place) : 1));
  }
}

template <typename OpTy>
void transferRuleOf(OpTy op, ShapeFacts &facts) {
  transferRule(cast<VectorTransferOpInterface>(op.getOperation()), facts);
  if constexpr (std::is_same_v<OpTy, TransferWriteOp>)
    if (op.getResult())
      facts.copyExtents(op.getBase(), op.getResult());
}

void maskRule(MaskOp op, ShapeFacts &facts) {
  visitYielding(facts, op.getMaskRegion(), op.getResults());
}
} // namespace

void symshape::registerVectorRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, VectorDialect *) {
    attachRule<LoadOp, accessRule<LoadOp>>(context);
    attachRule<MaskOp, maskRule>(context);
    attachRule<StoreOp, accessRule<StoreOp>>(context);
    attachRule<TransferReadOp, transferRuleOf<TransferReadOp>>(context);
    attachRule<TransferWriteOp, transferRuleOf<TransferWriteOp>>(context);
  });
}
