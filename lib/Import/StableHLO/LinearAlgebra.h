//===- LinearAlgebra.h - Factors of matrices --------------------*- C++ -*-
//===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_LINEARALGEBRA_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_LINEARALGEBRA_H

#include "Node.h"

namespace mlir::symshape::stablehlo {

/// `lapack_?potrf_ffi`: factors, and for each the first minor that has none.
LogicalResult lapackCholesky(Node &n);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_LINEARALGEBRA_H
