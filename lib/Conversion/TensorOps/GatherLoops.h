//===- GatherLoops.h - Gather and scatter as loops --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites gather as a loop over its windows, each of which is a slice; for
// symshape-lower-tensor-ops.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TENSOROPS_GATHERLOOPS_H
#define SYMSHAPE_LIB_CONVERSION_TENSOROPS_GATHERLOOPS_H

#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// If `isChecked`, an index that is out of range despite a promise is an error
/// at run time.
void lower(RewriterBase &rewriter, GatherOp op, bool isChecked);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TENSOROPS_GATHERLOOPS_H
