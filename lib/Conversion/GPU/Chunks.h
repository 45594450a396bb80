//===- Chunks.h - Neighbours that a thread accesses at once -----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether the rows of buffers are whole chunks of 16 bytes. Private to
// Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_CHUNKS_H
#define SYMSHAPE_LIB_CONVERSION_GPU_CHUNKS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// Whether the rows of a buffer consist of chunks.
struct Chunks {
  bool always = false;
  Value test; ///< else: an i1 of the host that says so; null: never
};

/// For chunks of `width` elements of `buffer`, an operand of `op` with `map`:
/// a type, `symshape-mark-divisors`, or else a test of the extent of a row.
/// Inserts the test at the place of `builder`.
Chunks findChunks(OpBuilder &builder, Operation *op, Value buffer,
                  AffineMap map, int64_t width);

/// A test that holds if both do; either may be null, and is ignored then.
Value combineTests(OpBuilder &builder, Location loc, Value a, Value b);

/// `op`, elementwise on buffers, in chunks along the last loop.
struct ElementwiseChunks {
  int64_t width = 1; ///< elements; 1: it cannot be done
  Value test;        ///< null: always
};
ElementwiseChunks findElementwiseChunks(OpBuilder &builder,
                                        linalg::LinalgOp op);

/// Emits the `width` points that begin at `ivs`, one per loop.
void emitElementwiseChunk(OpBuilder &builder, linalg::LinalgOp op,
                          ArrayRef<Value> ivs, int64_t width);

/// Runs `wide` where `test` holds, else `narrow`, both with the builder in
/// their branch; `op`, which both replace, is in the latter.
void chooseOnHost(OpBuilder &builder, Operation *op, Value test,
                  function_ref<void(Operation *)> wide,
                  function_ref<void(Operation *)> narrow);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_CHUNKS_H
