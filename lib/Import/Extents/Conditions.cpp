//===- Conditions.cpp - For which sizes a model is valid ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Conditions.h; the words are those of Validity.h.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/Extents/Conditions.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

std::string ModelExtents::text(const Formula &condition) {
  ConditionNames spelled(shapes(), namesOfAuthor());
  std::string sentence = escaped(spellPlainly(spelled.apply(condition)));
  return sentence + spelled.origins;
}

std::string onnx::describeValidity(ModelExtents &extents) {
  std::string text = escapedLines(symshape::describeValidity(
      extents.shapes(), extents.plan(), extents.namesOfAuthor()));
  bool isKnown = !extents.isRefused() && extents.unknownOps().empty();
  return text + (isKnown || !extents.isPossible()
                     ? ""
                     : ", as far as nodes are known");
}
