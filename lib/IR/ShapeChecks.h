//===- ShapeChecks.h - Does a shape attribute fit a type? -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What verifiers and the inliner share. Not for: facts (ConstraintSet).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IR_SHAPECHECKS_H
#define SYMSHAPE_LIB_IR_SHAPECHECKS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::symshape {

/// Checks that `type` is a ranked tensor or memref of the rank of `shape`, and
/// that no constant extent contradicts it or is negative.
LogicalResult
verifyShapeOfType(ShapeAttr shape, Type type,
                  llvm::function_ref<InFlightDiagnostic()> emitError);

/// Adds the names in the shapes of the signature of `function`.
void collectSignatureNames(FunctionOpInterface function,
                           llvm::StringSet<> &names);

/// Adds the names of symbols of its function that `op` and its attributes
/// mention.
void collectMentionedNames(Operation *op, llvm::StringSet<> &names);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_IR_SHAPECHECKS_H
