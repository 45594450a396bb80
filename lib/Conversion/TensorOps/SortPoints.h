//===- SortPoints.h - Sorting on many threads -------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For symshape-lower-tensor-ops.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TENSOROPS_SORTPOINTS_H
#define SYMSHAPE_LIB_CONVERSION_TENSOROPS_SORTPOINTS_H

#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// The same results as by the loops of SortLoops.h.
void lowerToPoints(RewriterBase &rewriter, SortOp op);
void lowerToPoints(RewriterBase &rewriter, TopKOp op);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TENSOROPS_SORTPOINTS_H
