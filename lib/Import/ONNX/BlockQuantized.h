//===- BlockQuantized.h - Weights of few bits -------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_BLOCKQUANTIZED_H
#define SYMSHAPE_LIB_IMPORT_ONNX_BLOCKQUANTIZED_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// The numbers of a DequantizeLinear of constants of rank 2 with scales for
/// blocks along an axis, as codes that products read in registers; null where
/// it has another form.
Tensor dequantizeBlocks(Node &n, int64_t axis, int64_t block, DataType type);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_BLOCKQUANTIZED_H
