//===- ReportExprs.h - Expressions that a report evaluates ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions as nodes of one list, shared, so that whoever reads a report can
// evaluate them without a parser: an offset may be a maximum of maxima, which
// as text would be too long. Private to Pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_PIPELINES_REPORTEXPRS_H
#define SYMSHAPE_LIB_PIPELINES_REPORTEXPRS_H

#include "symshape/Constraints/Formula.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <functional>

namespace mlir::symshape {

/// The field `expressions` of a report, as Report.h describes it. Each node
/// occurs once, and after its operands.
class ExprTable {
public:
  /// The index of a node.
  unsigned add(llvm::json::Value node);
  llvm::json::Array take() { return std::move(nodes); }

private:
  llvm::json::Array nodes;
  llvm::StringMap<unsigned> known; ///< by their text
};

/// Writes the expressions of one function into the table.
class ExprWriter {
public:
  /// The node of a symbol.
  using SymbolWriter = std::function<unsigned(Expr symbol)>;

  ExprWriter(ExprTable &table, SymbolWriter writeSymbol)
      : table(table), writeSymbol(std::move(writeSymbol)) {}

  /// The index of the node that is `e`. Cost: linear in the parts of `e` that
  /// this writer has not seen.
  unsigned write(Expr e);
  /// A condition over such indices, as Report.h describes `test`.
  llvm::json::Value write(const Formula &f);

private:
  unsigned writeAtom(Atom atom);
  unsigned writeTerm(const Expr::Term &term);
  unsigned writeNode(Expr e);

  ExprTable &table;
  SymbolWriter writeSymbol;
  llvm::DenseMap<Expr, unsigned> written;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_PIPELINES_REPORTEXPRS_H
