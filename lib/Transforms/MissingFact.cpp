//===- MissingFact.cpp - What to declare ----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MissingFact.h"
#include "LoopCounter.h"

using namespace mlir;
using namespace mlir::symshape;

/// States that the loop's last step is a whole one, for steps above 1.
static std::optional<Relation> wholeTrip(FunctionShapes &shapes,
                                         LoopLikeOpInterface loop) {
  std::optional<LoopCounter> trip = readCounter(shapes, loop);
  if (!trip || trip->step.isConstant(1))
    return std::nullopt;
  return Relation::divides(trip->step, trip->end - trip->first);
}

/// Whether a user can write `relation`: no counter of a loop occurs.
static bool isDeclarable(FunctionShapes &shapes, const Relation &relation) {
  return llvm::all_of(relation.symbols(), [&](Expr s) {
    const SymbolDef *def = shapes.definition(s);
    return def && def->kind != SymbolDef::Iteration;
  });
}

/// Facts that a user can write and that may imply `wanted`.
static SmallVector<Relation> candidates(FunctionShapes &shapes, Operation *op,
                                        const Relation &wanted) {
  SmallVector<Relation> result;
  for (Operation *outer = op->getParentOp(); outer != shapes.function();
       outer = outer->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(outer))
      if (auto trip = wholeTrip(shapes, loop))
        result.push_back(*trip);
  if (wanted.kind == Relation::Le && wanted.rhs.isConstant())
    for (Expr symbol : wanted.lhs.symbols())
      result.push_back(Relation::le(symbol, wanted.rhs));
  llvm::erase_if(result,
                 [&](const Relation &r) { return !isDeclarable(shapes, r); });
  return result;
}

std::string mlir::symshape::describeMissing(FunctionShapes &shapes,
                                            ConstraintSet &facts, Operation *op,
                                            const Relation &wanted) {
  SmallVector<Relation> enough;
  if (isDeclarable(shapes, wanted)) {
    enough.push_back(wanted);
  } else {
    for (const Relation &candidate : candidates(shapes, op, wanted)) {
      facts.push();
      facts.assume(candidate);
      if (!facts.isContradictory() && facts.isProvably(wanted))
        enough.push_back(candidate);
      facts.pop();
    }
  }
  if (enough.empty())
    enough.push_back(wanted);
  std::string text;
  for (const Relation &relation : enough)
    text += (text.empty() ? "needs: " : ", or ") +
            describe(shapes, relation, nullptr);
  return text;
}
