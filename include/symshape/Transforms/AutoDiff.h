//===- AutoDiff.h - Derivatives of functions --------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes symshape-jvp, -linearize, -transpose, -vjp and -grad do. Each
// adds functions to the module beside the one it is asked for, and changes no
// other; where it fails, it adds nothing and says why. Not for: rules of ops
// (JvpOpInterface, LinearTransposeOpInterface).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_AUTODIFF_H
#define SYMSHAPE_TRANSFORMS_AUTODIFF_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::symshape {

/// What is differentiated by what: indices of results and of arguments of a
/// function, all of floats. Tangents and cotangents are in this order.
struct Request {
  SmallVector<int64_t> wrt, results;

  /// These arguments and results; an empty list is all of floats.
  Request(func::FuncOp func, ArrayRef<int64_t> wrt = {},
          ArrayRef<int64_t> results = {});
};

/// Adds `@f.jvp(arguments, tangents of wrt) -> (all results, tangents of
/// results)`.
FailureOr<func::FuncOp> buildJvp(func::FuncOp func, const Request &request);

/// What linearization gives:
/// `@f.fwd(arguments) -> (all results, residuals)` and
/// `@f.lin(residuals, tangents of wrt) -> tangents of results`.
struct Linearization {
  func::FuncOp forward, linear;
};
FailureOr<Linearization> linearize(func::FuncOp func, const Request &request);

/// Adds `@name(residuals, cotangents) -> cotangents of the tangents` for a
/// function that linearization made.
FailureOr<func::FuncOp> transposeLinear(func::FuncOp linear, StringRef name);

/// Adds `@f.vjp(arguments, cotangents of results) -> (all results, cotangents
/// of wrt)`, and what it calls: `@f.fwd` and `@f.transpose`.
FailureOr<func::FuncOp> buildVjp(func::FuncOp func, const Request &request);

/// Adds `@f.grad(arguments) -> (all results, gradient by wrt)` of one result, a
/// float or a tensor of rank 0.
FailureOr<func::FuncOp> buildGradient(func::FuncOp func,
                                      const Request &request);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_AUTODIFF_H
