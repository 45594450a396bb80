//===- GatherWindows.h - Windows of gather and scatter ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What gather and scatter have in common: where the window of a position of the
// indices begins in the source, and windows as slices.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TENSOROPS_GATHERWINDOWS_H
#define SYMSHAPE_LIB_CONVERSION_TENSOROPS_GATHERWINDOWS_H

#include "Arithmetic.h"
#include "symshape/IR/Slices.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/FailMessage.h"

namespace mlir::symshape {

/// The number in `[0, last]` nearest to `start`.
Value clampStart(OpBuilder &builder, Location loc, Value start, Value last);

/// Ends the call with `text` and the triple if `fails`.
void failIf(OpBuilder &builder, Operation *op, Value fails,
            const FailMessage &text, StringRef primitive, const Twine &field,
            const FailMessage &observed);

/// Where the window of a position begins in the source.
class Windows : Arithmetic {
public:
  Windows(RewriterBase &rewriter, Operation *op, Value source, Value indices,
          int64_t vectorDim, ArrayRef<int64_t> startMap,
          ArrayRef<int64_t> batching, ArrayRef<int64_t> indexBatching)
      : Arithmetic(rewriter, op->getLoc()), b(rewriter), op(op), source(source),
        indices(indices), vectorDim(vectorDim), startMap(startMap),
        batching(batching), indexBatching(indexBatching) {}

  /// Reads extents before the loops; `sizes` are those of windows.
  void prepare(ArrayRef<OpFoldResult> sizes);
  /// Computes the starts of the window at a position of the indices.
  void computeStarts(ValueRange position);
  /// Moves starts to where the window fits.
  void clamp();
  /// Whether each component is in range.
  Value isInRange();
  void failUnlessInRange();

  SmallVector<Value> starts; ///< per axis of the source

private:
  RewriterBase &b;
  Operation *op;
  Value source, indices;
  int64_t vectorDim;
  ArrayRef<int64_t> startMap, batching, indexBatching;
  /// Per component: the largest start, and how many there are. An index into
  /// an axis without elements has none, as ops of tosa allow.
  SmallVector<Value> last, counts;
};

/// Replaces the op by a value, other extents of which may be static.
void replaceCast(RewriterBase &rewriter, Operation *op, Value value);

/// The window of these offsets and sizes.
SliceBounds windowAt(OpBuilder &builder, ArrayRef<OpFoldResult> offsets,
                     ArrayRef<OpFoldResult> sizes);

/// The slice without the axes that are not in `kept`, along which it has the
/// size 1.
Value extractWindow(OpBuilder &builder, Location loc, Value tensor,
                    const SliceBounds &bounds, ArrayRef<int64_t> kept);

/// The values of these axes.
SmallVector<OpFoldResult> select(ArrayRef<OpFoldResult> values,
                                 ArrayRef<int64_t> axes);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TENSOROPS_GATHERWINDOWS_H
