//===- PositionLoops.h - Loops over the positions of a tensor ---*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops on tensors for what no structured op says; for
// symshape-lower-tensor-ops.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TENSOROPS_POSITIONLOOPS_H
#define SYMSHAPE_LIB_CONVERSION_TENSOROPS_POSITIONLOOPS_H

#include "symshape/IR/SymShape.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::symshape {

/// Gives what the next position is given as `carried`.
using PositionBody =
    function_ref<scf::ValueVector(ValueRange position, ValueRange carried)>;

/// Runs `body`, which inserts with `rewriter`, for each position below
/// `extents` in row-major order; once where there are no extents.
scf::ValueVector makePositionLoops(RewriterBase &rewriter, Location loc,
                                   ArrayRef<OpFoldResult> extents,
                                   ValueRange inits, PositionBody body);

/// `body(carried)` where `condition` holds, else `carried`. A loop of one
/// iteration or none: bufferization knows that it works in place.
Value makeConditional(RewriterBase &rewriter, Location loc, Value condition,
                      Value carried, function_ref<Value(Value)> body);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TENSOROPS_POSITIONLOOPS_H
