//===- ControlFlow.h - Calls, branches and loops ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_CONTROLFLOW_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_CONTROLFLOW_H

#include "Node.h"

namespace mlir::symshape::stablehlo {

/// What stands for a tensor of the artifact's type between regions: a scalar
/// for one of rank 0.
Type carriedType(RankedTensorType type);
Operand fromCarried(Node &n, Value carried);
/// Null, after an error, if it is not of that type.
Value toCarried(Node &n, Operand operand, RankedTensorType type);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_CONTROLFLOW_H
