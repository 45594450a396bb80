//===- ShapeChecks.h - Does a shape attribute fit a type? -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The check that verifiers share. Not for: facts (ConstraintSet).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IR_SHAPECHECKS_H
#define SYMSHAPE_LIB_IR_SHAPECHECKS_H

#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// Checks that `type` is a ranked tensor or memref of the rank of `shape`, and
/// that no constant extent contradicts it or is negative.
LogicalResult
verifyShapeOfType(ShapeAttr shape, Type type,
                  llvm::function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_IR_SHAPECHECKS_H
