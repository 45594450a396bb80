//===- RowKernels.h - Kernels of a row per block ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured ops that work row by row, such as those of a softmax: a row of one
// needs nothing but the same row of those before. Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_ROWKERNELS_H
#define SYMSHAPE_LIB_CONVERSION_GPU_ROWKERNELS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// Whether the first `rows` loops of `op`, on buffers, count rows, and at most
/// one other loop runs along them.
bool hasRows(linalg::LinalgOp op, unsigned rows);

/// True for an op that combines the elements of its rows by shuffles.
bool reducesRows(linalg::LinalgOp op);

/// Makes one kernel of `ops`, in place of the last one. A warp works on a row,
/// or a block where rows are long; 16 bytes at a time where rows are multiples
/// of that.
void formRows(OpBuilder &builder, ArrayRef<linalg::LinalgOp> ops, unsigned rows,
              StringRef name);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_ROWKERNELS_H
