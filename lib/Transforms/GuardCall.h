//===- GuardCall.h - Where a function checks its guards ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the entry guards that symshape-insert-guards emits. Private to
// Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_GUARDCALL_H
#define SYMSHAPE_LIB_TRANSFORMS_GUARDCALL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::symshape {

/// Where the guarded relations begin to hold: after the call of the guard
/// function and the branch on its verdict, which must not be decided by them.
/// The beginning of the body if nothing is guarded.
Block::iterator getEndOfGuards(func::FuncOp function);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_GUARDCALL_H
