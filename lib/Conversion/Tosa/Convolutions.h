//===- Convolutions.h - Convolutions of tosa --------------------*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_CONVERSION_TOSA_CONVOLUTIONS_H
#define SYMSHAPE_LIB_CONVERSION_TOSA_CONVOLUTIONS_H

#include "mlir/IR/Builders.h"

namespace mlir::symshape {

/// What `op` computes; null if it is no convolution.
Value lowerConvolution(OpBuilder &b, Operation *op);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TOSA_CONVOLUTIONS_H
