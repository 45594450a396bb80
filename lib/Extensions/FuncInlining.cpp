//===- FuncInlining.cpp - Which calls MLIR may inline ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As MLIR's own interface of the func dialect, which asks nobody about the
// attributes of a function, but for functions whose signature would be lost.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/InliningUtils.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/IR/DiscardableAttributes.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct FuncInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *call, Operation *callable, bool) const final {
    auto callOp = dyn_cast<func::CallOp>(call);
    auto function = dyn_cast<func::FuncOp>(callable);
    return !(callOp && callOp.getNoInline()) &&
           !(function &&
             (function.getNoInline() || declaresUnchecked(function)));
  }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }

  void handleTerminator(Operation *op, Block *next) const final {
    auto ret = dyn_cast<func::ReturnOp>(op);
    if (!ret)
      return;
    OpBuilder builder(op);
    cf::BranchOp::create(builder, op->getLoc(), next, ret.getOperands());
    op->erase();
  }
  void handleTerminator(Operation *op, ValueRange results) const final {
    for (auto [result, returned] : llvm::zip_equal(results, op->getOperands()))
      result.replaceAllUsesWith(returned);
  }
};
} // namespace

/// The first interface of a dialect counts, and tools such as mlir-opt have
/// registered MLIR's own before they load a plug-in: ours goes before all.
void symshape::registerFuncInlining(DialectRegistry &registry) {
  DialectRegistry oursFirst;
  oursFirst.addExtension(+[](MLIRContext *context, func::FuncDialect *dialect) {
    dialect->addInterfaces<FuncInlinerInterface>();
    context->getOrLoadDialect<cf::ControlFlowDialect>();
  });
  registry.appendTo(oursFirst);
  registry = std::move(oursFirst);
}
