//===- Check.h - Is what a model says of its extents true? ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_EXTENTS_CHECK_H
#define SYMSHAPE_IMPORT_EXTENTS_CHECK_H

#include "symshape/Import/Extents/Verbs.h"

namespace mlir::symshape::onnx {

/// Reports for which sizes the model is valid, in a sentence and then one by
/// one, and each claim. Refused if a claim is contradicted or no call is valid.
Outcome checkModel(ModelExtents &extents, bool all, raw_ostream &os);

/// The sizes for which a model is valid, one line for each guard, and what no
/// size mends. Bounds on element counts and checks of data are only counted
/// unless `all` is set. Returns whether there can be a valid call.
bool tellGuards(ModelExtents &extents, bool all, raw_ostream &os);

/// A condition in words, and where its names come from: the text of the assert
/// that says it, where it is one of numbers alone.
std::string describeCondition(ModelExtents &extents, const Formula &condition,
                              ArrayRef<const Requirement *> reasons);

/// Who needs a condition, each once: nodes, or the declarations of the inputs.
std::vector<std::string> describeNeeds(ArrayRef<const Requirement *> reasons);

/// Ops without a definition, all of them with their nodes, and nodes that could
/// not be imported for other reasons.
void tellSkipped(const ModelExtents &extents, raw_ostream &os);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_EXTENTS_CHECK_H
