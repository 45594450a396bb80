//===- ConvertElementwise.cpp - Bodies for ops on whole tensors -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's convert-elementwise-to-linalg does, except that a select
// between whole tensors is not elementwise, since they may differ in extents.
// Then what has no instruction and no function in the C library, in terms of
// what has: before floats are widened, since the least normal number differs.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/Canonicalizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_CONVERTELEMENTWISEPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static bool choosesWholeTensor(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  return select && !isa<ShapedType>(select.getCondition().getType());
}

/// Whether |x| is a number of this class: at least `least`, but not infinite;
/// or, without `least`, infinite.
static Value isOfClass(OpBuilder &b, Operation *op,
                       std::optional<APFloat> least) {
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  Type type = x.getType();
  const llvm::fltSemantics &semantics =
      cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  Value magnitude = math::AbsFOp::create(b, loc, x);
  auto compare = [&](arith::CmpFPredicate predicate, const APFloat &number) {
    Value constant = createScalarOrSplatConstant(b, loc, type, number);
    return arith::CmpFOp::create(b, loc, predicate, magnitude, constant);
  };
  APFloat infinity = APFloat::getInf(semantics);
  if (!least)
    return compare(arith::CmpFPredicate::OEQ, infinity);
  Value isNormal = compare(arith::CmpFPredicate::OGE, *least);
  Value isFinite = compare(arith::CmpFPredicate::OLT, infinity);
  return arith::AndIOp::create(b, loc, isNormal, isFinite);
}

static void expandWithoutInstruction(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa<math::IsInfOp, math::IsNormalOp, math::SincosOp>(op) ||
        isa<TensorType>(op->getOperand(0).getType()))
      return;
    OpBuilder b(op);
    Value x = op->getOperand(0);
    SmallVector<Value> results;
    if (isa<math::SincosOp>(op)) {
      results = {math::SinOp::create(b, op->getLoc(), x),
                 math::CosOp::create(b, op->getLoc(), x)};
    } else {
      std::optional<APFloat> least;
      if (isa<math::IsNormalOp>(op))
        least = APFloat::getSmallestNormalized(
            cast<FloatType>(getElementTypeOrSelf(x.getType()))
                .getFloatSemantics());
      results = {isOfClass(b, op, least)};
    }
    op->replaceAllUsesWith(results);
    op->erase();
  });
}

namespace {
struct ConvertElementwisePass
    : symshape::impl::ConvertElementwisePassBase<ConvertElementwisePass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (OpTrait::hasElementwiseMappableTraits(op) && !choosesWholeTensor(op))
        ops.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    applySoundPatterns(ops, std::move(patterns));
    expandWithoutInstruction(getOperation());
  }
};
} // namespace
