//===- Verbs.h - What symshape-onnx does with a model -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Infers, checks, explains, fixes and compares models, and says so in text.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_EXTENTS_VERBS_H
#define SYMSHAPE_IMPORT_EXTENTS_VERBS_H

#include "symshape/Import/Extents/Claims.h"
#include "symshape/Import/Extents/WriteModel.h"
#include "llvm/Support/JSON.h"

namespace mlir::symshape::onnx {

/// The outcome of a verb; exit statuses of the tool.
enum class Outcome {
  Done = 0,
  Incomplete = 1, ///< there are nodes that no call can pass
  Refused = 3
};

/// How much `infer` and `fix` write.
struct WrittenExtents {
  Outcome outcome = Outcome::Refused; ///< then nothing is to be written
  unsigned numNumbers = 0, numOverInputs = 0, numOfData = 0; ///< extents
  unsigned numUnknownValues = 0, numFoldedNodes = 0;
};

/// The changes that write what is known of all extents. Writes to `os` which
/// claims do not hold and, at the end, how many extents are known. Refused if
/// the policy refuses a claim or no call is valid.
WrittenExtents inferModel(ModelExtents &extents, MergePolicy policy,
                          ModelChanges &changes, raw_ostream &os);

/// The changes of `inferModel`; also, nodes that only compute integers that
/// are now known become constants. Refused if the given sizes are not
/// valid.
WrittenExtents fixModel(ModelExtents &extents, ModelChanges &changes,
                        raw_ostream &os);

/// Tells how the extents of a value come from those of inputs, or what is
/// missing. With an empty name, of all outputs.
llvm::Expected<Outcome> explainModel(ModelExtents &extents, StringRef name,
                                     raw_ostream &os);

/// The same as an object each: `name`, `says`, and either `extents`, of which
/// each has `extent` and the steps `because`, or `because`.
llvm::Expected<Outcome> explainFields(ModelExtents &extents, StringRef name,
                                      llvm::json::Array &values);

/// What is not proved to be the same in two models: inputs, outputs and guards,
/// a line each.
std::vector<std::string> diffLines(ModelExtents &left, ModelExtents &right);

/// Tells whether two models have the same inputs, outputs and guards. Refused
/// where that is not proved.
Outcome diffModels(ModelExtents &left, ModelExtents &right, raw_ostream &os);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_EXTENTS_VERBS_H
