//===- PlainSlices.h - Slices that stay what they are -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites in front of upstream's patterns: slices and views whose meaning
// these would have to guess. Private to Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_PLAINSLICES_H
#define SYMSHAPE_LIB_TRANSFORMS_PLAINSLICES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::symshape {

/// Rewrites each slice in `op` that keeps some dimensions of size 1 and drops
/// others as one that drops them all, and a reshape: upstream guesses which are
/// meant, from strides, and may guess wrong or find none.
void splitUnitSlices(Operation *op);

/// Whether upstream's folder would replace the op by its source, although its
/// strides are values: static sizes, offset 0, a stride that is dynamic.
bool mayLoseStrides(memref::ReinterpretCastOp op);

/// Lets each such op take the base buffer of its source, which has another
/// type, so that folders of passes other than ours leave it alone.
void keepStrides(Operation *op);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_PLAINSLICES_H
