//===- Points.h - Points that are computed by themselves --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured ops whose bodies read tensors where they need to. For the
// lowerings of ops along an axis that are for many threads.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TENSOROPS_POINTS_H
#define SYMSHAPE_LIB_CONVERSION_TENSOROPS_POINTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::symshape {

/// Replaces `op` if it is one for which there is such a lowering.
bool lowerAxisOpToPoints(RewriterBase &rewriter, Operation *op);

/// Writes tensors of equal extents; `body` computes one element of each from
/// their position. It inserts with `builder`.
SmallVector<Value>
computePoints(OpBuilder &builder, Location loc, ValueRange into,
              function_ref<SmallVector<Value>(SmallVector<Value>)> body);

/// The least value in `[least, most)` for which `holds`, which is false up to
/// some value and true from there on; or `most`.
Value bisect(OpBuilder &builder, Location loc, Value least, Value most,
             function_ref<Value(Value)> holds);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TENSOROPS_POINTS_H
