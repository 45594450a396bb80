//===- ReifyBounds.h - Bounds of values in the IR ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bound of a value as an attribute, a value that exists, or new ops. For:
// passes that size or pad what they create. Not for: finding bounds
// (ValueBounds).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_REIFYBOUNDS_H
#define SYMSHAPE_TRANSFORMS_REIFYBOUNDS_H

#include "mlir/IR/Builders.h"
#include "symshape/Analysis/ValueBounds.h"

namespace mlir::symshape {

/// The ops that compute a bound. Both round divisions to minus infinity.
enum class ReifyWith {
  /// `affine.apply`, `affine.min`, `affine.max`; arith for what is not affine
  /// and for what may not fit 64 bits on the way.
  AffineOps,
  /// arith alone, in an integer wide enough for each step.
  ArithOps
};

/// A bound of `q` at `place`, over values for which `stop` holds and that can
/// be used at the insertion point of `builder`, which must dominate `place`:
/// the least of the upper bounds found, the greatest of the lower ones. A
/// constant is an index attribute; a scalar that exists is used as it is.
/// Wherever `place` is reached, the value is a bound; elsewhere, it is some
/// value, and computing it never traps.
///
/// Fails, creating nothing, where no bound is found. May create `tensor.dim`
/// and `memref.dim`.
FailureOr<OpFoldResult>
reifyBound(OpBuilder &builder, Location loc, ValueBounds &bounds,
           Operation *place, ValueBounds::BoundType type, const Quantity &q,
           ValueBounds::StopCondition stop,
           ReifyWith ops = ReifyWith::AffineOps, bool closedUB = true);

/// One of the bounds of `q` at `place` as above; fails where its values cannot
/// be used at the insertion point, or where it may not fit 64 bits and cannot
/// be clamped to them.
FailureOr<OpFoldResult>
reifyBound(OpBuilder &builder, Location loc, ValueBounds &bounds,
           Operation *place, ValueBounds::BoundType type, const Quantity &q,
           const SymbolicBound &bound, ReifyWith ops = ReifyWith::AffineOps);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_REIFYBOUNDS_H
