//===- WindowNest.h - Reductions over windows, tiled ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction in which a tile of the result, some rows of vectors, is held in
// registers, with what comes before and after it. Private to Conversion. Not
// for: finding what belongs together (LowerWindows.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_WINDOWS_WINDOWNEST_H
#define SYMSHAPE_LIB_CONVERSION_WINDOWS_WINDOWNEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// A reduction on memrefs, and the ops around it that its tile absorbs.
struct WindowGroup {
  linalg::GenericOp op;
  linalg::FillOp fill; ///< gives the initial value, or null
  /// Computes an element from each element of the result, or null. Its loops
  /// have the sizes of the result's dimensions.
  linalg::GenericOp epilogue;
};

/// How the loops of a window op are run.
struct WindowTiling {
  unsigned vectorDim = 0; ///< parallel; the innermost of the result
  unsigned rowDim = 0;    ///< parallel; several of its points in one tile
  int64_t lanes = 0;
  int64_t rows = 1;
  int64_t vectors = 1;
  /// Reductions over a window that are written out, and the others, outermost
  /// first.
  SmallVector<unsigned> unrolled, looped;
  bool fma = true; ///< add products by fused multiply-add
  /// Whether the other loops may run at the same time.
  bool parallel = false;
};

/// A tiling for the op, if it is a sum, product or extremum over windows: some
/// operand is read at a sum of two loop indices. nullopt otherwise, or if an
/// operand's elements along the vectors are neither neighbours nor every second
/// one, or the body has other than elementwise ops. `registers` of `vectorBits`
/// bits hold the tile.
std::optional<WindowTiling>
chooseWindowTiling(linalg::GenericOp op, int64_t vectorBits, int64_t registers);

/// Emits loops for the group before its last op. Erases nothing.
void buildWindowNest(RewriterBase &rewriter, const WindowGroup &group,
                     const WindowTiling &tiling);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_WINDOWS_WINDOWNEST_H
