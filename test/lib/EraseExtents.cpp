//===- EraseExtents.cpp - Programs with every extent open -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the extents of arguments and results of ops dynamic, so that what the
// author of a static program knew has to be found, or checked, again. Constants
// keep their types, and so does what a function gives of them.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {
struct EraseExtentsPass
    : public PassWrapper<EraseExtentsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EraseExtentsPass)

  EraseExtentsPass() = default;
  EraseExtentsPass(const EraseExtentsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "symshape-erase-extents"; }
  StringRef getDescription() const override {
    return "Makes the extents of all tensors but constants dynamic";
  }

  Option<bool> keepOnes{*this, "keep-ones",
                        llvm::cl::desc("Extents of 1 stay (default: no)")};
  Option<bool> argumentsOnly{
      *this, "arguments-only",
      llvm::cl::desc("Results of ops keep their types (default: no)")};

  Type erase(Type type) const {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return type;
    SmallVector<int64_t> shape(tensor.getShape());
    for (int64_t &extent : shape)
      if (extent != 1 || !keepOnes)
        extent = ShapedType::kDynamic;
    return tensor.clone(shape);
  }

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (!argumentsOnly && !op->hasTrait<OpTrait::ConstantLike>())
        for (Value result : op->getResults())
          result.setType(erase(result.getType()));
      if (argumentsOnly && !isa<func::FuncOp>(op))
        return;
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            argument.setType(erase(argument.getType()));
    });
    getOperation()->walk([&](func::ReturnOp op) {
      auto function = op->getParentOfType<func::FuncOp>();
      function.setType(FunctionType::get(&getContext(),
                                         function.getBody().getArgumentTypes(),
                                         op.getOperandTypes()));
    });
  }
};
} // namespace

void mlir::symshape::test::registerEraseExtentsPass() {
  PassRegistration<EraseExtentsPass>();
}
