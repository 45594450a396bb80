//===- LoweredNames.cpp - Lowered extents in words of the source ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweredNames.h"

#include "ReportGraph.h"
#include "symshape/Expr/ExprPrinter.h"
#include "symshape/Transforms/MemoryPlan.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::symshape;

Expr mlir::symshape::extentInSource(FunctionShapes &source,
                                    FunctionShapes &lowered, Expr symbol) {
  const SymbolDef *def = lowered.definition(symbol);
  auto argument = dyn_cast_or_null<BlockArgument>(def ? def->value : Value());
  if (!argument ||
      argument.getParentBlock() != &lowered.function().getBody().front() ||
      argument.getArgNumber() >= source.function().getNumArguments())
    return Expr();
  BlockArgument same = source.function().getArgument(argument.getArgNumber());
  if (def->kind == SymbolDef::Scalar)
    return same.getType().isIntOrIndex() ? source.value(same) : Expr();
  auto type = dyn_cast<RankedTensorType>(same.getType());
  if (def->kind != SymbolDef::Dim || !type || def->dim >= type.getRank())
    return Expr();
  return source.dim(same, def->dim);
}

/// The name in a report of what `symbol` stands for; null if it stands for
/// nothing of the source.
static Expr nameInSource(FunctionShapes &source, FunctionShapes &lowered,
                         Expr symbol) {
  ExprArena &arena = lowered.arena();
  Expr extent = extentInSource(source, lowered, symbol);
  if (!extent)
    return Expr();
  if (extent.asSymbol())
    return arena.symbol(spellSymbol(source, extent));
  ParseError error;
  return source.isNamed(extent) ? arena.parse(extent.str(), error) : Expr();
}

bool mlir::symshape::holdsInSource(FunctionShapes &source,
                                   FunctionShapes &lowered,
                                   const Relation &relation) {
  SmallVector<Expr, 4> symbols = relation.symbols();
  auto nameOf = [&](Expr symbol) {
    Expr extent = extentInSource(source, lowered, symbol);
    return extent && source.isNamed(extent)
               ? nameInSource(source, lowered, symbol)
               : Expr();
  };
  if (!llvm::all_of(symbols, nameOf))
    return false;
  ParseError error;
  auto named =
      Relation::parse(source.arena(), relation.substitute(nameOf).str(), error);
  return named && source.facts().isProvably(*named);
}

std::string mlir::symshape::spellInSource(FunctionShapes &source,
                                          FunctionShapes &lowered, Expr e) {
  Expr named = lowered.arena().substitute(
      e, [&](Expr symbol) { return nameInSource(source, lowered, symbol); });
  std::string text;
  llvm::raw_string_ostream os(text);
  printShortened(named, os, kMaxShownSize);
  return text;
}

/// `d | e` for e - d*(e floordiv d) == 0, and its negation for != 0.
static Formula saidByDivisors(Formula f) {
  for (Formula &part : f.parts)
    part = saidByDivisors(part);
  if (!f.isLiteral() ||
      (f.relation.kind != Relation::Eq && f.relation.kind != Relation::Ne))
    return f;
  Expr gap = f.relation.lhs - f.relation.rhs;
  for (const Expr::Term &term : gap.terms()) {
    if (term.powers.size() != 1)
      continue;
    Atom atom = term.powers[0].first;
    if (atom.kind() != AtomKind::FloorDiv)
      continue;
    Expr e = atom.operands()[0], d = atom.operands()[1];
    Expr remainder = e - d * atom.asExpr();
    if (gap != remainder && gap != -remainder)
      continue;
    Formula divides = Relation::divides(d, e);
    return f.relation.kind == Relation::Eq ? divides : Formula::negate(divides);
  }
  return f;
}

std::string mlir::symshape::spellInSource(FunctionShapes &source,
                                          FunctionShapes &lowered,
                                          const Formula &condition) {
  return saidByDivisors(condition)
      .substitute(
          [&](Expr symbol) { return nameInSource(source, lowered, symbol); })
      .str();
}
