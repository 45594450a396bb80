//===- Changes.h - Changes that make a program smaller ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Reducer.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_REDUCER_CHANGES_H
#define SYMSHAPE_LIB_REDUCER_CHANGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::symshape {

/// A kind of change: a module or function has a number of places where it can
/// be made, and a copy of it has the same.
struct Change {
  size_t (*count)(Operation *root);
  /// Makes it at the places from `begin` to before `end`. Fails if it cannot;
  /// what is changed may be invalid then, and afterwards.
  LogicalResult (*make)(Operation *root, size_t begin, size_t end);
  /// Whether the places are gone when it is made; if not, it is made at one.
  bool removesPlaces;
};

/// What is in a module goes.
const Change &changeOfModule();

/// Those of a function, in the order in which they pay off.
ArrayRef<Change> changesOfFunction();

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_REDUCER_CHANGES_H
