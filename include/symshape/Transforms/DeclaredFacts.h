//===- DeclaredFacts.h - Facts of signatures, and of messages ---*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a signature declares of symbols, what passes add to it, and the chains
// of facts that they show.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_DECLAREDFACTS_H
#define SYMSHAPE_TRANSFORMS_DECLAREDFACTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// The symbols of `symshape.symbols`.
SmallVector<SymbolAttr> getSymbols(func::FuncOp function);

/// Adds those of `facts` to what `function` assumes that are not there yet.
void addAssumptions(func::FuncOp function, ArrayRef<FactAttr> facts);

/// A note for each step of a chain that `ConstraintSet::explain` gave.
void attachChain(InFlightDiagnostic &diag, ArrayRef<std::string> chain);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_DECLAREDFACTS_H
