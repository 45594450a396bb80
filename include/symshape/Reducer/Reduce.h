//===- Reduce.h - Smaller programs that still fail --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the pass `symshape-reduce` does, with any question in place of a program
// that is run.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_REDUCER_REDUCE_H
#define SYMSHAPE_REDUCER_REDUCE_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::symshape {

/// Makes `module` smaller as long as `isInteresting` is true of what is left;
/// it is asked about valid modules. Cost: with n ops of which k are needed,
/// some 2*k*log(n) questions.
void reduceModule(ModuleOp module,
                  llvm::function_ref<bool(ModuleOp)> isInteresting);

} // namespace mlir::symshape

#endif // SYMSHAPE_REDUCER_REDUCE_H
