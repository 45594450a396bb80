//===- PayloadEmitter.h - Bodies of structured ops at one point -*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the body of a structured op for one point of its iteration space, or
// for a row of neighbouring points as one vector. Not for: loops.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_VECTORS_PAYLOADEMITTER_H
#define SYMSHAPE_LIB_CONVERSION_VECTORS_PAYLOADEMITTER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::symshape {

/// How an operand is read along one dimension of the iteration space.
enum class Access {
  Uniform,    ///< the same element at each point
  Contiguous, ///< neighbouring elements of the innermost dimension
  Lanes,      ///< anything else: element by element
};

/// The access of `operand` of `op` along the loop dimension `dim`.
Access getAccess(linalg::LinalgOp op, OpOperand &operand, unsigned dim);

/// By how many elements one point along `dim` and the next differ: 0 if the
/// element is the same, 1 for neighbours, or another constant; nullopt if that
/// is not known, or the elements in memory cannot be lanes of a vector.
std::optional<int64_t> getStepOfVector(linalg::LinalgOp op, OpOperand &operand,
                                       unsigned dim);

/// A place in the iteration space of `op`: one point, or `width` neighbouring
/// points along `vectorDim`, of which the first `count` exist.
struct Place {
  linalg::LinalgOp op;
  SmallVector<Value> ivs; ///< one index per loop; null where not needed
  unsigned vectorDim = 0; ///< read only where width > 0
  int64_t width = 0;      ///< 0: one point, and every value is a scalar
  Value count;            ///< index; null: all points exist
};

/// Emits loads, the body and stores of an op at a place. A value that is the
/// same at each point of the place stays a scalar, any other is a vector of
/// `width` lanes.
class PayloadEmitter {
public:
  PayloadEmitter(OpBuilder &builder, Location loc, Place place)
      : builder(builder), loc(loc), place(std::move(place)) {}

  /// The element(s) of an operand; a scalar operand is returned as it is.
  /// Lanes at and beyond `count` hold zero. Asserts nothing about `count` for
  /// Access::Lanes: ask `needsScalarTail` before.
  Value load(OpOperand &operand);

  /// Asks for what `load` would read if the operand were `base`.
  void prefetch(OpOperand &operand, Value base);

  /// Stores to a memref operand; lanes at and beyond `count` are left alone.
  void store(OpOperand &operand, Value value);

  /// Maps what depends neither on `vectorDim` nor on `otherDims`: inputs and
  /// those ops of the body that may run even if no point follows.
  void emitUniform(IRMapping &mapping, ArrayRef<unsigned> otherDims);

  /// Emits what `mapping` does not hold yet, and returns the yielded values.
  SmallVector<Value> emitBody(IRMapping &mapping);

  /// `value` with `width` lanes; unchanged for one point.
  Value broadcast(Value value);

  /// vector<width x i1>: lane < count.
  Value getMask();

  /// `width` neighbouring elements, of which `count` are read.
  Value loadVector(Value base, ValueRange indices, Type elementType);

private:
  Value emitMemoryRead(Operation *op, IRMapping &mapping);
  SmallVector<Value> getIndices(AffineMap map, int64_t lane);
  void cloneElementwise(Operation *op, IRMapping &mapping);
  Value divideByUniform(Value dividend, Value divisor);

  OpBuilder &builder;
  Location loc;
  Place place;
};

/// True if the body can be emitted for vectors: elementwise ops,
/// `linalg.index`, and reads of single elements.
bool isVectorizableBody(linalg::LinalgOp op);

/// True if lanes that do not exist must not be computed: the body may trap or
/// reads memory, or an operand is read or written element by element along
/// `dim`.
bool needsScalarTail(linalg::LinalgOp op, unsigned dim);

/// Whether the element that an operand is read at exists in every
/// iteration of the loops in its map, and so may be read outside other
/// loops, which may be empty: each index is such a loop, or known to be in
/// bounds.
bool hasElementOutside(linalg::LinalgOp op, OpOperand &operand);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_VECTORS_PAYLOADEMITTER_H
