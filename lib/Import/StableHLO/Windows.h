//===- Windows.h - Windows over tensors -------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What reduce_window, select_and_scatter and convolution have in common.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_WINDOWS_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_WINDOWS_H

#include "Node.h"

namespace mlir::symshape::stablehlo {

/// Numbers per axis: the window, its steps, the distance of neighbours of the
/// operand and of the window, and the border.
struct Window {
  SmallVector<int64_t> size, stride, baseDilation, windowDilation;
  SmallVector<OpFoldResult> low, high;

  /// Whether sizes, strides and dilations are at least 1; an error if not.
  bool check(Node &n) const;
  /// The operand with its border, of `element`.
  Value pad(Node &n, Value x, Value element) const;
  /// How many windows there are along an axis of a padded operand.
  OpFoldResult count(Node &n, Value padded, int64_t axis) const;
};

/// How many windows of `size` elements, which lie `dilation` apart, there are
/// every `stride` elements: as many as fit, none where there is no room.
OpFoldResult countWindows(Node &n, OpFoldResult extent, OpFoldResult size,
                          int64_t dilation, int64_t stride);

/// From the attributes of the op; nullopt after an error.
std::optional<Window> readWindow(Node &n, int64_t rank, bool hasDilations);

/// Folds all elements of each window: a structured op whose body has an
/// element per tensor, one that says nothing, and an accumulated value per
/// init.
SmallVector<Value> foldWindows(Node &n, ValueRange tensors, ValueRange inits,
                               const Window &w, ArrayRef<OpFoldResult> counts,
                               Node::Body body);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_WINDOWS_H
