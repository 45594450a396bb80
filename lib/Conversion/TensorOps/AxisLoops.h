//===- AxisLoops.h - Ops along an axis as loops -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites ops along an axis, and iota, as loops on tensors; for
// symshape-lower-tensor-ops.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TENSOROPS_AXISLOOPS_H
#define SYMSHAPE_LIB_CONVERSION_TENSOROPS_AXISLOOPS_H

#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

void lower(RewriterBase &rewriter, ReverseOp op, bool isChecked);
void lower(RewriterBase &rewriter, CumsumOp op, bool isChecked);
void lower(RewriterBase &rewriter, IotaOp op, bool isChecked);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TENSOROPS_AXISLOOPS_H
