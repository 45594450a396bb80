//===- FlatPoints.h - Elementwise ops without rows --------------*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_FLATPOINTS_H
#define SYMSHAPE_LIB_CONVERSION_GPU_FLATPOINTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// True for an elementwise op on dense buffers that has one element of each for
/// each point, in the same order, whatever its place.
bool isFlat(linalg::LinalgOp op);

/// Makes the kernel, in place of `op`: a thread computes the points of 16 bytes
/// of the array as a whole, the last one what is left.
void formFlatPoints(OpBuilder &builder, linalg::LinalgOp op, StringRef name);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_FLATPOINTS_H
