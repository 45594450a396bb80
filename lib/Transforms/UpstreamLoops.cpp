//===- UpstreamLoops.cpp - Rewrites of loops and branches ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See UpstreamConditions.cpp.
//
//===----------------------------------------------------------------------===//

#include "AffineChains.h"
#include "UpstreamConditions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "symshape/IR/SymShape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::symshape;

static bool never(Operation *) { return false; }

/// Whether upper - lower does not wrap, as far as the bounds are constants.
static bool areNear(OpFoldResult lower, OpFoldResult upper) {
  std::optional<int64_t> from = getConstantIntValue(lower),
                         to = getConstantIntValue(upper);
  int64_t difference;
  return !from || !to || *to <= *from ||
         !llvm::SubOverflow(*to, *from, difference);
}

/// Upstream counts iterations in the type of the loop's bounds, as signed.
static bool hasPlainTripCount(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  IntegerAttr from, to;
  bool isConstant = matchPattern(loop.getLowerBound(), m_Constant(&from)) &&
                    matchPattern(loop.getUpperBound(), m_Constant(&to));
  if (!loop.getUnsignedCmp()) {
    bool overflows = false;
    if (isConstant && to.getValue().sgt(from.getValue()))
      (void)to.getValue().ssub_ov(from.getValue(), overflows);
    return !overflows;
  }
  // Steps and differences of 2^(w-1) and more read as negative.
  std::optional<APInt> step = loop.getConstantStep();
  return isConstant && (!step || !step->isNegative()) &&
         from.getValue().isNonNegative() && to.getValue().isNonNegative();
}

static bool hasNearBounds(Operation *op) {
  if (auto loop = dyn_cast<scf::ParallelOp>(op))
    return llvm::all_of(llvm::zip(loop.getLowerBound(), loop.getUpperBound()),
                        [](auto pair) {
                          auto [from, to] = pair;
                          return areNear(OpFoldResult(from), OpFoldResult(to));
                        });
  auto loop = cast<scf::ForallOp>(op);
  SmallVector<OpFoldResult> lower = loop.getMixedLowerBound(),
                            upper = loop.getMixedUpperBound();
  return llvm::all_of(llvm::zip(lower, upper), [](auto pair) {
    return areNear(std::get<0>(pair), std::get<1>(pair));
  });
}

static bool hasNearConstantBounds(Operation *op) {
  auto loop = cast<affine::AffineForOp>(op);
  int64_t difference;
  return !loop.hasConstantBounds() ||
         loop.getConstantUpperBound() <= loop.getConstantLowerBound() ||
         !llvm::SubOverflow(loop.getConstantUpperBound(),
                            loop.getConstantLowerBound(), difference);
}

/// Upstream moves an `scf.if` on the loop's condition into the body. It follows
/// one use of each result, and leaves values of the condition's region that the
/// branch yields where the body cannot see them.
static bool canMoveIf(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  scf::ConditionOp condition = loop.getConditionOp();
  auto branch = dyn_cast_or_null<scf::IfOp>(condition->getPrevNode());
  if (!branch)
    return true;
  for (OpResult result : branch.getResults()) {
    if (!result.use_empty() && !result.hasOneUse())
      return false;
    Value yielded = branch.thenYield()->getOperand(result.getResultNumber());
    if (loop.getBefore().isAncestor(yielded.getParentRegion()) &&
        !branch.getThenRegion().isAncestor(yielded.getParentRegion()))
      return false;
  }
  return true;
}

/// Upstream reads the cases of a switch that leads to this one, even if there
/// are none.
static bool followsCases(Operation *op) {
  Block *before = op->getBlock()->getSinglePredecessor();
  auto previous =
      before ? dyn_cast<cf::SwitchOp>(before->getTerminator()) : cf::SwitchOp();
  return !previous || previous.getCaseValues();
}

/// The number of results stays that of the shapes in `symshape.extents`.
static bool hasNoExtents(Operation *op) {
  return !op->hasAttr(SymShapeDialect::kExtents);
}

void symshape::addUpstreamLoops(UpstreamConditions &conditions) {
  addAll(conditions.names,
         {{"SimplifyTrivialLoops", hasPlainTripCount},
          {"ForOpTensorCastFolder", never},
          {"ForallOpSingleOrZeroIterationDimsFolder", hasNearBounds},
          {"ForallOpReplaceConstantInductionVar", hasNearBounds},
          {"ParallelOpSingleOrZeroIterationDimsFolder", hasNearBounds},
          {"CanonicalizeSingleResultAffineMinMaxOp", mayBecomeApply},
          {"WhileMoveIfDown", canMoveIf},
          {"RemoveDeadRegionBranchOpSuccessorInputs", hasNoExtents},
          {"RemoveOutsDependency", never}});
  addAll(conditions.roots, {{"cf.switch", followsCases}});
  addAll(conditions.folders, {{"affine.for", hasNearConstantBounds}});
}
