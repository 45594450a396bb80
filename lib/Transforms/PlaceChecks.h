//===- PlaceChecks.h - Checks where an op stands ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an op needs of lanes of vectors, and of ranks and layouts that types do
// not tell, is checked where the op stands. Not for: what facts can
// express (CheckEmitter.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_PLACECHECKS_H
#define SYMSHAPE_LIB_TRANSFORMS_PLACECHECKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::symshape {

/// Emits, before each op of `function` that needs it, what ends the call if a
/// lane of a vector divides by zero or lies outside of memory, or if a cast to
/// a type with a rank, or with a plainer layout, is not of a value of that
/// type.
void emitPlaceChecks(func::FuncOp function);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_PLACECHECKS_H
