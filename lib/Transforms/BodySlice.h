//===- BodySlice.h - Part of a body, copied elsewhere -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What some requirements of a structured op's body depend on, and its copies
// before the op. Private to Transforms. Not for: the loop around the copies
// (BodyChecks.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_BODYSLICE_H
#define SYMSHAPE_LIB_TRANSFORMS_BODYSLICE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "symshape/Analysis/GuardAnalysis.h"
#include "symshape/Transforms/ExprEmitter.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::symshape {

/// The part of a body that some requirements depend on, and its copies.
///
/// A copy needs, at its insertion point, the position along each loop in
/// `loops` and the elements of the operands in `operands`.
class BodySlice {
public:
  BodySlice(linalg::LinalgOp op, FunctionShapes &shapes)
      : op(op), block(op.getBlock()), shapes(shapes) {}

  /// Fails if the slice has effects or reads results of the loop itself, or a
  /// symbol has no value before the op: the condition cannot be computed.
  LogicalResult add(const Requirement &requirement);
  /// What was added.
  ArrayRef<const Requirement *> requirements() const { return added; }

  /// Clones the slice; `position` gives the value of each loop, `elements`
  /// those of the operands.
  Value emitCondition(OpBuilder &builder, const Requirement &requirement,
                      ArrayRef<Value> position, ArrayRef<Value> elements);
  void emitFailure(OpBuilder &builder, const Requirement &requirement,
                   ArrayRef<Value> position, ArrayRef<Value> elements,
                   ArrayRef<Value> shownPosition);

  linalg::LinalgOp op;
  llvm::SetVector<unsigned> loops;
  llvm::SetVector<unsigned> operands;

private:
  IRMapping clone(OpBuilder &builder, ArrayRef<Value> position,
                  ArrayRef<Value> elements);
  ExprEmitter emitter(OpBuilder &builder, Location loc,
                      const Requirement &requirement, ArrayRef<Value> position,
                      IRMapping &copies);
  bool isInside(Value value) const {
    return value && value.getParentBlock() == block;
  }
  LogicalResult addValue(Value value);
  LogicalResult addSymbol(const Requirement &requirement, Expr symbol);
  /// The branches inside the body that lead to `inner`, each with the outcome
  /// of its condition that does; nullopt if it is in a loop.
  std::optional<SmallVector<std::pair<Value, bool>>>
  branchesTo(Operation *inner);

  Block *block;
  FunctionShapes &shapes;
  llvm::SetVector<Operation *> ops;
  SmallVector<const Requirement *> added;
};

/// What to compute for an assert that no formula expresses; else null.
Value assertedValue(const Requirement &requirement);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_BODYSLICE_H
