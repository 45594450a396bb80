//===- MissingFact.cpp - What to declare ----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MissingFact.h"
#include "CountedLoop.h"

using namespace mlir;
using namespace mlir::symshape;

/// That the loop's last step is a whole one, for steps above 1.
static std::optional<Relation> wholeTrip(FunctionShapes &shapes,
                                         LoopLikeOpInterface loop) {
  std::optional<CountedLoop> trip = readCounter(shapes, loop);
  if (!trip || trip->step.isConstant(1))
    return std::nullopt;
  return Relation::divides(trip->step, trip->end - trip->first);
}

/// Whether a user can write `e`: no counter of a loop occurs.
static bool isDeclarable(FunctionShapes &shapes, Expr e) {
  SmallVector<Expr> symbols;
  e.arena().collectSymbols(e, symbols);
  return llvm::all_of(symbols, [&](Expr s) {
    const SymbolDef *def = shapes.definition(s);
    return def && def->kind != SymbolDef::Iteration;
  });
}

/// Facts that may imply `wanted`, likelier ones first.
static SmallVector<Relation> candidates(FunctionShapes &shapes, Operation *op,
                                        const Relation &wanted) {
  SmallVector<Relation> result;
  for (Operation *outer = op->getParentOp(); outer != shapes.function();
       outer = outer->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(outer))
      if (auto trip = wholeTrip(shapes, loop))
        result.push_back(*trip);
  if (wanted.kind != Relation::Le || !wanted.rhs.isConstant())
    return result;
  SmallVector<Expr> symbols;
  shapes.arena().collectSymbols(wanted.lhs, symbols);
  for (Expr symbol : symbols)
    result.push_back(Relation::le(symbol, wanted.rhs));
  return result;
}

std::string mlir::symshape::describeMissing(FunctionShapes &shapes,
                                            ConstraintSet &facts, Operation *op,
                                            const Relation &wanted) {
  auto sentence = [&](const Relation &relation) {
    return "needs: " + describe(shapes, Formula::literal(relation), nullptr);
  };
  if (isDeclarable(shapes, wanted.lhs) && isDeclarable(shapes, wanted.rhs))
    return sentence(wanted);
  for (const Relation &candidate : candidates(shapes, op, wanted)) {
    if (!isDeclarable(shapes, candidate.lhs) ||
        !isDeclarable(shapes, candidate.rhs))
      continue;
    facts.push();
    facts.assume(candidate);
    bool isEnough = !facts.isContradictory() && facts.isProvably(wanted);
    facts.pop();
    if (isEnough)
      return sentence(candidate);
  }
  return sentence(wanted);
}
