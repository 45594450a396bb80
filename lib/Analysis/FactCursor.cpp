//===- FactCursor.cpp - The facts at a place of a function ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The facts of a place are those of the blocks around it, outermost first, each
// as far as it has run. The cursor keeps one scope of its fact set per block.
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/FactCursor.h"

#include "Internal.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// What was learned where
//===----------------------------------------------------------------------===//

void FunctionShapes::learn(const Formula &f) {
  assume(set, f);
  learned[current->getBlock()].push_back({current, f});
}

ArrayRef<FunctionShapes::Learned>
FunctionShapes::learnedIn(Block *block) const {
  auto it = learned.find(block);
  return it == learned.end() ? ArrayRef<Learned>() : ArrayRef(it->second);
}

const FunctionShapes::RegionEntry *
FunctionShapes::entryOf(Region *region) const {
  auto it = regionEntries.find(region);
  return it == regionEntries.end() ? nullptr : &it->second;
}

void symshape::assumeEntry(ConstraintSet &set,
                           const FunctionShapes::RegionEntry &entry) {
  assume(set, entry.premise);
  for (const IterationVar &var : entry.iterations) {
    set.assume(Relation::le(var.lo, var.symbol));
    set.assume(Relation::le(var.symbol, var.hi));
    for (const Relation &fact : var.facts)
      set.assume(fact);
  }
}

//===----------------------------------------------------------------------===//
// The cursor
//===----------------------------------------------------------------------===//

struct FactCursor::Impl {
  /// A block around the place, and how many of its facts hold there.
  struct Level {
    Block *block = nullptr;
    size_t count = 0;
  };

  Impl(FunctionShapes &shapes, Limits limits)
      : shapes(shapes), set(shapes.arena()), limits(limits) {
    set.spendFrom(&budget);
    declareNew();
    const ConstraintSet &entry = shapes.entryFacts();
    for (FactId id = 0, end = entry.numFacts(); id < end; ++id)
      learn(entry.fact(id));
  }

  SmallVector<Level> levelsAt(Operation *op) const;
  void moveTo(ArrayRef<Level> place);
  void enter(const Level &level);
  void learnUpTo(Level &level, size_t count);
  void declareNew();
  SymbolInfo withoutLimits(Expr symbol, SymbolInfo info) const;
  void learn(const Formula &f);

  FunctionShapes &shapes;
  /// What proofs may still cost.
  StepBudget budget{kStepsPerFunction};
  ConstraintSet set;
  Limits limits;
  /// How many of the function's symbols are declared in `set`.
  size_t numDeclared = 0;
  /// Outermost first; each is a scope of `set`.
  SmallVector<Level> levels;
};

/// Whether a number in a fact is taken to be a limit, or a part of one: 2^48 /
/// 3 bounds what an extent becomes in a convolution.
static bool isLimit(const llvm::DynamicAPInt &number) {
  return abs(number) >= int64_t(1) << 24;
}

static bool mentionsLimit(const Formula &f) {
  auto inTerms = [](Expr e) {
    return e && llvm::any_of(e.terms(), [](const Expr::Term &term) {
             return isLimit(term.coefficient);
           });
  };
  if (f.isLiteral())
    return inTerms(f.relation.lhs) || inTerms(f.relation.rhs);
  return llvm::any_of(f.parts, mentionsLimit);
}

/// Drops ends that are those of the type, or as large as only limits are.
SymbolInfo FactCursor::Impl::withoutLimits(Expr symbol, SymbolInfo info) const {
  const SymbolDef *def = shapes.definition(symbol);
  Range ofType;
  if (def && def->kind == SymbolDef::Scalar)
    ofType = rangeOfType(def->value.getType());
  auto drop = [](std::optional<llvm::DynamicAPInt> &end, const auto &typeEnd) {
    if (end && (isLimit(*end) || end == typeEnd))
      end.reset();
  };
  drop(info.range.min, ofType.min);
  drop(info.range.max, ofType.max);
  return info;
}

void FactCursor::Impl::learn(const Formula &f) {
  if (limits == Limits::Known || !mentionsLimit(f))
    assume(set, f);
}

/// Symbols are made on demand: a question may have made some.
void FactCursor::Impl::declareNew() {
  auto declarations = shapes.declarations();
  if (declarations.size() == numDeclared)
    return;
  while (!levels.empty()) {
    set.pop();
    levels.pop_back();
  }
  for (const auto &[symbol, info] : declarations.drop_front(numDeclared))
    set.declare(symbol,
                limits == Limits::Known ? info : withoutLimits(symbol, info));
  numDeclared = declarations.size();
}

SmallVector<FactCursor::Impl::Level>
FactCursor::Impl::levelsAt(Operation *op) const {
  SmallVector<Level> inwards;
  auto before = [](const FunctionShapes::Learned &fact, Operation *place) {
    return fact.first->isBeforeInBlock(place);
  };
  for (Operation *place = op; place != shapes.function();) {
    Block *block = place->getBlock();
    Region *region = block->getParent();
    auto learned = shapes.learnedIn(block);
    // An op around the place gave some facts before its region was entered.
    Region *inner =
        inwards.empty() ? nullptr : inwards.back().block->getParent();
    const FunctionShapes::RegionEntry *entered =
        inner ? shapes.entryOf(inner) : nullptr;
    size_t count =
        entered ? entered->learnedBefore
                : llvm::lower_bound(learned, place, before) - learned.begin();
    inwards.push_back({block, count});
    if (block != &region->front())
      inwards.push_back(
          {&region->front(), shapes.learnedIn(&region->front()).size()});
    place = region->getParentOp();
  }
  return SmallVector<Level>(llvm::reverse(inwards));
}

void FactCursor::Impl::learnUpTo(Level &level, size_t count) {
  auto learned = shapes.learnedIn(level.block);
  for (; level.count < count; ++level.count)
    learn(learned[level.count].second);
}

void FactCursor::Impl::enter(const Level &level) {
  Region *region = level.block->getParent();
  set.push();
  bool isInner = !levels.empty() && levels.back().block->getParent() == region;
  if (const auto *entry = isInner ? nullptr : shapes.entryOf(region))
    assumeEntry(set, *entry);
  levels.push_back({level.block, 0});
  learnUpTo(levels.back(), level.count);
}

void FactCursor::Impl::moveTo(ArrayRef<Level> place) {
  size_t common = 0;
  while (common < std::min(levels.size(), place.size()) &&
         levels[common].block == place[common].block &&
         levels[common].count <= place[common].count) {
    ++common;
    // What is inside a block that goes on lies behind it.
    if (levels[common - 1].count < place[common - 1].count)
      break;
  }
  for (; levels.size() > common; levels.pop_back())
    set.pop();
  if (common > 0)
    learnUpTo(levels.back(), place[common - 1].count);
  for (const Level &level : place.drop_front(common))
    enter(level);
}

FactCursor::FactCursor(FunctionShapes &shapes, Limits limits)
    : impl(std::make_unique<Impl>(shapes, limits)) {}

FactCursor::~FactCursor() = default;

ConstraintSet &FactCursor::before(Operation *op) {
  impl->declareNew();
  impl->budget.add(kStepsPerOp);
  impl->moveTo(impl->levelsAt(op));
  tellPlace(impl->set, op);
  return impl->set;
}
