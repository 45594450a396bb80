//===- SCFForDerivatives.h - Derivatives of scf.for -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_SCFFORDERIVATIVES_H
#define SYMSHAPE_LIB_EXTENSIONS_SCFFORDERIVATIVES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

LogicalResult forJvp(scf::ForOp op, Tangents &tangents);
LogicalResult forTranspose(scf::ForOp op, Cotangents &cotangents);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_SCFFORDERIVATIVES_H
