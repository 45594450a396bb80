//===- Fixate.h - Symbols bound to values for good --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a program for many shapes into one for some of them, or just one. Not
// for: versions beside the general program (Specialize).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_FIXATE_H
#define SYMSHAPE_TRANSFORMS_FIXATE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::symshape {

/// A symbol of a function, a dimension of an argument, or an argument that is a
/// scalar, and its value.
struct SymbolBinding {
  static constexpr int64_t kScalar = -1;

  /// A symbol, or else a scalar argument as messages spell it, also without the
  /// `%`; empty: what `argument` and `dim` say.
  std::string name;
  int64_t value = 0;
  unsigned argument = 0;
  int64_t dim = 0; ///< kScalar: the argument itself
};

/// Lets `function`, a function of a module, assume the values, and gives its
/// arguments the types that follow. A scalar argument, an index or an integer,
/// stays one: the body computes with the constant, and asserts that the caller
/// has passed it. Fails, with a diagnostic and without a change, where a name
/// is neither a symbol of the signature nor that of one scalar argument, where
/// a value contradicts declared facts or another value, and where what the body
/// always requires cannot hold.
LogicalResult bindSymbols(func::FuncOp function,
                          ArrayRef<SymbolBinding> bindings);

/// Erases from `function` what says nothing any more: ops that name or assume
/// what types and constants say, and then, where all arguments are static, the
/// symbols of the signature.
void eraseBoundSymbols(func::FuncOp function);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_FIXATE_H
