//===- DelayDivisions.h - Division after a contraction ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Conversion. Not for: choosing where it is worth it (FuseRows.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_ROWS_DELAYDIVISIONS_H
#define SYMSHAPE_LIB_CONVERSION_ROWS_DELAYDIVISIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// Rewrites sum_k (a[i, k] / s[i]) * b[k, j] as (sum_k a[i, k] * b[k, j]) /
/// s[i] if the quotients have no other use and the sums start from zero: a
/// division per element of the result, which usually has fewer columns than
/// there are quotients per row. Fails, without a change, elsewhere.
///
/// The result differs by rounding: each product is rounded once less, the sum
/// once more. For a softmax, with 0 <= a <= 1 and s >= 1, no product is larger
/// than that of b alone; the sum before the division overflows only where
/// columns of b add up to more than the largest float.
LogicalResult delayDivision(RewriterBase &rewriter,
                            linalg::LinalgOp contraction);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_ROWS_DELAYDIVISIONS_H
