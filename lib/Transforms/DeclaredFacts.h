//===- DeclaredFacts.h - Facts of signatures, and of messages ---*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes add to the facts that a function declares, and the chains of
// facts that they show. Private to Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_DECLAREDFACTS_H
#define SYMSHAPE_LIB_TRANSFORMS_DECLAREDFACTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// Adds those of `facts` to what `function` assumes that are not there yet.
void addAssumptions(func::FuncOp function, ArrayRef<FactAttr> facts);

/// A note for each step of a chain that `ConstraintSet::explain` gave.
void attachChain(InFlightDiagnostic &diag, ArrayRef<std::string> chain);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_DECLAREDFACTS_H
