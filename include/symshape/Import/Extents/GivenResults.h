//===- GivenResults.h - What others say of results --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types and extents of results of ops that have no definition here: from a
// file, or by the inference of ONNX itself. They are believed.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_EXTENTS_GIVENRESULTS_H
#define SYMSHAPE_IMPORT_EXTENTS_GIVENRESULTS_H

#include "symshape/Import/ONNX/Import.h"

namespace mlir::symshape::onnx {

/// Reads `{"NAME": {"type": 1, "dims": ["past + seq", 64, null]}}`: the number
/// of the type in ONNX, and for each extent a number, a text as `dim_param` has
/// it, or null where it is not known.
llvm::Expected<llvm::StringMap<GivenResult>> parseGivenResults(StringRef json);

/// What the package `onnx` of Python infers of all values of a model, from the
/// types of its inputs alone. Runs `python3`, or what SYMSHAPE_PYTHON of the
/// environment says. An error says what that lacks.
llvm::Expected<llvm::StringMap<GivenResult>> inferGivenResults(StringRef model);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_EXTENTS_GIVENRESULTS_H
