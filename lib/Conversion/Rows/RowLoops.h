//===- RowLoops.h - A group of structured ops, row by row -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop over rows, in which each op of the group runs for the current ones.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_ROWS_ROWLOOPS_H
#define SYMSHAPE_LIB_CONVERSION_ROWS_ROWLOOPS_H

#include "Structure/RowGroups.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "symshape/IR/Slices.h"

namespace mlir::symshape {

/// Rewrites one group as a loop nest over its rows.
class RowLoops {
public:
  RowLoops(RewriterBase &rewriter, RowGroup &group, int64_t blockRows,
           bool parallel)
      : rewriter(rewriter), group(group), loc(group.last()->getLoc()),
        blockRows(blockRows), parallel(parallel) {}
  void build();
  void fuseIntoReductions();

private:
  struct Slice : SliceBounds {
    bool isWhole = true;
  };
  Slice getSlice(Value value, AffineMap map, ArrayRef<unsigned> loops);
  Value extract(Value value, const Slice &slice);
  Value getInit(linalg::LinalgOp op, OpOperand &init, const Slice &slice);
  void runOp(linalg::LinalgOp op, ArrayRef<unsigned> loops);
  SmallVector<Value> runRows(ValueRange ivs, ValueRange carried);
  Operation *runInOrder(ValueRange begins, ValueRange ends, ValueRange steps,
                        ValueRange inits);
  Operation *runOnThreads(ValueRange begins, ValueRange ends, ValueRange steps,
                          ValueRange inits);
  Value makeResult(OpResult result);
  Value isRowEmpty(OpResult result, Value init);
  SmallVector<Value> getEnds();
  void findHomes();
  OpOperand *getLender(linalg::LinalgOp op, OpOperand &init);

  RewriterBase &rewriter;
  RowGroup &group;
  Location loc;
  int64_t blockRows;
  bool parallel;
  SmallVector<Value> extents;
  SmallVector<OpFoldResult> ivs, counts;  ///< per row dimension
  llvm::MapVector<Value, Value> escaping; ///< result to what carries it
  DenseMap<Value, Value> homes; ///< result to the escaping one it borrows from
  IRMapping tiles;              ///< result to its rows
  SmallVector<linalg::LinalgOp> clones;
  /// In a parallel loop: what each escaping result receives at the end, and
  /// where.
  SmallVector<std::tuple<unsigned, Value, Slice>> stores;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_ROWS_ROWLOOPS_H
