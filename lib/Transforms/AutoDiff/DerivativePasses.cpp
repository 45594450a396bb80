//===- DerivativePasses.cpp - The AD passes -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options of the passes, and the functions that they ask for. Not for: how one
// is differentiated (Jvp.cpp, Linearize.cpp, Transpose.cpp).
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "symshape/IR/DiscardableAttributes.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/AutoDiff.h"
#include "symshape/Transforms/Passes.h"
#include "symshape/Transforms/Snapshot.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_GRADPASS
#define GEN_PASS_DEF_JVPPASS
#define GEN_PASS_DEF_LINEARIZEPASS
#define GEN_PASS_DEF_TRANSPOSEPASS
#define GEN_PASS_DEF_VJPPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The function of this name with a body; null, with an error, if there is
/// none.
static func::FuncOp findFunction(ModuleOp module, StringRef name) {
  auto func = module.lookupSymbol<func::FuncOp>(name);
  if (func && !func.isDeclaration())
    return func;
  module.emitError("expected a function @")
      << name << " with a body, but there is none";
  return nullptr;
}

namespace {
/// The pass that `build` is the work of.
template <template <typename> class PassBase, auto build>
struct DerivativePass : PassBase<DerivativePass<PassBase, build>> {
  using Parent = PassBase<DerivativePass<PassBase, build>>;
  using Parent::Parent;

  void runOnOperation() override {
    ModuleOp module = this->getOperation();
    auto derive = [&] {
      func::FuncOp func = findFunction(module, this->function);
      return func ? LogicalResult(
                        build(func, Request(func, this->wrt, this->results)))
                  : failure();
    };
    // What is to be inlined may have to change first.
    bool changesOthers =
        llvm::any_of(module.template getOps<func::FuncOp>(), [](auto function) {
          return function.isPrivate() && declaresUnchecked(function);
        });
    if (failed(changesOthers ? changeOrRestore(module, derive) : derive()))
      this->signalPassFailure();
  }
};
template struct DerivativePass<symshape::impl::GradPassBase, buildGradient>;
template struct DerivativePass<symshape::impl::JvpPassBase, buildJvp>;
template struct DerivativePass<symshape::impl::LinearizePassBase,
                               symshape::linearize>;
template struct DerivativePass<symshape::impl::VjpPassBase, buildVjp>;

struct TransposePass : symshape::impl::TransposePassBase<TransposePass> {
  using TransposePassBase::TransposePassBase;
  void runOnOperation() override {
    func::FuncOp linear = findFunction(getOperation(), function + ".lin");
    std::string name = function + ".transpose";
    if (!linear)
      return signalPassFailure();
    if (getOperation().lookupSymbol(name)) {
      linear.emitOpError("expected no function @")
          << name << ", which is to be added";
      return signalPassFailure();
    }
    if (failed(transposeLinear(linear, name)))
      signalPassFailure();
  }
};

} // namespace
