//===- DequantizeLoops.h - Numbers of few bits as loops ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TENSOROPS_DEQUANTIZELOOPS_H
#define SYMSHAPE_LIB_CONVERSION_TENSOROPS_DEQUANTIZELOOPS_H

#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// All numbers in memory.
void lower(RewriterBase &rewriter, DequantizeOp op, bool isChecked);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TENSOROPS_DEQUANTIZELOOPS_H
