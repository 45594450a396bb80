//===- HoistWeights.h - What depends on weights alone -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves computations on weights out of the functions that are called often.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_HOISTWEIGHTS_H
#define SYMSHAPE_TRANSFORMS_HOISTWEIGHTS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::symshape {

/// Moves what depends on weights and constants alone from each public function
/// `@f`, and from the private functions that it calls, to a new function
/// `@f.prepare`. Returns the number of values that `@f.prepare` functions
/// return. See the pass `symshape-hoist-weights` for the contract.
unsigned hoistWeights(ModuleOp module);

/// The tensors that depend on weights and constants alone and that exist before
/// the calls, or would if `hoistWeights` ran.
llvm::DenseSet<Value> findPreparedValues(ModuleOp module);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_HOISTWEIGHTS_H
