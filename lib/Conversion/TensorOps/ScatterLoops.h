//===- ScatterLoops.h - Loops over the windows of scatter -------*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_CONVERSION_TENSOROPS_SCATTERLOOPS_H
#define SYMSHAPE_LIB_CONVERSION_TENSOROPS_SCATTERLOOPS_H

#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// If `isChecked`, an index that is out of range despite a promise is an error
/// at run time.
void lower(RewriterBase &rewriter, ScatterOp op, bool isChecked);

/// The window of the updates combined with that of the source, or itself.
Value combineWindows(OpBuilder &builder, Location loc, Combiner combiner,
                     Value old, Value update);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TENSOROPS_SCATTERLOOPS_H
