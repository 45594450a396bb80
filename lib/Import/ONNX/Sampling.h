//===- Sampling.h - Elements at places between elements ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_SAMPLING_H
#define SYMSHAPE_LIB_IMPORT_ONNX_SAMPLING_H

#include "symshape/Import/ONNX/Emitter.h"

namespace mlir::symshape::onnx {

/// How elements around a place make one.
struct SampleMode {
  StringRef kind;    ///< nearest, linear, cubic
  StringRef outside; ///< zeros, border, reflection
  bool corners = true;
};

/// An element along an axis, its weight, and whether it is there.
struct Tap {
  Value index, weight, inside;
};

/// The elements along an axis of `extent` >= 1 that the element at a
/// coordinate, an f64, is made of.
SmallVector<Tap> findTaps(Scalars &s, const SampleMode &mode, Value coordinate,
                          Value extent);

/// The sum over all combinations of taps of the axes of x after `at`, as f64.
Value sumTaps(Scalars &s, const Tensor &x, const SampleMode &mode,
              ArrayRef<SmallVector<Tap>> axes, ArrayRef<Value> at);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_SAMPLING_H
