//===- ReportWords.h - How reports say what is known ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Single values and symbols in the words of a report, so that whatever shows
// them elsewhere calls the same thing by the same name.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PIPELINES_REPORTWORDS_H
#define SYMSHAPE_PIPELINES_REPORTWORDS_H

#include "symshape/Analysis/FunctionShapes.h"
#include "llvm/Support/JSON.h"

namespace mlir::symshape {

/// Whether an argument of the function is, or has, what `symbol` stands for.
bool isInput(FunctionShapes &shapes, Expr symbol);

/// How a report calls a symbol: the name in the signature, `%n` for a scalar
/// argument, `%x.dim1` for a dim of an argument that has no name.
std::string spellSymbol(FunctionShapes &shapes, Expr symbol);

/// The formula with the symbols called so, in the syntax of the engine.
std::string spellFormula(FunctionShapes &shapes, const Formula &formula);

/// The same as a person writes it (`spellPlainly`): `n >= 1`.
std::string spellForPerson(FunctionShapes &shapes, const Formula &formula);
/// An extent of an argument whose name no person wrote as `x.dim2`, as
/// sentences have it; others as `spellSymbol`.
std::string spellForPerson(FunctionShapes &shapes, Expr symbol);

/// The extent as `FunctionShapes::printExtent` does, but with the names of
/// arguments that are numbers.
std::string spellExtent(FunctionShapes &shapes, Value shaped, int64_t dim);

/// An integer or index as an expression of what the arguments give; empty if it
/// is none.
std::string spellNumber(FunctionShapes &shapes, Value scalar);

/// What extents a function takes: `(B,L,64) (B,S,64)`; the type of what has
/// none.
std::string describeFits(FunctionShapes &shapes);

/// The symbols in the extents of the arguments.
SmallVector<Expr> collectArgumentSymbols(FunctionShapes &shapes);

/// What a report says of one of these (Report.h, `symbols`).
llvm::json::Object reportSymbol(FunctionShapes &shapes, Expr symbol);

} // namespace mlir::symshape

#endif // SYMSHAPE_PIPELINES_REPORTWORDS_H
