//===- NestedModules.h - Modules inside of modules --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Conversion. A function is called by name from its own module only:
// what a pass declares for ops stands in the module that they are in.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_NESTEDMODULES_H
#define SYMSHAPE_LIB_CONVERSION_NESTEDMODULES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::symshape {

/// `root` and the modules inside of it, outer ones first.
inline SmallVector<ModuleOp> withNestedModules(ModuleOp root) {
  SmallVector<ModuleOp> modules;
  root.walk<WalkOrder::PreOrder>(
      [&](ModuleOp module) { modules.push_back(module); });
  return modules;
}

/// The ops of a kind in `module` that are in no module inside of it.
template <typename OpT>
SmallVector<OpT> findOwn(ModuleOp module) {
  SmallVector<OpT> found;
  module.walk([&](OpT op) {
    if (op->template getParentOfType<ModuleOp>() == module)
      found.push_back(op);
  });
  return found;
}

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_NESTEDMODULES_H
