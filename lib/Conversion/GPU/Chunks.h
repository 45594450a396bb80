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
#include "mlir/IR/IRMapping.h"

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

/// How many elements of the widest operand of `op` are in 16 bytes; 1 if
/// vectors of some do not lie in memory as buffers do.
int64_t getPlainWidth(linalg::LinalgOp op);

/// `op`, on buffers, in chunks along its last loop; what a reduction combines
/// is read so, its results are no chunks.
struct LoopChunks {
  int64_t width = 1; ///< elements; 1: it cannot be done
  Value test;        ///< null: always
};
LoopChunks findLoopChunks(OpBuilder &builder, linalg::LinalgOp op);

/// True if neighbours along the last loop of `op` are neighbours of `operand`.
bool isAlongLastLoop(linalg::LinalgOp op, OpOperand &operand);

/// What `op` reads for the `width` points of a chunk.
class ChunkReader {
public:
  /// Reads what the body gets and `known` does not have; the chunk begins at
  /// `ivs`, one per loop.
  ChunkReader(OpBuilder &builder, linalg::LinalgOp op, ArrayRef<Value> ivs,
              int64_t width, const IRMapping &known = {});
  /// Maps what the body gets at one of the points.
  void map(OpBuilder &builder, int64_t point, IRMapping &mapping);

private:
  linalg::LinalgOp op;
  SmallVector<Value> read; ///< per operand; null: nothing
};

/// Reads the inputs of `op` that are the same along its last loop, whose
/// variable in `ivs` may be null: what is stored in the loop might change them
/// for all that later passes know.
void readBeforeLoop(OpBuilder &builder, linalg::LinalgOp op,
                    ArrayRef<Value> ivs, IRMapping &known);

/// Emits the `width` points of an elementwise op that begin at `ivs`, one per
/// loop, from what has been read.
void emitElementwiseChunk(OpBuilder &builder, linalg::LinalgOp op,
                          ChunkReader &reader, ArrayRef<Value> ivs,
                          int64_t width);

/// The same, reading first what the body gets and `known` does not have.
void emitElementwiseChunk(OpBuilder &builder, linalg::LinalgOp op,
                          ArrayRef<Value> ivs, int64_t width,
                          const IRMapping &known = {});

/// Runs `wide` where `test` holds, else `narrow`, both with the builder in
/// their branch; `op`, which both replace, is in the latter.
void chooseOnHost(OpBuilder &builder, Operation *op, Value test,
                  function_ref<void(Operation *)> wide,
                  function_ref<void(Operation *)> narrow);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_CHUNKS_H
