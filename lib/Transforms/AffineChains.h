//===- AffineChains.h - Affine maps that stay short -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream puts the map of each `affine.apply` into those that use its result.
// Where a chain of them uses each result twice, as a rounding up does, each link
// doubles the map. Private to Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_AFFINECHAINS_H
#define SYMSHAPE_LIB_TRANSFORMS_AFFINECHAINS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::symshape {

/// Cuts chains of `affine.apply` where a composed map would be long: what is not
/// composed any further becomes an `affine.min` of one expression, which says
/// the same.
void populateAffineChainPatterns(RewritePatternSet &patterns);

/// Whether an `affine.min` or `affine.max` of one expression should become an
/// `affine.apply`: unless a chain may have been cut there.
bool mayBecomeApply(Operation *op);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_AFFINECHAINS_H
