//===- ContractionChoice.h - Kernels of a contraction -----------*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_CONTRACTIONCHOICE_H
#define SYMSHAPE_LIB_CONVERSION_GPU_CONTRACTIONCHOICE_H

#include "symshape/Conversion/KernelOps.h"
#include "symshape/Conversion/WgmmaUse.h"

namespace mlir::symshape {

/// Replaces `op`, on buffers, by a kernel whose blocks compute a tile of the
/// result each, or by two of which a test of extents chooses one; fails, and
/// changes nothing, if it has no rows or sums of another type than f32.
LogicalResult formContractionBlocks(OpBuilder &builder, ContractOp op,
                                    StringRef name, WgmmaUse wgmma);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_CONTRACTIONCHOICE_H
