//===- Canonicalizer.cpp - Canonicalization that is sound -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/Canonicalizer.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

std::vector<std::string> symshape::namesOfPattern(StringRef className) {
  return {("(anonymous namespace)::" + className).str(),
          ("{anonymous}::" + className).str()};
}

std::vector<std::string> symshape::unsoundPatterns() {
  return namesOfPattern("ForOpTensorCastFolder");
}

std::unique_ptr<Pass> symshape::createSoundCanonicalizerPass() {
  // Otherwise as the pass does without options.
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal(true).setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Normal);
  return createCanonicalizerPass(config, unsoundPatterns());
}
