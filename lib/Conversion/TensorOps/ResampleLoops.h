//===- ResampleLoops.h - Sums of elements at places -------------*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_CONVERSION_TENSOROPS_RESAMPLELOOPS_H
#define SYMSHAPE_LIB_CONVERSION_TENSOROPS_RESAMPLELOOPS_H

#include "mlir/IR/PatternMatch.h"
#include "symshape/IR/ResampleOps.h"

namespace mlir::symshape {

void lower(RewriterBase &rewriter, ResampleOp op, bool isChecked);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TENSOROPS_RESAMPLELOOPS_H
