//===- JoinTaps.h - Longer sums of convolutions -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Conversion. Not for: which convolutions are contractions
// (Structure/Contraction).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_JOINTAPS_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_JOINTAPS_H

#include "Structure/Contraction.h"

namespace mlir::symshape {

/// Channels of neighbours along the last axis of an image are neighbours in
/// memory: the taps along that axis, if they are one element apart, and the
/// channels become one loop of `match`, with longer sums. The right operand is
/// reshaped before `place`, the left one where `rewriter` inserts.
void joinTaps(RewriterBase &rewriter, ContractionMatch &match,
              Operation *place);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_JOINTAPS_H
