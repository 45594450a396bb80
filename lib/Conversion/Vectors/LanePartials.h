//===- LanePartials.h - Partial results of a reduction by lanes -*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lanes of a vector carry while a dimension is reduced, and how they
// become one value. Private to Conversion. Not for: loops.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_VECTORS_LANEPARTIALS_H
#define SYMSHAPE_LIB_CONVERSION_VECTORS_LANEPARTIALS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::symshape {

/// The partial results of one combiner (see `getCombiner`): usually one vector
/// that starts from the neutral element.
///
/// The maximum or minimum of floats takes several instructions on most targets,
/// because of NaN and signed zeros. Here a lane takes the other value if that
/// compares as better, which is one instruction; it starts from an infinity and
/// is never NaN. `maxnumf` and `minnumf`, which skip NaN, carry the worst
/// number in a second vector: a lane has met no number if its worst is better
/// than its best. For `maximumf` and `minimumf` two more vectors hold the
/// largest bits, as signed and as unsigned numbers: they tell whether there was
/// a NaN, which sets all of the exponent and some bit below it, and whether
/// there were zeros, or numbers, of either sign.
class LanePartials {
public:
  LanePartials(RewriterBase &rewriter, Location loc, Operation *combiner,
               int64_t width)
      : rewriter(rewriter), loc(loc), combiner(combiner), width(width) {}

  /// How many vectors are carried.
  unsigned size() const { return tracksBits() ? 3 : comparesNumbers() ? 2 : 1; }
  SmallVector<Value> makeStart();
  /// The next partials, where `combined` is what a clone of the combiner made
  /// of the first partial and a vector of elements. Erases the clone if it is
  /// not needed.
  SmallVector<Value> advance(Value combined, ValueRange partials);
  SmallVector<Value> merge(ValueRange lhs, ValueRange rhs);
  /// All lanes and a scalar in one.
  Value finish(ValueRange partials, Value start);

private:
  bool tracksBits() const;
  bool comparesNumbers() const;
  bool isLarger() const;
  /// The larger of two, or the smaller; `partial` unless `other` is it.
  Value choose(Value other, Value partial, bool larger);
  Value fixSpecialValues(Value best, Value largestSigned,
                         Value largestUnsigned);

  RewriterBase &rewriter;
  Location loc;
  Operation *combiner;
  int64_t width;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_VECTORS_LANEPARTIALS_H
