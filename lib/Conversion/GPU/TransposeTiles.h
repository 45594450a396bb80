//===- TransposeTiles.h - Tiles whose rows become columns -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_TRANSPOSETILES_H
#define SYMSHAPE_LIB_CONVERSION_GPU_TRANSPOSETILES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// An elementwise op that reads along one loop what it writes along another.
struct TransposedInputs {
  unsigned loop = 0;             ///< neighbours in memory along it are read
  SmallVector<OpOperand *> from; ///< the inputs; empty: `op` has none
};

TransposedInputs findTransposedInputs(linalg::LinalgOp op);

/// Whether tiles pay, as a value of the host: both loops are long enough.
Value makeTileTest(OpBuilder &builder, linalg::LinalgOp op,
                   const TransposedInputs &inputs);

/// Makes the kernel, in place of `op`: a block reads a tile of the inputs into
/// shared memory, and computes from there, so that neighbouring threads both
/// read and write neighbours.
void formTransposeTiles(OpBuilder &builder, linalg::LinalgOp op,
                        const TransposedInputs &inputs, StringRef name);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_TRANSPOSETILES_H
