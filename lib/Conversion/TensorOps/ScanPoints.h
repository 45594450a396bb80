//===- ScanPoints.h - Running sums on many threads --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For symshape-lower-tensor-ops.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TENSOROPS_SCANPOINTS_H
#define SYMSHAPE_LIB_CONVERSION_TENSOROPS_SCANPOINTS_H

#include "Arithmetic.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// Sums of all chunks so far of lines along an axis. What is added up need not
/// be in memory: it is read as each thread gets to it.
class ChunkScan : Arithmetic {
public:
  /// The element at a position.
  using Read = llvm::function_ref<Value(ArrayRef<Value>)>;

  /// Of tensors with these extents, and sums of type `element`.
  ChunkScan(RewriterBase &rewriter, Location loc,
            ArrayRef<OpFoldResult> extents, int64_t axis, Type element);

  /// Along the axis, one sum for each chunk, of it and all before; lines
  /// without elements have one too, of nothing.
  Value sumChunks(Read read);
  /// The number of chunks of a line.
  OpFoldResult getCount() const { return counts[axis]; }

  // In the body of a structured op:

  /// The chunk of a place on a line.
  Value getChunk(Value place);
  /// Where a chunk begins; the first place after it.
  Value getBegin(Value chunk);
  Value getEnd(Value chunk);
  /// The sum at `at` of all chunks before this one, if it is not the first.
  Value readBefore(Value sums, ArrayRef<Value> at, Value chunk);
  /// The sum of `count` elements of the line at `at` that lie `step` apart,
  /// from `first` on, in this order.
  Value sum(ArrayRef<Value> at, Value first, Value step, Value count,
            Read read);

private:
  Value scanStep(Value sums, Value into, Value shift);

  RewriterBase &b;
  int64_t axis;
  Type element;
  SmallVector<OpFoldResult> counts; ///< the extents of sums of chunks
  Value extent;
};

/// The same results as by the loops of AxisLoops.h, but for the order in which
/// floats are added.
void lowerToPoints(RewriterBase &rewriter, CumsumOp op);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TENSOROPS_SCANPOINTS_H
