//===- Activations.h - Functions that attributes name -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The activations of LSTM, GRU and RNN, and of fused ops.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_ACTIVATIONS_H
#define SYMSHAPE_LIB_IMPORT_ONNX_ACTIVATIONS_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// A function of one element, by its name in ONNX, in lower case.
struct Activation {
  std::string name;
  double alpha, beta;
};

/// The function of that name, in any case. If it has parameters, takes the next
/// of `alphas` and `betas`, or else the defaults. nullopt: there is none.
std::optional<Activation>
readActivation(StringRef name, ArrayRef<float> &alphas, ArrayRef<float> &betas);

Value apply(Scalars &s, const Activation &f, Value x);

/// `x` through the function that the attribute `activation` of a fused op of
/// com.microsoft names, if it does. Null after an error.
Tensor fusedActivation(Node &n, const Tensor &x, ArrayRef<float> parameters);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_ACTIVATIONS_H
