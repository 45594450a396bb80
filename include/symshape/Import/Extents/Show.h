//===- Show.h - A model on one screen ---------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user looks at first: inputs, outputs, size, and for which sizes the
// model is valid. Not for: claims and guards one by one (Check.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_EXTENTS_SHOW_H
#define SYMSHAPE_IMPORT_EXTENTS_SHOW_H

#include "symshape/Import/Extents/CheckFields.h"

namespace mlir::symshape::onnx {

/// The fields of validity (`addValidity`), and
///
///   inputs, outputs: name, element (`f32`), or null where it is not known,
///     extents: an array, or null where not even the rank is known; isDeclared,
///     if they are no more than what the model declares. Of an input what is
///     declared stands, elsewhere what is inferred; of an output what is
///     declared if it is proved
///   numNodes: of graphs inside the main one too; numFunctions
///   parameters: count, bytes: of elements of initializers
///   opsets: versions by domain, that of the standard being `ai.onnx`
///   with `all`, values: what is known of each value, as inputs have it, by its
///     name; unknownNodes: name, op, domain, version, attributes (numbers,
///     texts and lists of them), inputs (as outputs have them, with elements of
///     lists of integers; null where one is left out) and names of outputs, of
///     nodes whose op has no definition
llvm::json::Object describeModel(ModelExtents &extents, bool all = false);

/// The same as text: first ops without a definition. Of many inputs or outputs
/// the first ones, unless `all` is set.
void showModel(ModelExtents &extents, bool all, raw_ostream &os);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_EXTENTS_SHOW_H
