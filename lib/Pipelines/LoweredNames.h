//===- LoweredNames.h - Lowered extents in words of the source --*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lowered function has symbols of its own; a report speaks of those of the
// program. Private to Pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_PIPELINES_LOWEREDNAMES_H
#define SYMSHAPE_LIB_PIPELINES_LOWEREDNAMES_H

#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {

/// The extent or number in the source program that a symbol of the lowered one
/// stands for; null if there is none.
Expr extentInSource(FunctionShapes &source, FunctionShapes &lowered,
                    Expr symbol);

/// Whether what the source says of its extents implies `relation` of the lowered
/// function. No if it is about anything else.
bool holdsInSource(FunctionShapes &source, FunctionShapes &lowered,
                   const Relation &relation);

/// An expression or a condition of the lowered function over what the report
/// calls the symbols of the source, shortened where it is long.
std::string spellInSource(FunctionShapes &source, FunctionShapes &lowered,
                          Expr e);
std::string spellInSource(FunctionShapes &source, FunctionShapes &lowered,
                          const Formula &condition);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_PIPELINES_LOWEREDNAMES_H
