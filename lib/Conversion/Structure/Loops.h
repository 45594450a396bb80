//===- Loops.h - Loops that several lowerings build -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Their bodies insert with the builder that the loop is made with. Private to
// Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_STRUCTURE_LOOPS_H
#define SYMSHAPE_LIB_CONVERSION_STRUCTURE_LOOPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::symshape {

/// Returns what the next position gets as `carried`.
using PositionBody =
    function_ref<scf::ValueVector(ValueRange position, ValueRange carried)>;

/// Runs `body` for each position below `extents` in row-major order; once if
/// there are no extents.
scf::ValueVector makePositionLoops(OpBuilder &builder, Location loc,
                                   ArrayRef<OpFoldResult> extents,
                                   ValueRange inits, PositionBody body);

inline Value makeIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}
inline Value makeIndex(OpBuilder &builder, Location loc, OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(builder, loc, value);
}

/// One loop, whose bounds are of index or integer type.
SmallVector<Value>
makeLoop(OpBuilder &builder, Location loc, Value begin, Value end, Value step,
         ValueRange inits,
         function_ref<SmallVector<Value>(Value, ValueRange)> body);

/// `end`, or 0 where one of the loops inside, which run from 0 to `inner`, has
/// no iteration: iterations that only run such loops do nothing, as many as
/// they are.
Value endUnlessEmpty(OpBuilder &builder, Location loc, Value end,
                     ValueRange inner);

/// The number of binary digits of the numbers below `extent`.
Value countDigits(OpBuilder &builder, Location loc, Value extent);

/// The largest multiple of `step` that is at most `size`.
Value roundDown(OpBuilder &builder, Location loc, Value size, int64_t step);

/// `body(carried)` if `condition` holds, else `carried`. A loop of one
/// iteration or none: bufferization knows that it works in place.
Value makeConditional(OpBuilder &builder, Location loc, Value condition,
                      Value carried, function_ref<Value(Value)> body);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_STRUCTURE_LOOPS_H
