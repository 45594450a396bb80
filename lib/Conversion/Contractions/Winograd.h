//===- Winograd.h - Convolutions with fewer products ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows of 3 x 3 that slide by 1, by the algorithm F(4 x 4, 3 x 3) of Lavin
// and Gray, "Fast Algorithms for Convolutional Neural Networks" (2015): 36
// products for 16 results instead of 144. Transformed values are sums over a
// patch, so a number that is not finite spreads to its 4 x 4 results, and sums
// are rounded otherwise: f32 of 64 to 256 channels differ by about 1e-6 of the
// largest result. Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_WINOGRAD_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_WINOGRAD_H

#include "Structure/Contraction.h"

namespace mlir::symshape::winograd {

inline constexpr int64_t kernelSize = 3;
inline constexpr int64_t outputSize = 4; ///< results of a patch, each way
inline constexpr int64_t patchSize = 6;  ///< = outputSize + kernelSize - 1

/// The algorithm evaluates polynomials at 0, at these points and their
/// negatives, and at infinity. Powers are exact in f32. Of nine choices that
/// were tried, these have the smallest error: 0.4 of that at 1 and 2, which
/// need fewer multiplications.
inline constexpr double nearPoint = 5.0 / 8, farPoint = 3.0 / 2;

/// Whether `match`, before its taps are joined, is a convolution that the
/// algorithm computes: f32, images with channels last, numbers of channels that
/// repay the transformations and whose transformed weights stay small.
bool isPossible(const ContractionMatch &match);

/// What both ways cost, in sixteenths of the time that one row of a tile takes
/// for one tap: the algorithm pays if
/// `perPatch * patches + perCall < perTile * tiles`.
struct Costs {
  Costs(int64_t channels, int64_t features, int64_t tileRows);
  int64_t perPatch, perCall;
  int64_t perTile; ///< tiles of `tileRows` positions along a row of the result
};

/// The transformed weights of `match`, [6, 6, channels, features].
Value transformWeights(OpBuilder &builder, Location loc,
                       const ContractionMatch &match);

} // namespace mlir::symshape::winograd

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_WINOGRAD_H
