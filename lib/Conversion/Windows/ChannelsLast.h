//===- ChannelsLast.h - Convolutions that can move channels -----*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_CONVERSION_WINDOWS_CHANNELSLAST_H
#define SYMSHAPE_LIB_CONVERSION_WINDOWS_CHANNELSLAST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::symshape {

/// Columns that fill a good part of a vector.
constexpr int64_t leastFeatures = 8;

/// Whether `op` is a convolution over all channels, whose channels
/// `symshape-channels-last` makes the last dimension if it rewrites the
/// function.
bool canMoveChannelsLast(linalg::GenericOp op);

/// Whether `op` is the derivative of a convolution by its weights: a sum over
/// images and places.
bool isFilterGradient(linalg::GenericOp op);

/// A pattern that gives such derivatives over all channels, channels and
/// features last, where there are more columns then.
void populateFilterGradientPatterns(RewritePatternSet &patterns);

/// Whether `op` adds products of floats; of bytes that are multiplied in
/// groups; or, with `integers`, of any integers.
bool isProduct(linalg::GenericOp op, bool integers);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_WINDOWS_CHANNELSLAST_H
