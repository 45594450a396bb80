//===- DeferredChecks.cpp - Where data is checked -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check moves up twice: out of the loops and branches around its op, whose
// conditions become part of it, and then within its block, to where the last
// value that it reads is known.
//
//===----------------------------------------------------------------------===//

#include "DeferredChecks.h"
#include "Internal.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::symshape;

const Relation &mlir::symshape::firstRelation(const Formula &f) {
  const Formula *first = &f;
  while (!first->parts.empty())
    first = &first->parts.front();
  return first->relation;
}

bool mlir::symshape::isKnownBefore(FunctionShapes &shapes,
                                   DominanceInfo &dominance, Expr e,
                                   Operation *place) {
  return llvm::all_of(e.symbols(), [&](Expr symbol) {
    const SymbolDef *def = shapes.definition(symbol);
    if (def && def->kind == SymbolDef::Solved)
      return isKnownBefore(shapes, dominance, def->solution, place);
    return def && def->value && dominance.properlyDominates(def->value, place);
  });
}

bool mlir::symshape::isKnownBefore(FunctionShapes &shapes,
                                   DominanceInfo &dominance, const Formula &f,
                                   Operation *place) {
  return llvm::all_of(f.symbols(), [&](Expr symbol) {
    return isKnownBefore(shapes, dominance, symbol, place);
  });
}

/// Names that ops in the body give to values: the facts of the entry do not say
/// that they may be negative.
static bool isNameOfBody(FunctionShapes &shapes, Expr symbol) {
  const SymbolDef *def = shapes.definition(symbol);
  return def && def->kind == SymbolDef::Solved && !def->backed;
}

/// Whether what decides `f` can be checked where `place` begins.
static bool isDecidedBefore(FunctionShapes &shapes, DominanceInfo &dominance,
                            const Formula &f, Operation *place) {
  return !f.hasOpaque() && isKnownBefore(shapes, dominance, f, place) &&
         llvm::none_of(f.symbols(), [&](Expr symbol) {
           return isNameOfBody(shapes, symbol);
         });
}

/// Whether the op stands in the body of a structured op, where a pass decides
/// what comes before what.
static bool isInStructuredBody(Operation *op) {
  return op->getParentOfType<linalg::LinalgOp>() != nullptr;
}

/// `requirement` as seen from before the loops around it: a condition that no
/// iteration changes is needed exactly if the first iteration runs.
static Requirement seenFromBefore(FunctionShapes &shapes,
                                  const Requirement &requirement,
                                  Operation *anchor) {
  Requirement seen = requirement;
  for (Region *region = anchor->getParentRegion();
       region != &shapes.function().getBody();
       region = region->getParentRegion())
    if (const FunctionShapes::RegionEntry *entry = shapes.entryOf(region))
      llvm::replace(seen.premises, entry->premise, shapes.firstPremise(region));
  return seen;
}

/// Moves a check before the outermost loop or branch where all that decides it
/// is known: there its premises, and the counters of loops, are part of the
/// condition, so that it fails only if the op would be reached and could not
/// run.
static void moveOut(FunctionShapes &shapes, DominanceInfo &dominance,
                    DeferredCheck &check) {
  SmallVector<Operation *> around;
  for (Operation *parent = check.anchor->getParentOp();
       isa_and_nonnull<RegionBranchOpInterface>(parent);
       parent = parent->getParentOp())
    around.push_back(parent);
  // In the body of any other op, a pass decides what comes before what. Where
  // it cannot hold, what follows it never runs, and goes away.
  if (around.empty() || !isa<func::FuncOp>(around.back()->getParentOp()) ||
      check.reasons.front()->answer.isNo())
    return;
  Requirement seen =
      seenFromBefore(shapes, *check.reasons.front(), check.anchor);
  for (Operation *place : llvm::reverse(around)) {
    // The counters of loops around the place have their values there.
    llvm::erase_if(seen.iterations, [&](const IterationVar &var) {
      return isKnownBefore(shapes, dominance, var.symbol, place);
    });
    auto closed = closeOver(shapes, seen, [&](const Formula &f) {
      return isDecidedBefore(shapes, dominance, f, place);
    });
    if (!closed)
      continue;
    check.anchor = place;
    check.condition = std::move(*closed);
    return;
  }
}

namespace {
/// Moves checks up in their blocks, one after another in the order of the
/// ops.
///
/// A call is refused by the same check as if nothing had moved: none passes an
/// earlier one of its block, so the ops that are skipped do nothing that can be
/// seen, and none of them becomes undefined.
class Lifter {
public:
  Lifter(FunctionShapes &shapes, const llvm::SetVector<Operation *> &asserts)
      : shapes(shapes), asserts(asserts) {}

  void lift(DeferredCheck &check);
  /// Nothing that comes later is checked before `anchor`.
  void stopAt(Operation *anchor);

private:
  /// How far up a check of a block may go: what is new since the last check is
  /// looked at once.
  struct Level {
    Operation *first = nullptr; ///< the earliest place
    Operation *next = nullptr;  ///< not looked at yet
  };
  Level &levelOf(Block *block);
  bool canBeSkipped(Operation *op) const;
  void collectValues(Expr symbol, SmallVectorImpl<Value> &values) const;

  FunctionShapes &shapes;
  const llvm::SetVector<Operation *> &asserts;
  DenseMap<Block *, Level> levels;
};
} // namespace

Lifter::Level &Lifter::levelOf(Block *block) {
  Level &level = levels[block];
  if (!level.first)
    level.first = level.next = &block->front();
  return level;
}

/// Whether nobody can see that the op has run when a call is refused: it at
/// most reads and allocates. Asserts whose checks are placed separately do not
/// count.
bool Lifter::canBeSkipped(Operation *op) const {
  WalkResult result = op->walk([&](Operation *inner) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    bool isRecursive = inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    if (asserts.contains(inner))
      return WalkResult::advance();
    if (!effects)
      return isRecursive || inner->hasTrait<OpTrait::IsTerminator>()
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    SmallVector<MemoryEffects::EffectInstance> all;
    effects.getEffects(all);
    bool isUnseen = llvm::all_of(all, [](const auto &effect) {
      return isa<MemoryEffects::Read, MemoryEffects::Allocate>(
          effect.getEffect());
    });
    return isUnseen ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

void Lifter::collectValues(Expr symbol, SmallVectorImpl<Value> &values) const {
  const SymbolDef *def = shapes.definition(symbol);
  if (def && def->kind == SymbolDef::Solved) {
    for (Expr s : def->solution.symbols())
      collectValues(s, values);
  } else if (def) {
    values.push_back(def->value);
  }
}

void Lifter::stopAt(Operation *anchor) {
  auto raise = [](Operation *&place, Operation *to) {
    if (place->isBeforeInBlock(to))
      place = to;
  };
  raise(levelOf(anchor->getBlock()).first, anchor);
  for (Operation *around = anchor->getParentOp(); around != shapes.function();
       around = around->getParentOp())
    if (Operation *after = around->getNextNode()) {
      raise(levelOf(around->getBlock()).first, after);
      raise(levelOf(around->getBlock()).next, after);
    }
}

void Lifter::lift(DeferredCheck &check) {
  Block *block = check.anchor->getBlock();
  Level &level = levelOf(block);
  for (; level.next->isBeforeInBlock(check.anchor);
       level.next = level.next->getNextNode())
    if (!canBeSkipped(level.next))
      level.first = level.next->getNextNode();
  SmallVector<Value> values;
  for (Expr symbol : check.condition.symbols())
    collectValues(symbol, values);
  Operation *place = level.first;
  for (Value value : values) {
    // If it has no value, whoever emits the check refuses it.
    if (!value)
      return stopAt(check.anchor);
    Operation *def = value.getDefiningOp();
    if (def && def->getBlock() == block && !def->isBeforeInBlock(place))
      place = def->getNextNode();
  }
  if (place->isBeforeInBlock(check.anchor))
    check.anchor = place;
  stopAt(check.anchor);
}

/// The user's asserts that are checks like any other: not those with a part
/// that is not a formula over what is known where they stand, nor those in the
/// body of a structured op.
static llvm::SetVector<Operation *>
findPlacedAsserts(FunctionShapes &shapes, DominanceInfo &dominance,
                  ArrayRef<DeferredCheck> checks) {
  llvm::SetVector<Operation *> asserts;
  for (const Requirement &requirement : shapes.requirements())
    if (isOwnAssert(requirement) && !isInStructuredBody(requirement.op))
      asserts.insert(requirement.op);
  for (const DeferredCheck &check : checks)
    if (check.condition.hasOpaque() ||
        !isKnownBefore(shapes, dominance, check.condition, check.anchor))
      asserts.remove(check.reasons.front()->op);
  return asserts;
}

/// Makes equal checks one; those of asserts that stand alone at their anchors
/// remain the asserts they are.
static SmallVector<DeferredCheck> mergeChecks(ArrayRef<DeferredCheck> same) {
  SmallVector<DeferredCheck> merged;
  DenseMap<std::pair<Expr, Expr>, SmallVector<unsigned, 1>> alike;
  for (const DeferredCheck &check : same) {
    const Relation &first = firstRelation(check.condition);
    auto &candidates = alike[{first.lhs, first.rhs}];
    auto *equal = llvm::find_if(candidates, [&](unsigned index) {
      return !check.condition.hasOpaque() &&
             merged[index].condition == check.condition;
    });
    if (equal != candidates.end()) {
      llvm::append_range(merged[*equal].reasons, check.reasons);
      continue;
    }
    candidates.push_back(merged.size());
    merged.push_back(check);
  }
  Operation *anchor = same.front().anchor;
  auto isOfAnchor = [&](const Requirement *reason) {
    return isOwnAssert(*reason) && reason->op == anchor;
  };
  bool isAssert = !isInStructuredBody(anchor) &&
                  llvm::all_of(merged, [&](const DeferredCheck &check) {
                    return llvm::all_of(check.reasons, isOfAnchor);
                  });
  for (DeferredCheck &check : merged)
    check.isAssert = isAssert;
  return merged;
}

/// The checks of `same`, all before one op, without those that others imply.
static void minimiseChecks(FunctionShapes &shapes, ArrayRef<DeferredCheck> same,
                           GuardPlan &plan, StepBudget &budget) {
  ConstraintSet set(shapes.arena());
  set.spendFrom(&budget);
  std::vector<Formula> conditions;
  for (const DeferredCheck &check : same) {
    conditions.push_back(check.condition);
    for (Expr symbol : check.condition.symbols()) {
      SymbolInfo info = shapes.entryFacts().info(symbol);
      if (isNameOfBody(shapes, symbol))
        info.range = symshape::Range::all();
      set.declare(symbol, info);
    }
  }
  std::vector<unsigned> needed = minimise(set, conditions);
  for (auto [index, check] : llvm::enumerate(same))
    (llvm::binary_search(needed, index) ? plan.deferred : plan.droppedChecks)
        .push_back(check);
}

void mlir::symshape::placeDeferred(FunctionShapes &shapes, GuardPlan &plan,
                                   StepBudget &budget) {
  SmallVector<DeferredCheck, 0> checks = std::move(plan.deferred);
  plan.deferred.clear();
  DominanceInfo dominance;
  llvm::SetVector<Operation *> asserts =
      findPlacedAsserts(shapes, dominance, checks);
  Lifter lifter(shapes, asserts);
  llvm::MapVector<Operation *, SmallVector<DeferredCheck>> byAnchor;
  for (DeferredCheck &check : checks) {
    const Requirement &first = *check.reasons.front();
    bool isFixed = isInStructuredBody(check.anchor) ||
                   (isOwnAssert(first) && !asserts.contains(first.op));
    if (isFixed) {
      lifter.stopAt(check.anchor);
    } else {
      moveOut(shapes, dominance, check);
      lifter.lift(check);
    }
    byAnchor[check.anchor].push_back(check);
  }
  for (const auto &[anchor, same] : byAnchor) {
    SmallVector<DeferredCheck> merged = mergeChecks(same);
    bool isKept = llvm::any_of(merged, [](const DeferredCheck &check) {
      return check.isAssert || check.condition.hasOpaque();
    });
    if (isKept)
      llvm::append_range(plan.deferred, merged);
    else
      minimiseChecks(shapes, merged, plan, budget);
  }
}
