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
#include "../ONNX/Given.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

std::string ModelExtents::text(const Formula &condition) {
  ConditionNames spelled(shapes(), namesOfAuthor());
  std::string sentence = escaped(spellPlainly(spelled.apply(condition)));
  return sentence + spelled.origins;
}

std::string onnx::describeValidity(ModelExtents &extents) {
  using Skipped = ImportTrace::Skipped;
  for (const Skipped &each : extents.skipped())
    if (each.cause == Skipped::Refused)
      return "valid for no size: " +
             describe(extents.model().graph.nodes[each.node]) + " is refused";
  std::string text = escapedLines(symshape::describeValidity(
      extents.shapes(), extents.plan(), extents.namesOfAuthor()));
  if (!extents.isPossible())
    return text;
  if (extents.asksFirstCall())
    text += ", as far as is known before the first call";
  return text +
         (extents.unknownOps().empty() ? "" : ", as far as nodes are known");
}
