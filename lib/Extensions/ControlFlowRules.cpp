//===- ControlFlowRules.cpp - Shape rules of cf ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asserts. Arguments of blocks that branches lead to are unknown.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;

static void assertRule(cf::AssertOp op, ShapeFacts &facts) {
  facts.requireAsserted(facts.condition(op.getArg()), op.getMsg());
}

void symshape::registerControlFlowRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, cf::ControlFlowDialect *) {
    attachRule<cf::AssertOp, assertRule>(context);
  });
}
