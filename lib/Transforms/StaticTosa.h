//===- StaticTosa.h - Ops of tosa with more static types --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_STATICTOSA_H
#define SYMSHAPE_LIB_TRANSFORMS_STATICTOSA_H

#include "mlir/IR/PatternMatch.h"
#include "symshape/Analysis/FunctionShapes.h"

namespace mlir::symshape {

/// Whether `op` is one of tosa that allows any type of its operands and results
/// with more static extents, but those of 0.
bool isRefinableTosa(Operation *op);

/// Patterns that let ops of tosa take the sources of casts that forget extents.
void populateTosaCastPatterns(RewritePatternSet &patterns);

/// Replaces values of type `!tosa.shape` that are proved to be constants, where
/// their users allow these. Returns their number.
unsigned foldTosaShapes(FunctionShapes &shapes);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_STATICTOSA_H
