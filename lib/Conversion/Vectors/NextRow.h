//===- NextRow.h - The row to fetch ahead of its turn -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hardware fetches ahead within a page of memory; a row of a few kilobytes
// begins a new one.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_VECTORS_NEXTROW_H
#define SYMSHAPE_LIB_CONVERSION_VECTORS_NEXTROW_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::symshape {

/// For an input that is one row of a tensor, in a loop over its rows: the next
/// row, or at the last row that one. Null if the op is not the last of the body
/// that reads the row, if the body writes to the tensor, if a loop around it
/// comes back to the same rows, and for any other input. Makes views before the
/// op.
Value makeNextRow(RewriterBase &rewriter, OpOperand &input);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_VECTORS_NEXTROW_H
