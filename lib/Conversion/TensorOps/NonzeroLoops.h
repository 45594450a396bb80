//===- NonzeroLoops.h - Where elements are not zero -------------*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_CONVERSION_TENSOROPS_NONZEROLOOPS_H
#define SYMSHAPE_LIB_CONVERSION_TENSOROPS_NONZEROLOOPS_H

#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

void lower(RewriterBase &rewriter, NonzeroOp op, bool isChecked);

/// 1 where the element is not zero, else 0.
Value countElement(OpBuilder &builder, Location loc, Value source,
                   ValueRange position);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TENSOROPS_NONZEROLOOPS_H
