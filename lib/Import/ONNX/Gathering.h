//===- Gathering.h - Elements at places that are data -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_GATHERING_H
#define SYMSHAPE_LIB_IMPORT_ONNX_GATHERING_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// Places of `x` along an axis, in place of which the result has the axes of
/// `ids`: integers, which count from the end if they are negative, and are
/// checked.
Tensor gatherAlong(Emitter &e, const Tensor &x, int64_t axis,
                   const Tensor &ids);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_GATHERING_H
