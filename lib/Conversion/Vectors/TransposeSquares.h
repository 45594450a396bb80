//===- TransposeSquares.h - Elements that change places ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Squares of a matrix that are transposed in registers. Private to Conversion.
// Not for: when a tensor is to be transposed.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_VECTORS_TRANSPOSESQUARES_H
#define SYMSHAPE_LIB_CONVERSION_VECTORS_TRANSPOSESQUARES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// The columns of a square, whose size is a power of two, as rows.
SmallVector<Value> transposeSquare(OpBuilder &builder, Location loc,
                                   SmallVector<Value> rows);

/// Whether elements of `type` are transposed in squares: those of 8, 16 or 32
/// bits.
bool fitsSquares(Type type);

/// Whether `op`, on memrefs, copies such elements, and
/// neighbours of its result lie apart in its input.
bool isTransposition(linalg::GenericOp op);

/// Lets such an op run only where an extent is too small for a square;
/// elsewhere loops over squares do what it does. With `onThreads` they are
/// parallel.
void transposeInSquares(RewriterBase &rewriter, linalg::GenericOp op,
                        int64_t vectorBits, bool onThreads);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_VECTORS_TRANSPOSESQUARES_H
