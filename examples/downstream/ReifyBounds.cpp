//===- ReifyBounds.cpp - Bounds of extents as values ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReifyBounds.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "symshape/Transforms/ReifyBounds.h"

using namespace mlir;

namespace {

/// Replaces each `"downstream.bound"(%t) {dim = d}` by an upper bound of
/// dimension d of %t, computed from arguments of the function, and says in a
/// remark how it is written over the symbols of the function.
struct ReifyBoundsPass
    : public PassWrapper<ReifyBoundsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReifyBoundsPass)

  StringRef getArgument() const final { return "downstream-reify-bounds"; }
  StringRef getDescription() const final {
    return "Computes bounds of extents from arguments";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    tensor::TensorDialect>();
  }

  void runOnOperation() final {
    auto &analysis = getAnalysis<symshape::ShapeAnalysis>();
    SmallVector<Operation *> done;
    getOperation().walk([&](func::FuncOp function) {
      if (symshape::FunctionShapes *shapes = analysis.lookup(function))
        reify(*shapes, done);
    });
    // What was asked about must be there as long as the questions are.
    for (Operation *op : done)
      op->erase();
  }

  void reify(symshape::FunctionShapes &shapes, SmallVector<Operation *> &done) {
    SmallVector<Operation *> asked;
    shapes.function().walk([&](Operation *op) {
      if (op->getName().getStringRef() == "downstream.bound")
        asked.push_back(op);
    });
    symshape::ValueBounds bounds(shapes);
    auto isArgument = [&](Value value, std::optional<int64_t>) {
      auto argument = dyn_cast<BlockArgument>(value);
      return argument && argument.getOwner() == &shapes.function().front();
    };
    for (Operation *op : asked) {
      auto dim = op->getAttrOfType<IntegerAttr>("dim");
      Value tensor = op->getOperand(0);
      OpBuilder builder(op);
      FailureOr<OpFoldResult> bound = symshape::reifyBound(
          builder, op->getLoc(), bounds, op, presburger::BoundType::UB,
          symshape::Quantity(tensor, dim.getInt()), isArgument);
      if (failed(bound)) {
        op->emitRemark("no bound in terms of arguments is found");
        continue;
      }
      op->emitRemark("at most ") << shapes.printExtent(tensor, dim.getInt());
      op->getResult(0).replaceAllUsesWith(
          getValueOrCreateConstantIndexOp(builder, op->getLoc(), *bound));
      done.push_back(op);
    }
  }
};

} // namespace

void downstream::registerReifyBoundsPass() {
  PassRegistration<ReifyBoundsPass>();
}
