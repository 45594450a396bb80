//===- Normalization.h - Means and variances of layers ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_NORMALIZATION_H
#define SYMSHAPE_LIB_IMPORT_ONNX_NORMALIZATION_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// What is normalised, where its parameters are among the operands, and what
/// the results are; operands and results that an op does not have: none.
struct LayerNorm {
  static constexpr size_t none = ~size_t(0);
  Tensor x;
  int64_t axis;
  bool isCentred; ///< the mean is subtracted
  double epsilon;
  DataType stash = DataType::Float; ///< of means and deviations
  size_t scale = 1, shift = none, mean = none, deviation = none;
  size_t typedAs = 0; ///< the operand whose type the result has
};

/// Gives the node its results.
LogicalResult normaliseLayer(Node &n, const LayerNorm &norm);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_NORMALIZATION_H
