//===- TiledContraction.h - Contractions in shared memory -------*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_TILEDCONTRACTION_H
#define SYMSHAPE_LIB_CONVERSION_GPU_TILEDCONTRACTION_H

#include "symshape/Conversion/CPUOps.h"

namespace mlir::symshape {

/// Replaces `op`, on buffers, by a kernel whose blocks compute a tile of the
/// result each, from tiles of the operands in shared memory; fails, and changes
/// nothing, if it has no rows or sums of another type than f32.
LogicalResult formTiledContraction(OpBuilder &builder, ContractOp op,
                                   StringRef name);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_TILEDCONTRACTION_H
