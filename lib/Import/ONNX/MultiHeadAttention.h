//===- MultiHeadAttention.h - Attention of encoders -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_MULTIHEADATTENTION_H
#define SYMSHAPE_LIB_IMPORT_ONNX_MULTIHEADATTENTION_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// Each [batch, heads, length, size].
struct MultiHeads {
  Tensor q, k, v;
};

/// Scores, [batch, heads, queries, keys], with what operand `bias` adds, less
/// where operand `mask` or `unidirectional` hides a key; both may be missing.
/// Null after an error.
Tensor maskedScores(Node &n, const MultiHeads &heads, size_t mask, size_t bias);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_MULTIHEADATTENTION_H
