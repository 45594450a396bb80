//===- PackLoops.h - The loops of packing into panels -----------*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_PACKLOOPS_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_PACKLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// Whether `op`, on tensors, packs one dimension into static tiles of whole
/// vectors, and maybe another into groups of four bytes, one of the two being
/// innermost in the source.
bool isPanelPack(linalg::PackOp op, int64_t vectorBits);

/// Replaces such an op by loops over vectors.
void lowerPanelPack(RewriterBase &rewriter, linalg::PackOp op,
                    int64_t vectorBits);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_PACKLOOPS_H
