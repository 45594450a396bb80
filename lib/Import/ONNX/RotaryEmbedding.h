//===- RotaryEmbedding.h - Positions as rotations ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For: attention that rotates its queries and keys. Private to Import.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_ROTARYEMBEDDING_H
#define SYMSHAPE_LIB_IMPORT_ONNX_ROTARYEMBEDDING_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// x, [batch, length, heads, size], with pairs of the first 2 * h elements of
/// each head rotated: elements i and i + h, or, interleaved, 2 * i and 2 * i
/// + 1. `cos` and `sin` are [batch, length, h], in the type of x.
///
/// Source: Su et al., "RoFormer", arXiv:2104.09864.
Tensor rotateHeads(Emitter &e, const Tensor &x, const Tensor &cos,
                   const Tensor &sin, bool isInterleaved);

/// The rows of a cache, [positions, h], at positions [batch, length].
Tensor pickRows(Emitter &e, const Tensor &cache, const Tensor &positions);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_ROTARYEMBEDDING_H
