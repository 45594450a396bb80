//===- ContractionRemarks.h - How a contraction is lowered ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells the user what was chosen for a contraction, and what to declare for
// something better. Private to Conversion. Not for: choosing.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTIONREMARKS_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTIONREMARKS_H

#include "ContractionKernel.h"

namespace mlir::symshape {

/// Emits remarks about the lowering of `op`, on buffers, with tiles of
/// `kernel`: one on what was chosen, and one per fact that would change it.
void reportContraction(ContractOp op, const TileKernel &kernel);

/// Emits a remark on a fact that would help.
void reportContractionNeed(ContractOp op, const Twine &need);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTIONREMARKS_H
