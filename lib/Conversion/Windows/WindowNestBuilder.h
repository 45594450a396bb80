//===- WindowNestBuilder.h - Loops over tiles of windows --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over tiles; inside a tile, all indices are those of its first point
// plus constants, so what several rows or taps share is read once.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_WINDOWS_WINDOWNESTBUILDER_H
#define SYMSHAPE_LIB_CONVERSION_WINDOWS_WINDOWNESTBUILDER_H

#include "Arithmetic.h"
#include "Structure/Loops.h"
#include "Vectors/PayloadEmitter.h"
#include "WindowNest.h"

namespace mlir::symshape {

/// One tile: `rows` by `vectors` vectors; of the last one only `count` lanes
/// exist, or all if that is null.
struct WindowTile {
  int64_t rows = 1, vectors = 1;
  Value count;
};

/// Builds the loops of one group.
class WindowNestBuilder : Arithmetic {
public:
  WindowNestBuilder(RewriterBase &rewriter, const WindowGroup &group,
                    const WindowTiling &tiling);
  void build();

private:
  using Body = function_ref<void(Value)>;
  using Cache = DenseMap<std::pair<OpOperand *, AffineMap>, Value>;
  void loop(Value begin, Value end, int64_t step, Body body);
  void buildOuter(unsigned depth);
  void buildParallel();
  void buildTiles();
  void forRows(function_ref<void(int64_t rows)> body);
  void forVectors(function_ref<void(int64_t vectors, Value count)> body);
  void buildTile(const WindowTile &tile);
  SmallVector<Value> buildReductions(const WindowTile &tile, unsigned depth,
                                     SmallVector<Value> values);
  SmallVector<Value> buildTaps(const WindowTile &tile,
                               SmallVector<Value> values);
  /// A tap of a row.
  struct Step {
    SmallVector<int64_t> tap;
    int64_t row;
    SmallVector<int64_t> place; ///< in the order of steps
  };
  SmallVector<Step> orderSteps(const WindowTile &tile);
  void forTaps(function_ref<void(ArrayRef<int64_t>)> body);
  Value combine(const WindowTile &tile, ArrayRef<int64_t> tap, int64_t row,
                int64_t vector, Value value, Cache &cache);
  AffineMap mapAt(OpOperand &operand, ArrayRef<int64_t> tap, int64_t row,
                  int64_t vector);
  Value load(OpOperand &operand, AffineMap map, const WindowTile &tile,
             Cache &cache);
  Value loadVector(Value base, ValueRange indices, Value count);
  Value loadEverySecond(Value base, SmallVector<Value> indices, Value count);
  void preload();
  Value initial(const WindowTile &tile, int64_t row, int64_t vector);
  void finish(const WindowTile &tile, int64_t row, int64_t vector, Value value);
  void finishInLoop(const WindowTile &tile, ArrayRef<Value> values);
  void withSums(function_ref<void()> body);
  SmallVector<Value> indicesOf(AffineMap map);
  Place placeOf(linalg::GenericOp of, const WindowTile &tile, int64_t row,
                int64_t vector);
  Value shifted(Value value, int64_t by);

  RewriterBase &rewriter;
  const WindowGroup &group;
  linalg::GenericOp op;
  const WindowTiling &tiling;
  SmallVector<unsigned> outer;
  SmallVector<int64_t> extents;
  SmallVector<Value> sizes, ivs;
  /// What no loop inside the outer ones changes.
  Cache preloaded;
  /// Where a tile waits for a long epilogue; null if it does not.
  Value sums;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_WINDOWS_WINDOWNESTBUILDER_H
