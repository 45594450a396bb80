//===- InferShapes.h - Types and attributes from extents --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes what the analysis knows into the IR, as functions that passes and
// tests call.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_INFERSHAPES_H
#define SYMSHAPE_TRANSFORMS_INFERSHAPES_H

#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {

/// Fails with an error at an op that gives an extent which is only an upper
/// bound of what its operand has: `symshape.reshape`, `symshape.broadcast`,
/// `tensor.concat`.
LogicalResult verifyNoBoundsAsExtents(FunctionShapes &shapes);

/// Gives each tensor whose dynamic extents are proved constants a static type:
/// a cast to it and back, which canonicalisation moves through the users.
/// Returns how many dims were refined. `shapes` is stale afterwards.
unsigned refineTypes(FunctionShapes &shapes);

/// `refineTypes` of each function of `module`, and the casts moved through
/// their users.
void inferShapes(ModuleOp module, const ShapeAnalysisOptions &options = {});

/// Writes `symshape.extents` on each op with ranked results.
void annotateExtents(FunctionShapes &shapes);

/// A remark for each extent that is unknown: the missing fact, and the line to
/// write. Returns how many there are.
unsigned reportUnknownExtents(FunctionShapes &shapes);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_INFERSHAPES_H
