//===- Convolutions.h - Convolutions as structured ops ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_CONVOLUTIONS_H
#define SYMSHAPE_LIB_IMPORT_ONNX_CONVOLUTIONS_H

#include "Windows.h"

namespace mlir::symshape::onnx {

/// The spatial extents of weights: those of their type, or of the attribute,
/// which they are then required to equal. nullopt after an error.
std::optional<SmallVector<Expr, 4>> kernelOf(Node &n, const Tensor &w);

/// Sums in `type` over windows on x, which has its border. Axes with one place,
/// where one element is read, are left out: signals are often images of one
/// column, and vectors run along the last axis.
Tensor convolve(Emitter &e, const Tensor &x, const Tensor &w,
                const Window &window, int64_t groups, DataType type);

/// The convolution that a node describes, of operands of one type: null after
/// an error.
Tensor convolution(Node &n, const Tensor &x, const Tensor &w);

/// Requires that weights, of this many channels in all groups, fit those of the
/// input, and that these, and the features if they are given, form groups.
LogicalResult requireGroups(Node &n, Expr channels, Expr ofWeights,
                            int64_t groups, Expr features = Expr());

/// Sums with a number for each channel added.
Tensor addBias(Emitter &e, const Tensor &sums, const Tensor &bias);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_CONVOLUTIONS_H
