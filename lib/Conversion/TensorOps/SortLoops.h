//===- SortLoops.h - Sorting along an axis ----------------------*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_CONVERSION_TENSOROPS_SORTLOOPS_H
#define SYMSHAPE_LIB_CONVERSION_TENSOROPS_SORTLOOPS_H

#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

void lower(RewriterBase &rewriter, SortOp op, bool isChecked);
void lower(RewriterBase &rewriter, TopKOp op, bool isChecked);

/// Whether `x` must come before `y`. NaN is larger than all numbers.
Value comesBefore(OpBuilder &builder, Location loc, Value x, Value y,
                  bool descending);

/// Replaces an op by values and positions, other extents of which may be
/// static.
void replaceOrdered(RewriterBase &rewriter, Operation *op,
                    ArrayRef<Value> results);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TENSOROPS_SORTLOOPS_H
