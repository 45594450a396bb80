//===- NestKernels.h - Kernels of loops over elements ----------*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_NESTKERNELS_H
#define SYMSHAPE_LIB_CONVERSION_GPU_NESTKERNELS_H

#include "mlir/IR/Builders.h"

namespace mlir::symshape {

/// True for a loop or branch that touches elements itself, and holds nothing
/// that the host or structured kernels should do.
bool isNest(Operation *op);

/// Makes `op`, a nest, a kernel of as many threads as are independent; where
/// none are shown to be, of one.
void formNest(OpBuilder &builder, Operation *op, StringRef name);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_NESTKERNELS_H
