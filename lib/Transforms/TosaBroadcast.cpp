//===- TosaBroadcast.cpp - The rule by which tosa broadcasts --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/TosaBroadcast.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

std::optional<TosaBroadcast>
mlir::symshape::parseTosaBroadcast(StringRef name) {
  return llvm::StringSwitch<std::optional<TosaBroadcast>>(name)
      .Case("strict", TosaBroadcast::Strict)
      .Case("numpy", TosaBroadcast::NumPy)
      .Default(std::nullopt);
}

void mlir::symshape::setTosaBroadcast(ModuleOp module, TosaBroadcast rule) {
  module.walk([&](ModuleOp op) {
    if (rule == TosaBroadcast::NumPy)
      op->setAttr(SymShapeDialect::kTosaNumPyBroadcast,
                  UnitAttr::get(op.getContext()));
    else
      op->removeAttr(SymShapeDialect::kTosaNumPyBroadcast);
  });
}

namespace {
/// Not one of Passes.td: its only option has no name of its own.
struct TosaBroadcastPass
    : PassWrapper<TosaBroadcastPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TosaBroadcastPass)

  explicit TosaBroadcastPass(TosaBroadcast rule) : rule(rule) {
    name = rule == TosaBroadcast::NumPy ? "numpy" : "strict";
  }
  TosaBroadcastPass(const TosaBroadcastPass &other)
      : PassWrapper(other), rule(other.rule) {}

  StringRef getArgument() const override { return "symshape-tosa-broadcast"; }
  StringRef getDescription() const override {
    return "Which extents of ops of tosa expand";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<SymShapeDialect>();
  }
  void runOnOperation() override { setTosaBroadcast(getOperation(), rule); }

private:
  TosaBroadcast rule;
  Option<std::string> name{*this, "rule",
                           llvm::cl::desc("as in the text of a pipeline")};
};
} // namespace

void mlir::symshape::registerTosaBroadcastPass() {
  registerPassPipeline(
      "symshape-tosa-broadcast",
      "Which extents of ops of tosa expand: strict, those whose type says 1; "
      "numpy, also those that turn out to be 1",
      [](OpPassManager &manager, StringRef options,
         function_ref<LogicalResult(const Twine &)> error) {
        StringRef name = options;
        name.consume_front("rule=");
        std::optional<TosaBroadcast> rule = parseTosaBroadcast(name);
        if (!rule)
          return error("expected symshape-tosa-broadcast to be strict or "
                       "numpy, but got '" +
                       options + "'");
        manager.addPass(std::make_unique<TosaBroadcastPass>(*rule));
        return success();
      },
      [](function_ref<void(const ::mlir::detail::PassOptions &)>) {});
}
