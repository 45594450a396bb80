//===- ExpandBatches.cpp - Batch dimensions that were merged --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction over several batch dimensions is often written as one over
// their product, between reshapes that keep it from meeting its neighbours.
// Likewise, elementwise ops follow a convolution of groups of channels behind a
// collapse of group and feature. Not for: reshapes of rows and columns.
//
//===----------------------------------------------------------------------===//

#include "Structure/Contraction.h"
#include "Structure/WindowMaps.h"
#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/Canonicalizer.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_EXPANDBATCHESPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// True if each dimension of an operand or result that a reshape splits is one
/// of all operands of the contraction.
static bool splitsBatchesOnly(linalg::LinalgOp op, AffineMap map,
                              ArrayRef<ReassociationIndices> groups) {
  for (auto [expr, group] : llvm::zip(map.getResults(), groups)) {
    if (group.size() == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    bool isBatch =
        dim && llvm::all_of(op.getIndexingMapsArray(), [&](auto map) {
          return map.isFunctionOfDim(dim.getPosition());
        });
    if (!isBatch)
      return false;
  }
  return true;
}

/// Whether `op`, an elementwise one, is the only reader of a collapse of static
/// dimensions behind a convolution, or behind other such ops.
static bool followsGroups(linalg::LinalgOp op,
                          tensor::CollapseShapeOp collapse) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  auto source = collapse.getSrc().getDefiningOp<linalg::GenericOp>();
  if (!generic || op.getNumReductionLoops() != 0 || op.getNumDpsInits() != 1 ||
      generic.hasIndexSemantics() || !source || !collapse->hasOneUse() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      matchTranspose(op->getResult(0)))
    return false;
  ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
  for (ArrayRef<int64_t> group : collapse.getReassociationIndices())
    if (group.size() > 1 && llvm::any_of(group, [&](int64_t d) {
          return ShapedType::isDynamic(shape[d]);
        }))
      return false;
  return readsWindows(source) || source.getNumReductionLoops() == 0;
}

/// Whether an op should take the shape before, or after, a reshape of the
/// operand: `fused` is what it reads of a collapse, or an expansion of it.
static bool shouldExpand(OpOperand *fused) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(fused->getOwner())) {
    auto op = fused->get().getDefiningOp<linalg::LinalgOp>();
    return op && isContraction(op) &&
           splitsBatchesOnly(
               op,
               op.getIndexingMapMatchingResult(cast<OpResult>(fused->get())),
               expand.getReassociationIndices());
  }
  auto op = dyn_cast<linalg::LinalgOp>(fused->getOwner());
  auto collapse = fused->get().getDefiningOp<tensor::CollapseShapeOp>();
  if (!op || !collapse || !op.isDpsInput(fused))
    return false;
  if (!isContraction(op))
    return followsGroups(op, collapse);
  return splitsBatchesOnly(op, op.getMatchingIndexingMap(fused),
                           collapse.getReassociationIndices());
}

namespace {
/// A named contraction beside such a reshape, as an op that can be expanded.
struct GeneralizeContraction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<linalg::GenericOp>(op.getOperation()) || !isContraction(op))
      return failure();
    auto isSplit = [](OpOperand &operand) { return shouldExpand(&operand); };
    bool found = llvm::any_of(op->getOpOperands(), isSplit);
    for (OpResult result : op->getResults())
      found |= llvm::any_of(result.getUses(), [](OpOperand &use) {
        return isa<tensor::ExpandShapeOp>(use.getOwner()) && shouldExpand(&use);
      });
    if (!found)
      return failure();
    return success(succeeded(linalg::generalizeNamedOp(rewriter, op)));
  }
};

struct ExpandBatchesPass
    : symshape::impl::ExpandBatchesPassBase<ExpandBatchesPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<GeneralizeContraction>(context);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, shouldExpand);
    linalg::FillOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    tensor::DimOp::getCanonicalizationPatterns(patterns, context);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    applySoundPatterns(getOperation(), std::move(patterns), config);
  }
};
} // namespace
