//===- AllExtensions.cpp - Shape rules of upstream dialects ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Extensions/AllExtensions.h"

using namespace mlir;
using namespace mlir::symshape;

void symshape::registerShapeFactsExternalModels(DialectRegistry &registry) {
  registerAffineRules(registry);
  registerArithRules(registry);
  registerBufferizationRules(registry);
  registerControlFlowRules(registry);
  registerGPURules(registry);
  registerIndexRules(registry);
  registerLLVMRules(registry);
  registerLinalgRules(registry);
  registerMathRules(registry);
  registerMemRefRules(registry);
  registerSCFRules(registry);
  registerShapeRules(registry);
  registerTensorRules(registry);
  registerTensorReshapeRules(registry);
  registerTosaRules(registry);
  registerVectorRules(registry);
}

void symshape::registerDerivativeExternalModels(DialectRegistry &registry) {
  registerArithDerivatives(registry);
  registerLinalgDerivatives(registry);
  registerMathDerivatives(registry);
  registerSCFDerivatives(registry);
  registerTensorDerivatives(registry);
}
