//===- SkipEmptyLoops.h - Loops around nothing ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_VECTORS_SKIPEMPTYLOOPS_H
#define SYMSHAPE_LIB_CONVERSION_VECTORS_SKIPEMPTYLOOPS_H

#include "mlir/IR/Operation.h"

namespace mlir::symshape {

/// Lets each loop in `root` end at once if all that it does is to run loops
/// that have no iteration: a result of 2^40 rows without columns takes no time.
void skipEmptyLoops(Operation *root);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_VECTORS_SKIPEMPTYLOOPS_H
