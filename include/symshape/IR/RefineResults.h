//===- RefineResults.h - Result types from operands -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What canonicalisation does to the types of an op with a shape rule, as that
// of tensor and linalg does to those of theirs. One op deep; not for: extents
// that only the program around it tells (InferShapes).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_REFINERESULTS_H
#define SYMSHAPE_IR_REFINERESULTS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::symshape {

/// Lets `op`, an op with a shape rule and without regions, take the sources of
/// casts that forget extents, and gives its results the extents that its rule
/// makes constants: of static types and constants among its operands. Users
/// get the old types by casts.
///
/// Only exact extents refine a type. What the op requires it still requires.
/// Fails, and changes nothing, where nothing is to be done, and where the
/// verifier would refuse the op with these types: the check at run time then
/// reports it.
LogicalResult refineResults(Operation *op, RewriterBase &rewriter);

/// That for the ops of our dialect, which has it among its canonicalisations.
void populateRefineResultsPatterns(RewritePatternSet &patterns);

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_REFINERESULTS_H
