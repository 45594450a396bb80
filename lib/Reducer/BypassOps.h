//===- BypassOps.h - Ops that give way to other values ----------*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_REDUCER_BYPASSOPS_H
#define SYMSHAPE_LIB_REDUCER_BYPASSOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::symshape {

/// Ops with results go, those in bodies too, and other values of the same types
/// take their places: what the function takes and gives stays.
size_t countBypassed(func::FuncOp function);
LogicalResult bypassOps(func::FuncOp function, size_t begin, size_t end);

/// Casts go, and what they cast takes their places; the verifier tells where it
/// may have another type.
size_t countCasts(func::FuncOp function);
LogicalResult forwardCasts(func::FuncOp function, size_t begin, size_t end);

/// An if or a loop gives way to one of its bodies.
size_t countBodies(func::FuncOp function);
LogicalResult unwrapBody(func::FuncOp function, size_t begin, size_t end);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_REDUCER_BYPASSOPS_H
