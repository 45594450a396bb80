//===- SizeMoves.h - Sizes that are moved and folded ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that take elements of small tensors to other places, or fold them along
// axes. Not for: arithmetic on them (Lists.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_SIZEMOVES_H
#define SYMSHAPE_LIB_IMPORT_ONNX_SIZEMOVES_H

#include "Lists.h"

namespace mlir::symshape::onnx {

/// What a node that moves sizes, or folds them along axes, makes of them: one
/// for each result, or none if it is not known.
SmallVector<Sizes, 1> moveSizes(Node &n, SizeMath &math);

/// Sets the results of a node that moves or folds integers: true if that was
/// possible.
bool followSizes(Node &n);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_SIZEMOVES_H
