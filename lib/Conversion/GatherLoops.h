//===- GatherLoops.h - Gather and scatter as loops --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites gather and scatter as loops over their windows, each of which is a
// slice; for symshape-lower-tensor-ops.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_GATHERLOOPS_H
#define SYMSHAPE_LIB_CONVERSION_GATHERLOOPS_H

#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// Where `isChecked`, an index that is out of range despite a promise is an
/// error at run time.
void lowerGather(RewriterBase &rewriter, GatherOp op, bool isChecked);
void lowerScatter(RewriterBase &rewriter, ScatterOp op, bool isChecked);

/// The number in `[0, last]` nearest to `start`.
Value clampStart(OpBuilder &builder, Location loc, Value start, Value last);

/// Ends the call with `text` and the triple where `fails`.
void failIf(OpBuilder &builder, Operation *op, Value fails, StringRef text,
            StringRef primitive, const Twine &field, const Twine &observed,
            ValueRange values);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GATHERLOOPS_H
