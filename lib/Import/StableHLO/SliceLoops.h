//===- SliceLoops.h - Loops over the slices of tensors ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_SLICELOOPS_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_SLICELOOPS_H

#include "Node.h"

namespace mlir::symshape::stablehlo {

/// `scan` of chlo: a loop over the slices of its inputs along one axis, which
/// carries values and collects others as slices.
LogicalResult scanSlices(Node &n);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_SLICELOOPS_H
