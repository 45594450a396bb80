//===- Attention.h - Parts of attention -------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For: ops that are attention by another name. Private to Import.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_ATTENTION_H
#define SYMSHAPE_LIB_IMPORT_ONNX_ATTENTION_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// [batch, length, heads * size] as [batch, heads, length, size].
Tensor splitHeads(Emitter &e, const Tensor &x, int64_t heads);

/// The reverse.
Tensor joinHeads(Emitter &e, const Tensor &x);

/// Gives keys and values as many heads as queries have, all [batch, heads,
/// length, size]; false if that is impossible.
bool shareHeads(Emitter &e, const Tensor &q, Tensor &k, Tensor &v);

/// Products of queries and keys, [batch, heads, queries, keys], times `scale`,
/// or without one by the root of the size of a head.
Tensor scoresOf(Emitter &e, const Tensor &q, const Tensor &k,
                std::optional<double> scale, DataType type);

/// The attribute `scale` of ops of com.microsoft, where 0 stands for none.
std::optional<double> microsoftScale(Node &n);

/// Scores plus operand `i`, which broadcasts to them; as they are without it.
Tensor addScoreBias(Node &n, size_t i, const Tensor &scores);

/// Numbers x as cap * tanh(x / cap); as they are if `cap` is 0.
Tensor capScores(Emitter &e, const Tensor &scores, double cap);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_ATTENTION_H
