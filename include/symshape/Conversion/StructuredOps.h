//===- StructuredOps.h - Structured ops to vector loops ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions behind the passes on structured ops, for other passes and for
// unit tests.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONVERSION_STRUCTUREDOPS_H
#define SYMSHAPE_CONVERSION_STRUCTUREDOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// Replaces a structured op on memrefs by vectorised loops; fails, without a
/// change, where its body or its maps do not allow it. `vectorBits` is the
/// width of a vector register in bits, at least 32; a part of a vector is
/// loaded and stored where its elements have `maskedBits` at least, 0: nowhere.
/// With `onThreads` the outer dimensions run in an scf.parallel.
LogicalResult lowerToVectorLoops(RewriterBase &rewriter, linalg::GenericOp op,
                                 int64_t vectorBits, int64_t maskedBits = 8,
                                 bool onThreads = false);

/// The most rows of a register tile: those whose sums, `vectors` >= 1 for each
/// row, fit in `registers` vector registers beside one row of B, one element of
/// A and, without `fma`, one product. From 1 to 14.
int64_t getTileRows(int64_t registers, int64_t vectors, bool fma);

/// True for a structured op that multiplies two operands and adds up along at
/// least one dimension, with a row and a column dimension.
bool isContraction(linalg::LinalgOp op);

} // namespace mlir::symshape

#endif // SYMSHAPE_CONVERSION_STRUCTUREDOPS_H
