//===- Lists.h - Arithmetic on sizes ----------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What exporters compute from shapes, element by element, stays expressions.
// Not for: data.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_LISTS_H
#define SYMSHAPE_LIB_IMPORT_ONNX_LISTS_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// The least and the most that a type of integers holds; of uint64, the most
/// that int64 holds.
std::pair<int64_t, int64_t> rangeOf(DataType type);

/// Requires that no number of a list overflows its type: expressions do not
/// wrap.
void requireInRange(Node &n, ArrayRef<Expr> list, DataType type);

/// One element from one of each operand; null if there is no expression.
using ListBody = llvm::function_ref<Expr(ArrayRef<Expr>)>;

/// Computes the first result on expressions: true if that was possible, which
/// needs all operands to be known lists of at most rank 1, of one type and of
/// lengths that broadcast, and no constants that wrap.
bool mapLists(Node &n, DataType type, ListBody body);

/// Computes the first result if the first operand is a list or a table and
/// stays one: true if that was possible.
bool reshapeList(Node &n, ArrayRef<Expr> shape);
bool transposeTable(Node &n, ArrayRef<int64_t> permutation);
/// Rows from `offset` on in steps, after their order was reversed if asked for.
bool sliceTable(Node &n, int64_t axis, int64_t offset, int64_t size,
                int64_t step, bool isReversed);
bool castTable(Node &n, DataType type);

/// Sizes that go through floats, as exporters scale them: if the operands of a
/// node are known, so is its result, a tensor that holds the same numbers as
/// the list beside it if these are small enough to be exact.
void keepExactFloats(Node &n, Operand &result);
/// Makes a list of such a tensor, which is required to be exact: true if that
/// was possible.
bool castExactFloats(Node &n, DataType type);

/// Rounds to zero; null if it is not known which way that is.
Expr divideToZero(Emitter &e, Expr x, Expr y);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_LISTS_H
