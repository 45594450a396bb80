//===- MoveImages.h - Ops behind images with channels last ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How transposed copies behind convolutions move behind the ops that follow:
// pools, elementwise ops, borders, parts and concatenations.
//
// Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_WINDOWS_MOVEIMAGES_H
#define SYMSHAPE_LIB_CONVERSION_WINDOWS_MOVEIMAGES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::symshape {

/// Where each dimension is found when dimension 1, or so many from there on,
/// become the last ones.
SmallVector<int64_t> toLast(int64_t rank, int64_t moved = 1);

/// Replaces `op` by `value`, whose dimensions are those of its result in
/// `order`.
void replaceByMoved(RewriterBase &b, Operation *op, Value value,
                    ArrayRef<int64_t> order);

/// What an op that becomes one of dimensions in `order` starts from: a fill of
/// such a shape, or a copy.
Value moveInit(RewriterBase &b, Location loc, Value init,
               ArrayRef<int64_t> order);

/// `value` as it was before its last dimension became dimension 1.
Value beforeMove(Value value);

/// Patterns for ops whose images come with channels last. With `integers`,
/// products of integers are convolutions of their own, as those of floats.
void populateMoveImagesPatterns(RewritePatternSet &patterns, bool integers);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_WINDOWS_MOVEIMAGES_H
