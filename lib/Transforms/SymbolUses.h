//===- SymbolUses.h - Whether all uses of symbols are known -----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_SYMBOLUSES_H
#define SYMSHAPE_LIB_TRANSFORMS_SYMBOLUSES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::symshape {

/// Whether every op that may be a symbol table is known to be one or not. An op
/// that is not registered and has a region may be one: what its symbols refer
/// to nobody can say, and `SymbolUserMap` must not be asked.
inline bool areSymbolUsesKnown(ModuleOp module) {
  auto found = module->walk([](Operation *op) {
    return op->isRegistered() || op->getNumRegions() == 0
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !found.wasInterrupted();
}

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_SYMBOLUSES_H
