//===- Reductions.h - Folds of elements by a region -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What reduce_window and its call with open borders have in common.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_REDUCTIONS_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_REDUCTIONS_H

#include "Windows.h"

namespace mlir::symshape::stablehlo {

/// The result of the op: windows over operands that are padded with what they
/// begin from, folded by a region of elements.
LogicalResult reduceWindows(Node &n, ValueRange xs, ValueRange inits,
                            const Window &w, Region &body);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_REDUCTIONS_H
