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

/// A symbol of a function, or a dimension of an argument, and its value.
struct SymbolBinding {
  std::string name; ///< empty: of a dimension
  int64_t value = 0;
  unsigned argument = 0;
  int64_t dim = 0;
};

/// Lets `function`, a function of a module, assume the values, and gives its
/// arguments the types that follow. Fails, with a diagnostic and without a
/// change, where a name is not a symbol of the signature, where a value
/// contradicts declared facts or another value, and where what the body always
/// requires cannot hold.
LogicalResult bindSymbols(func::FuncOp function,
                          ArrayRef<SymbolBinding> bindings);

/// Erases from `function` what says nothing any more: ops that name or assume
/// what types and constants say, and then, where all arguments are static, the
/// symbols of the signature.
void eraseBoundSymbols(func::FuncOp function);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_FIXATE_H
