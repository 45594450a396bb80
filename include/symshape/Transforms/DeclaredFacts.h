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
#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// The symbols of `symshape.symbols`.
SmallVector<SymbolAttr> getSymbols(func::FuncOp function);

/// Adds those of `facts` to what `function` assumes that are not there yet.
void addAssumptions(func::FuncOp function, ArrayRef<FactAttr> facts);

/// A note for each step of a chain that `ConstraintSet::explain` gave.
void attachChain(InFlightDiagnostic &diag, ArrayRef<std::string> chain);

/// `shape`, or if it is null the extents of `type`, with `dim` changed: `text`
/// is an expression, or `?`.
ShapeAttr withExtent(ShapeAttr shape, ShapedType type, int64_t dim,
                     StringRef text);

/// Declares one extent of an argument, and leaves the others as they are.
void setDeclaredExtent(BlockArgument argument, int64_t dim, StringRef text);

/// A dim of an argument whose symbol only the analysis has named. The next
/// analysis may give that name to another dim, so whoever writes it into the
/// function must also name the dim (`nameDims`).
struct UnnamedDim {
  BlockArgument argument;
  int64_t dim;
  Expr symbol;
  Expr name; ///< to be declared; the symbol, unless that is internal
};

/// The dims without a declared name that are among `symbols`.
SmallVector<UnnamedDim> findUnnamed(FunctionShapes &shapes,
                                    ArrayRef<Expr> symbols);

/// `name dim 0 of %a 's0', dim 1 of %b 's1'`; empty for no dims.
std::string describeNaming(FunctionShapes &shapes, ArrayRef<UnnamedDim> dims);

/// Declares the names.
void nameDims(ArrayRef<UnnamedDim> dims);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_DECLAREDFACTS_H
