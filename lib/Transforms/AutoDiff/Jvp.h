//===- Jvp.h - Forward derivatives of copies --------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Transforms/AutoDiff.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_AUTODIFF_JVP_H
#define SYMSHAPE_LIB_TRANSFORMS_AUTODIFF_JVP_H

#include "symshape/Transforms/AutoDiff.h"

namespace mlir::symshape {

/// A copy, with calls inlined, that takes tangents of arguments after these and
/// returns those of results after all results. If `separate`, what depends on
/// tangents is computed by separate ops.
FailureOr<func::FuncOp> differentiateCopy(func::FuncOp func,
                                          const Request &request,
                                          const Twine &name, bool separate);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_AUTODIFF_JVP_H
