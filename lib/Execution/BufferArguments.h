//===- BufferArguments.h - Buffers that programs read -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_BUFFERARGUMENTS_H
#define SYMSHAPE_LIB_EXECUTION_BUFFERARGUMENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

namespace mlir::symshape {

/// An error for the first argument of `entry` that is a memref and might be
/// written to, freed or returned: the memory is the caller's, who is told that
/// inputs are only read.
llvm::Error checkBufferArguments(func::FuncOp entry);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_BUFFERARGUMENTS_H
