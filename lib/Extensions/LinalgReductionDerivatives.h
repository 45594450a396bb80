//===- LinalgReductionDerivatives.h - Derivatives of reductions -*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For reductions that are not sums.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_LINALGREDUCTIONDERIVATIVES_H
#define SYMSHAPE_LIB_EXTENSIONS_LINALGREDUCTIONDERIVATIVES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

LogicalResult extremumJvp(linalg::LinalgOp op, Tangents &tangents);
LogicalResult productJvp(linalg::LinalgOp op, Tangents &tangents);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_LINALGREDUCTIONDERIVATIVES_H
