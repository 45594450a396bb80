//===- ResolveReshape.h - Reshapes with a proved target ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_RESOLVERESHAPE_H
#define SYMSHAPE_LIB_TRANSFORMS_RESOLVERESHAPE_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {

/// Replaces `op`, a reshape of `tensor` or `symshape`, by `collapse_shape` and
/// `expand_shape`, in the finest groups of dims whose products are provably
/// equal. Fails, changing nothing, if the element counts are not proved equal.
LogicalResult resolveReshape(FunctionShapes &shapes, Operation *op);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_RESOLVERESHAPE_H
