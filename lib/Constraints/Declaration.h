//===- Declaration.h - Symbols declared as text -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `symbol` statement of a problem file. Private to Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_DECLARATION_H
#define SYMSHAPE_LIB_CONSTRAINTS_DECLARATION_H

#include "symshape/Constraints/ConstraintSet.h"
#include "symshape/Expr/ExprParser.h"

namespace mlir::symshape {

struct Declaration {
  llvm::StringRef name;
  size_t offset = 0; ///< of the name
  SymbolInfo info;
  bool hasRange = false;
};

/// Parses `NAME [in [LO, HI]] [multiple_of D | residue R mod D]
/// [likely V, ...]`, the clauses in any order. nullopt: the parser has the
/// error.
std::optional<Declaration> parseDeclaration(ExprParser &parser);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_DECLARATION_H
