//===- OneThread.h - Functions whose callers are parallel -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the lowerings that hand out loops to threads. Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_ONETHREAD_H
#define SYMSHAPE_LIB_CONVERSION_ONETHREAD_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::symshape {

/// Attribute of a function that runs on the thread that calls it.
inline constexpr llvm::StringLiteral oneThreadName = "one_thread";

inline bool runsOnOneThread(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return function && function->hasAttr(oneThreadName);
}

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_ONETHREAD_H
