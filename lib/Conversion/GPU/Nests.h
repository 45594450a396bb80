//===- Nests.h - Loops over single elements on many threads -----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_NESTS_H
#define SYMSHAPE_LIB_CONVERSION_GPU_NESTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::symshape {

/// The loops of a nest whose iterations different threads may run, since what
/// one of them writes no other one reads or writes. All begin at 0 and count
/// by 1.
struct NestThreads {
  /// From the outermost one inwards, each around the next; what is between them
  /// may run once for each iteration of the next, or once if it has none.
  SmallVector<scf::ForOp> outer;
  /// None around another, such that iteration `i` of one may run on the same
  /// thread as iteration `i` of the others. All that is written is written in
  /// them.
  SmallVector<scf::ForOp> inner;
  /// Values that there are before the nest.
  SmallVector<Value> outerExtents, innerExtents;

  bool isEmpty() const { return outer.empty() && inner.empty(); }
};

/// True for a value that arises in `nest`.
inline bool isInside(Operation *nest, Value value) {
  return nest->isAncestor(value.getParentRegion()->getParentOp());
}

/// True for a branch that tells what has failed.
bool isFailure(Operation *op);

/// For a nest on buffers that has no structured ops and no calls. Extents may
/// be made at `builder`, which is before the nest.
NestThreads findThreads(OpBuilder &builder, scf::ForOp nest);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_NESTS_H
