//===- SCFForDerivatives.h - Derivatives of scf.for -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_SCFFORDERIVATIVES_H
#define SYMSHAPE_LIB_EXTENSIONS_SCFFORDERIVATIVES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// The bounds of a loop, of index or of an integer type.
struct LoopBounds {
  Value lower, upper, step;
  bool isUnsigned;

  LoopBounds(scf::ForOp loop)
      : lower(loop.getLowerBound()), upper(loop.getUpperBound()),
        step(loop.getStep()), isUnsigned(loop.getUnsignedCmp()) {}

  /// The number of iterations, as an index.
  Value count(OpBuilder &b, Location loc) const;
  /// The induction variable in an iteration.
  Value valueAt(OpBuilder &b, Location loc, Value number) const;
  /// The iteration in which the induction variable has a value.
  Value numberOf(OpBuilder &b, Location loc, Value value) const;
};

/// A loop over `count` iterations that yields what `body` gives.
scf::ForOp
makeLoop(OpBuilder &b, Location loc, Value count, ValueRange inits,
         function_ref<FailureOr<SmallVector<Value>>(Value, ValueRange)> body);

/// The loop with further values that it carries; takes the body of `op`, to
/// which the arguments and what is yielded are added.
scf::ForOp carryMore(OpBuilder &b, scf::ForOp op, ValueRange inits);

LogicalResult forJvp(scf::ForOp op, Tangents &tangents);
LogicalResult forTranspose(scf::ForOp op, Cotangents &cotangents);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_SCFFORDERIVATIVES_H
