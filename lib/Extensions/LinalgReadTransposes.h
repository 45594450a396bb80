//===- LinalgReadTransposes.h - Transposes of reads in bodies ---*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Extensions.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_LINALGREADTRANSPOSES_H
#define SYMSHAPE_LIB_EXTENSIONS_LINALGREADTRANSPOSES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// The transpose of a read of a linear tensor in the body of a structured op,
/// whose loops have these extents.
class ReadTranspose {
public:
  ReadTranspose(linalg::LinalgOp op, tensor::ExtractOp read,
                Cotangents &cotangents, ArrayRef<OpFoldResult> extents)
      : op(op), read(read), cotangents(cotangents), b(cotangents.builder()),
        extents(extents) {
    findWindows();
  }

  /// By loops of the op, where what an iteration gives belongs in the updates.
  AffineMap layout();
  SmallVector<OpFoldResult> updateExtents();
  /// Adds the updates to the cotangent of the tensor.
  void scatter(Value updates);

private:
  void findWindows();
  llvm::SmallBitVector loopsOf(ValueRange values);
  Value makeIndices();
  Value addUnits(Value updates, SmallVector<int64_t> &inserted);
  Value buildIndex(OpBuilder &inner, Location loc, IRMapping &mapping,
                   ArrayRef<Value> places);

  linalg::LinalgOp op;
  tensor::ExtractOp read;
  Cotangents &cotangents;
  OpBuilder &b;
  ArrayRef<OpFoldResult> extents;
  SmallVector<int64_t> indexed;         ///< axes of the tensor
  SmallVector<unsigned> windows, batch; ///< loops, in the order of the updates
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_LINALGREADTRANSPOSES_H
