//===- RowGroups.h - Structured ops that share their rows -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds structured ops of one block that can be run together, row by row.
// Private to Conversion. Not for: rewriting them (FuseRows.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_STRUCTURE_ROWGROUPS_H
#define SYMSHAPE_LIB_CONVERSION_STRUCTURE_ROWGROUPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::symshape {

/// Structured ops on tensors of one block, in block order, that compute row i
/// of their results from row i of each other's results.
///
/// Invariants: each op has `numRows` parallel loops, `loops[op][r]` for row
/// dimension r, and each of its results has all of them; where an op reads a
/// result of another, both agree on which dimensions are the rows. What lies
/// between two ops of the group does not depend on one and feed another.
///
/// Example: the maximum, the exponentials, their sum and the quotients of a
/// softmax over the last dimension of tensor<BxHxQxK> are a group of four ops
/// with three row dimensions.
struct RowGroup {
  unsigned numRows = 0;
  llvm::MapVector<Operation *, SmallVector<unsigned>> loops;

  bool contains(Operation *op) const { return op && loops.contains(op); }
  Operation *last() const { return loops.back().first; }
  /// The ops after the first that are not of the group but depend on it, in
  /// block order, up to the last op.
  SmallVector<Operation *> getDependents() const;
  unsigned countContractions() const;
};

/// A tensor of the same shape that is not a result of a structured op.
Value getShapeSource(Value value);

/// Whether `op` writes each element of `init` once, without a look at it, so
/// that what is there before does not count: not so if a loop may have no
/// iteration.
bool overwrites(linalg::LinalgOp op, OpOperand &init);

/// The group around a reduction whose parallel loops are the rows; empty where
/// rows would not be runs of memory. Contractions join only if asked for.
RowGroup findRowGroup(linalg::GenericOp reduction, bool withContractions);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_STRUCTURE_ROWGROUPS_H
