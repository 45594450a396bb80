//===- NonzeroPoints.h - Where elements are not zero, on threads -*- C++
//-*-===//
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

#ifndef SYMSHAPE_LIB_CONVERSION_TENSOROPS_NONZEROPOINTS_H
#define SYMSHAPE_LIB_CONVERSION_TENSOROPS_NONZEROPOINTS_H

#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// The same results as by the loops of NonzeroLoops.h.
void lowerToPoints(RewriterBase &rewriter, NonzeroOp op);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TENSOROPS_NONZEROPOINTS_H
