//===- Householder.h - Factors by reflections -------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_HOUSEHOLDER_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_HOUSEHOLDER_H

#include "LinearAlgebra.h"

namespace mlir::symshape::stablehlo {

/// `geqrf`: R, below it the reflections that make Q, and their factors.
LogicalResult factorByReflections(Node &n);
/// `orgqr`: Q of these.
LogicalResult expandReflections(Node &n);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_HOUSEHOLDER_H
