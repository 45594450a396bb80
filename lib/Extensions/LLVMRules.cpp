//===- LLVMRules.cpp - Shape rules of llvm --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `llvm.intr.assume`, which programs of higher dialects use as well.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;

/// Behaviour is undefined if the condition does not hold.
static void assumeRule(LLVM::AssumeOp op, ShapeFacts &facts) {
  facts.imply(facts.condition(op.getCond()));
}

void symshape::registerLLVMRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LLVM::LLVMDialect *) {
    attachRule<LLVM::AssumeOp, assumeRule>(context);
  });
}
