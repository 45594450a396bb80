//===- PointEmitter.h - One point of a structured op ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalar code for one point of the parallel loops of an op on buffers. Private
// to Conversion. Not for: which thread computes which point.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_POINTEMITTER_H
#define SYMSHAPE_LIB_CONVERSION_GPU_POINTEMITTER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "symshape/Conversion/KernelOps.h"

namespace mlir::symshape {

/// An op on buffers as loops: those that index every result are its points,
/// which may be computed in any order; the others run in order at each point.
class PointEmitter {
public:
  /// Emits what the extents need at the builder's place, before the op.
  PointEmitter(OpBuilder &builder, Operation *op);

  /// True for a structured op or a contraction on buffers.
  static bool canEmit(Operation *op);

  /// The extents of the points, outermost first.
  SmallVector<OpFoldResult> getPointExtents() const;

  /// Whether a point runs loops inside of loops.
  bool isNested() const { return inner.size() > 1; }

  /// Emits the point at `position`, one index per extent.
  void emitPoint(OpBuilder &builder, ValueRange position) const;

  /// The inner loop that the threads of a warp should share, since it reads
  /// what is next to each other in memory; none if each point is for one
  /// thread.
  std::optional<unsigned> findWarpLoop() const;

  /// Emits the point at `position` for thread `lane` of a warp, all of which
  /// run it: each forms a part of the sums along `loop`, and these are added up
  /// in an order that does not depend on the run.
  void emitPointOfWarp(OpBuilder &builder, ValueRange position, unsigned loop,
                       Value lane) const;

  /// Emits all points, one after the other.
  void emitInOrder(OpBuilder &builder) const;

private:
  using Body =
      function_ref<SmallVector<Value>(ArrayRef<Value> ivs, ValueRange carried)>;
  /// The part of a loop that a thread runs.
  struct Share {
    unsigned loop = 0;
    Value lane; ///< null: all of it
  };
  /// Loops over `inner` that carry `inits`; returns what they end with.
  SmallVector<Value> emitInner(OpBuilder &builder, SmallVector<Value> ivs,
                               ValueRange inits, Share share, Body body) const;
  bool carriesResults() const;
  void emitStructured(OpBuilder &builder, linalg::LinalgOp op,
                      ArrayRef<Value> ivs, Share share) const;
  void emitContraction(OpBuilder &builder, ContractOp op,
                       ArrayRef<Value> ivs) const;

  Operation *op;
  SmallVector<OpFoldResult> extents;   ///< per loop
  SmallVector<unsigned> points, inner; ///< loops
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_POINTEMITTER_H
