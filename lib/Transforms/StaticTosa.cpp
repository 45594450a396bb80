//===- StaticTosa.cpp - Ops of tosa with more static types ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream folds no cast into an op of tosa, and of shapes only constants.
//
//===----------------------------------------------------------------------===//

#include "StaticTosa.h"

#include "CastSources.h"
#include "StaticTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::symshape;

bool symshape::isRefinableTosa(Operation *op) {
  return isa_and_present<tosa::TosaDialect>(op->getDialect()) &&
         op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<tosa::CustomOp, tosa::VariableOp, tosa::VariableReadOp,
              tosa::VariableWriteOp>(op);
}

namespace {
struct TakeSourceOfCast : RewritePattern {
  explicit TakeSourceOfCast(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isRefinableTosa(op))
      return failure();
    bool changed = false;
    for (OpOperand &operand : op->getOpOperands()) {
      auto cast = operand.get().getDefiningOp<tensor::CastOp>();
      auto known = cast ? dyn_cast<RankedTensorType>(cast.getSource().getType())
                        : nullptr;
      auto taken = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!known || !taken || mergeStatic(known, taken) != known ||
          llvm::is_contained(known.getShape(), 0))
        continue;
      rewriter.modifyOpInPlace(op, [&] { operand.set(cast.getSource()); });
      changed = true;
    }
    return success(changed);
  }
};
} // namespace

void symshape::populateTosaCastPatterns(RewritePatternSet &patterns) {
  patterns.add<TakeSourceOfCast>(patterns.getContext());
}

unsigned symshape::foldTosaShapes(FunctionShapes &shapes) {
  // What the op requires of others than its operands is decided by constants.
  auto isConstant = [](Value operand) {
    return !isa<tosa::shapeType>(operand.getType()) ||
           operand.getDefiningOp<tosa::ConstShapeOp>();
  };
  SmallVector<Operation *> ops;
  shapes.function().walk([&](Operation *op) {
    if (isRefinableTosa(op) && op->getNumResults() == 1 &&
        isa<tosa::shapeType>(op->getResult(0).getType()) &&
        !isa<tosa::ConstShapeOp>(op))
      ops.push_back(op);
  });
  unsigned count = 0;
  for (Operation *op : ops) {
    if (!llvm::all_of(op->getOperands(), isConstant))
      continue;
    Value result = op->getResult(0);
    SmallVector<int64_t> values;
    int64_t rank = cast<tosa::shapeType>(result.getType()).getRank();
    for (int64_t i = 0; i < rank; ++i)
      if (Expr e = shapes.element(result, {shapes.arena().constant(i)}))
        if (std::optional<int64_t> value = e.asInt64())
          values.push_back(*value);
    if (rank == 0 || static_cast<int64_t>(values.size()) != rank)
      continue;
    OpBuilder b(op);
    auto constant = tosa::ConstShapeOp::create(
        b, op->getLoc(), result.getType(), b.getIndexTensorAttr(values));
    // A size of 0, for one, must not be a constant.
    SmallVector<OpOperand *> uses(llvm::make_pointer_range(result.getUses()));
    for (OpOperand *use : uses) {
      use->set(constant);
      if (!isValidAlone(use->getOwner()))
        use->set(result);
    }
    ++count;
  }
  return count;
}
