//===- WindowMaps.h - What a reduction over windows reads -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which loops of a structured op slide a window over an operand, and which
// share what they read, whatever the target. Private to Conversion. Not for:
// how it is tiled (../Windows).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_STRUCTURE_WINDOWMAPS_H
#define SYMSHAPE_LIB_CONVERSION_STRUCTURE_WINDOWMAPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// Whether the op reduces, and reads some operand at a sum of two loop indices.
bool readsWindows(linalg::GenericOp op);

/// Whether some operand is read at more than the index of loop `dim` alone: a
/// position of the window, or one that windows of neighbours overlap along.
bool isAlongWindow(linalg::GenericOp op, unsigned dim);

/// Windows of neighbours that read the same: `rowStep` and `tapStep` is how far
/// a step of either goes in what is read.
struct WindowOverlap {
  unsigned tap; ///< the position of its loop in `taps`
  int64_t rowStep, tapStep;
};

/// How windows overlap along loop `row`, if they do, and along which of the
/// loops `taps`.
std::optional<WindowOverlap> findOverlap(linalg::GenericOp op, unsigned row,
                                         ArrayRef<unsigned> taps);

/// Whether an input changes with loop `dim` but not with loop `row`, whose
/// points can then share it.
bool isSharedByRows(linalg::GenericOp op, unsigned dim, unsigned row);

/// The two factors of a body that adds their product to the result; null for
/// any other body.
std::pair<Value, Value> getFactors(linalg::GenericOp op);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_STRUCTURE_WINDOWMAPS_H
