//===- Boxes.h - Regions of images ------------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For: ops that pool the bins of regions. Private to Import.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_BOXES_H
#define SYMSHAPE_LIB_IMPORT_ONNX_BOXES_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// Folds what bins hold into `init`, [regions, channels, rows, columns], whose
/// elements are bins. Loops 0 to 3 are those of `init`; 4 and 5 go over a bin,
/// up to `places` along either axis. `body` gets nothing of use, then the
/// element so far.
Tensor foldBins(Emitter &e, const Tensor &init, ArrayRef<Expr> places,
                Emitter::Body body);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_BOXES_H
