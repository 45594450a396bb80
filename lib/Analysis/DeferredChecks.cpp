//===- DeferredChecks.cpp - Where data is checked -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeferredChecks.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace mlir::symshape;

bool mlir::symshape::isKnownBefore(FunctionShapes &shapes,
                                   DominanceInfo &dominance, Expr e,
                                   Operation *place) {
  SmallVector<Expr> symbols;
  shapes.arena().collectSymbols(e, symbols);
  return llvm::all_of(symbols, [&](Expr symbol) {
    const SymbolDef *def = shapes.definition(symbol);
    if (def && def->kind == SymbolDef::Solved)
      return isKnownBefore(shapes, dominance, def->solution, place);
    return def && def->value && dominance.properlyDominates(def->value, place);
  });
}

/// Names that ops in the body give to values: the facts of the entry do not
/// know that they may be negative.
static bool isNameOfBody(FunctionShapes &shapes, Expr symbol) {
  const SymbolDef *def = shapes.definition(symbol);
  return def && def->kind == SymbolDef::Solved && !def->backed;
}

static bool isKnownBefore(FunctionShapes &shapes, DominanceInfo &dominance,
                          const Formula &f, Operation *place) {
  SmallVector<Expr> symbols;
  f.collectSymbols(symbols);
  return !f.hasOpaque() && llvm::all_of(symbols, [&](Expr symbol) {
    return !isNameOfBody(shapes, symbol) &&
           isKnownBefore(shapes, dominance, symbol, place);
  });
}

/// Moves a check before the outermost loop or branch where what decides is
/// known: there its premises, and the counters of loops, are part of the
/// condition, so that it fails only if the op would be reached and could not
/// run.
static void moveOut(FunctionShapes &shapes, DominanceInfo &dominance,
                    DeferredCheck &check) {
  SmallVector<Operation *> around;
  for (Operation *parent = check.anchor->getParentOp();
       isa_and_nonnull<RegionBranchOpInterface>(parent);
       parent = parent->getParentOp())
    around.push_back(parent);
  // In the body of any other op, it is for the pass to say what comes before.
  if (around.empty() || !isa<func::FuncOp>(around.back()->getParentOp()))
    return;
  for (Operation *place : llvm::reverse(around)) {
    auto closed = closeOver(shapes, *check.requirement, [&](const Formula &f) {
      return ::isKnownBefore(shapes, dominance, f, place);
    });
    if (!closed)
      continue;
    check.anchor = place;
    check.condition = std::move(*closed);
    return;
  }
}

/// The checks of `same`, all before one op, without those that others imply.
static SmallVector<DeferredCheck> minimiseChecks(FunctionShapes &shapes,
                                                 ArrayRef<DeferredCheck> same) {
  ConstraintSet set(shapes.arena());
  std::vector<Formula> conditions;
  for (const DeferredCheck &check : same) {
    conditions.push_back(check.condition);
    SmallVector<Expr> symbols;
    check.condition.collectSymbols(symbols);
    for (Expr symbol : symbols) {
      SymbolInfo info = shapes.entryFacts().info(symbol);
      if (isNameOfBody(shapes, symbol))
        info.range = symshape::Range::all();
      set.declare(symbol, info);
    }
  }
  SmallVector<DeferredCheck> kept;
  for (unsigned index : minimise(set, conditions))
    kept.push_back(same[index]);
  return kept;
}

void mlir::symshape::placeDeferred(FunctionShapes &shapes,
                                   SmallVectorImpl<DeferredCheck> &checks) {
  DominanceInfo dominance;
  llvm::MapVector<Operation *, SmallVector<DeferredCheck>> byAnchor;
  SmallVector<DeferredCheck> asserts;
  for (DeferredCheck &check : checks) {
    if (check.requirement->isUserAssert && !check.requirement->call) {
      asserts.push_back(check);
      continue;
    }
    moveOut(shapes, dominance, check);
    byAnchor[check.anchor].push_back(check);
  }
  checks.assign(asserts.begin(), asserts.end());
  for (const auto &[anchor, same] : byAnchor) {
    bool hasOpaque = llvm::any_of(same, [](const DeferredCheck &check) {
      return check.condition.hasOpaque();
    });
    llvm::append_range(checks, same.size() == 1 || hasOpaque
                                   ? same
                                   : minimiseChecks(shapes, same));
  }
}
