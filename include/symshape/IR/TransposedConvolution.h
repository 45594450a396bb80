//===- TransposedConvolution.h - As a plain convolution ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all formats share of transposed convolutions: the phases of results that
// are strides apart, or zeros between the elements of the image. Not for: the
// sums of the convolution that is left, and a bias.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_TRANSPOSEDCONVOLUTION_H
#define SYMSHAPE_IR_TRANSPOSEDCONVOLUTION_H

#include "mlir/IR/Builders.h"
#include "symshape/Expr/Expr.h"

namespace mlir::symshape {

/// A tensor with an expression for each extent.
struct SizedTensor {
  Value value;
  SmallVector<Expr, 4> dims;
};

/// Along each spatial axis, element x of the image times element k of the
/// kernel is part of the result at `x * stride + k * dilation - before`, if
/// that is in [0, count). An element of the result without a part is 0. Extents
/// may be 0, but for those of a kernel.
///
/// The image and the result are (batch, channel, spatial axes), with weights
/// (group, channel, feature, spatial axes); or (batch, spatial axes, channel),
/// with weights (feature, spatial axes, channel).
///
/// Example: of stride 2, a kernel [a, b, c, d] and an image [x, y], the result
/// is [ax, bx, cx + ay, dx + by, cy, dy]; its phases are the convolutions with
/// [c, a] and [d, b] of [0, x, y, 0].
struct TransposedConvolution {
  Location loc;
  SizedTensor image, weights;
  Expr features;                              ///< of all groups
  SmallVector<int64_t, 4> strides, dilations; ///< from 1
  SmallVector<Expr, 4> before = {}, count = {};
  /// What stands for 0 in the image and the weights; null: 0 does.
  Value imageZero = {}, weightZero = {};
  bool mayBeEmpty = true; ///< whether spatial extents of the image may be 0

  bool isChannelLast() const {
    return image.dims.size() == weights.dims.size();
  }
  Expr kernel(size_t axis) const {
    return weights.dims[(isChannelLast() ? 1 : 3) + axis];
  }
  /// Whether to convolve by phases, which multiplies no zeros between elements:
  /// strides are not all 1, every phase has an element of the kernel, and
  /// dilations are 1.
  bool hasPhases() const;

  /// The value of an expression; a constant as an attribute. Without
  /// `mayBeEmpty`, it is a sum of products of extents.
  using Fold = function_ref<OpFoldResult(Expr)>;
  /// A convolution without a border, whose windows move by 1, and of which
  /// there are `places`. The weights are (feature, channel, spatial axes) or
  /// (feature, spatial axes, channel).
  using Convolve =
      function_ref<Value(const SizedTensor &image, const SizedTensor &weights,
                         ArrayRef<Expr> places)>;
  /// The result, in the type that `convolve` gives, which is called once.
  Value build(OpBuilder &b, Fold fold, Convolve convolve) const;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_TRANSPOSEDCONVOLUTION_H
