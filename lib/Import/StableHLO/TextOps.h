//===- TextOps.h - Ops of StableHLO as they are printed ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_TEXTOPS_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_TEXTOPS_H

#include "mlir/IR/OperationSupport.h"

namespace mlir {
class OpAsmParser;
} // namespace mlir

namespace mlir::symshape::stablehlo {

/// The form that an op's printer gives, from after its name.
ParseResult parsePrettyOp(OpAsmParser &parser, OperationState &state);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_TEXTOPS_H
