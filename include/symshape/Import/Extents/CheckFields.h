//===- CheckFields.h - What a check finds, for programs ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `symshape-onnx check` says, as JSON. docs/HowTo/RunAnOnnxModel.md lists
// the fields for users.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_EXTENTS_CHECKFIELDS_H
#define SYMSHAPE_IMPORT_EXTENTS_CHECKFIELDS_H

#include "symshape/Import/Extents/Verbs.h"
#include "llvm/Support/JSON.h"

namespace mlir::symshape::onnx {

/// A number, a text in the names of the author, or null if nothing is known.
llvm::json::Value describeExtent(ModelExtents &extents, Expr e);

/// Adds the fields of validity:
///
///   schemaVersion: 1; later versions only add fields
///   sentence: the first line of the text of `check`
///   valid: whether some size is valid, as far as is known
///   conditions: guards, in Python's syntax and to be asked in this order
///   isComplete: whether these are all guards: a very long one is left out, and
///     what the first call decides is not known
///   names: of these: name; text, as the sentence has it; and input and dim of
///     which it is the extent, or is (in words)
///   unknownOps: name, nodes
void addValidity(ModelExtents &extents, llvm::json::Object &fields);

/// The fields of validity, and
///
///   guards, never, checks: condition (null where Python cannot say it), text,
///     where (lines, one for each name in the text that is made up), neededBy;
///     guards: isBound, whether it only keeps a number of elements within 64
///     bits
///   errors: of nodes that their op refuses; forFirstCall: of those that need
///     what the first call gives; numUnknownNodes, of which nothing is known,
///     for one of these comes before
///   claims: entry, name, byte, standing; dim, declared, inferred, and reason
///     of what is not decided; field `type` or `rank` where these differ; by,
///     what the value comes from
///   counts: how many claims of each standing
///
/// Claims are judged where some size is valid. The outcome is that of
/// `checkModel`.
std::pair<Outcome, llvm::json::Object> describeCheck(ModelExtents &extents);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_EXTENTS_CHECKFIELDS_H
