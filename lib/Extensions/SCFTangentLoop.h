//===- SCFTangentLoop.h - Loops of tangents alone ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Extensions.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_SCFTANGENTLOOP_H
#define SYMSHAPE_LIB_EXTENSIONS_SCFTANGENTLOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// Gives tangents to the results of a loop by a loop of their own; `active` are
/// the carried values that have tangents.
LogicalResult jvpSeparate(scf::ForOp op, ArrayRef<unsigned> active,
                          Tangents &tangents);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_SCFTANGENTLOOP_H
