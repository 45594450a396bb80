//===- KeepReached.h - What one function needs ------------------*- C++ -*-===//
//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not for: symbols that become unused while a program is lowered (upstream's
// symbol-dce, which goes by visibility and knows no entry).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_KEEPREACHED_H
#define SYMSHAPE_TRANSFORMS_KEEPREACHED_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::symshape {

/// Erases the symbols of `module` to which no chain of references leads from
/// `entry`, or from an op of the module that is not a symbol; and symbol tables
/// without a name, which nothing can refer to. Cost: linear.
void keepReached(ModuleOp module, StringRef entry);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_KEEPREACHED_H
