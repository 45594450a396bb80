//===- Windows.h - Windows that move over axes ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_WINDOWS_H
#define SYMSHAPE_LIB_IMPORT_ONNX_WINDOWS_H

#include "symshape/IR/WindowExtents.h"
#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// A window along each spatial axis: its size, how it moves, the border that
/// the input gets, and how many places there are.
struct Window {
  SmallVector<int64_t, 4> strides, dilations;
  SmallVector<Expr, 4> kernel, low, high, count;

  /// Elements from the first to the last that a window reads.
  Expr reach(size_t i) const { return spanOf(kernel[i], dilations[i]); }
};

/// How windows move and spread along each spatial axis, and the requested
/// border: before each axis, then after each.
struct Steps {
  SmallVector<int64_t, 4> strides, dilations, pads;
};

/// A list of `count` numbers from `least`. nullopt after an error.
std::optional<SmallVector<int64_t, 4>> listAttr(Node &n, StringRef name,
                                                size_t count, int64_t otherwise,
                                                int64_t least);

/// Reads the attributes of these names for so many axes. nullopt after an
/// error.
std::optional<Steps> readSteps(Node &n, size_t count);

/// Reads strides, dilations, pads and auto_pad of a node, for windows over the
/// axes of x from the third on. nullopt after an error.
std::optional<Window> readWindow(Node &n, const Tensor &x,
                                 ArrayRef<Expr> kernel, bool isPool);

/// The coordinate of the input that a window at `o` reads at place `k`.
inline AffineExpr placeRead(const Window &w, size_t i, AffineExpr o,
                            AffineExpr k) {
  return o * w.strides[i] + k * w.dilations[i];
}

/// x with its border.
Tensor padWindow(Emitter &e, const Tensor &x, const Window &w, Value value);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_WINDOWS_H
