//===- DecomposeConcat.h - Parts of a concatenation ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Concatenations become slices that are inserted into an empty tensor.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TENSOROPS_DECOMPOSECONCAT_H
#define SYMSHAPE_LIB_CONVERSION_TENSOROPS_DECOMPOSECONCAT_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::symshape {

/// As upstream's pattern, but the place of a part is the sum of that of the
/// part before it and its size: not of all sizes before it, which n parts have
/// n^2 / 2 of.
void populateDecomposeConcatPatterns(RewritePatternSet &patterns);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TENSOROPS_DECOMPOSECONCAT_H
