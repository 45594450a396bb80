//===- ValueBounds.cpp - Bounds of values and dims ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From values to expressions, questions to the engine, and back. Not for: the
// search for symbolic bounds (BoundSearch), slices (SliceBounds.cpp).
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/ValueBounds.h"

#include "Internal.h"
#include "ValueSources.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "symshape/Constraints/BoundSearch.h"
#include "symshape/Expr/Integers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Quantities
//===----------------------------------------------------------------------===//

/// The expression of a scalar or a dim.
static Expr exprOf(FunctionShapes &shapes, ValueDim place) {
  return place.second ? shapes.dim(place.first, *place.second)
                      : shapes.value(place.first);
}

/// What is known of it by itself.
static symshape::Range rangeOf(const FunctionShapes &shapes, ValueDim place) {
  return place.second ? symshape::Range::between(0, INT64_MAX)
                      : shapes.rangeOf(place.first);
}

Quantity::Quantity(OpFoldResult value) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    constant = *known;
  else
    place = {cast<Value>(value), std::nullopt};
}

Expr Quantity::expr(FunctionShapes &shapes) const {
  if (map) {
    SmallVector<Expr> values;
    for (const Quantity &operand : operands)
      values.push_back(operand.expr(shapes));
    ArrayRef<Expr> all(values);
    return shapes.apply(map.getResult(0), all.take_front(map.getNumDims()),
                        all.drop_front(map.getNumDims()));
  }
  if (!place.first)
    return shapes.arena().constant(constant);
  return exprOf(shapes, place);
}

void Quantity::collectPlaces(SmallVectorImpl<ValueDim> &places) const {
  if (place.first)
    places.push_back(place);
  for (const Quantity &operand : operands)
    operand.collectPlaces(places);
}

//===----------------------------------------------------------------------===//
// Constants and comparisons
//===----------------------------------------------------------------------===//

// Joins looked through for one question.
static constexpr unsigned maxJoins = 8;

/// Assumes of symbols that are one of two expressions that they lie between
/// these. That holds whichever of the two they are.
static void assumeJoins(ConstraintSet &facts, FunctionShapes &shapes,
                        ArrayRef<Expr> exprs) {
  ExprArena &arena = facts.arena();
  SmallVector<Expr> symbols;
  for (Expr e : exprs)
    arena.collectSymbols(e, symbols);
  unsigned found = 0;
  for (size_t i = 0; i < symbols.size() && found < maxJoins; ++i) {
    auto [a, b] = shapes.sidesOfJoin(symbols[i]);
    if (!a)
      continue;
    ++found;
    facts.assume(Relation::le(arena.min(a, b), symbols[i]));
    facts.assume(Relation::le(symbols[i], arena.max(a, b)));
    arena.collectSymbols(a, symbols);
    arena.collectSymbols(b, symbols);
  }
}

/// Assumes of the values that a question is about what is known of each by
/// itself.
static void assumeRanges(ConstraintSet &facts, FunctionShapes &shapes,
                         ArrayRef<const Quantity *> quantities) {
  SmallVector<ValueDim> places;
  for (const Quantity *quantity : quantities)
    quantity->collectPlaces(places);
  for (ValueDim place : places) {
    symshape::Range known = rangeOf(shapes, place);
    Expr e = exprOf(shapes, place);
    facts.assume(Relation::le(facts.arena().constant(*known.min), e));
    facts.assume(Relation::le(e, facts.arena().constant(*known.max)));
  }
}

symshape::Range ValueBounds::range(Operation *place, const Quantity &q) {
  // Symbols that the expression makes are declared before the facts are read.
  Expr e = q.expr(shapes);
  ConstraintSet &facts = cursor.before(place);
  facts.push();
  assumeRanges(facts, shapes, &q);
  assumeJoins(facts, shapes, e);
  symshape::Range result = facts.bounds(e);
  facts.pop();
  return result;
}

std::optional<int64_t> ValueBounds::constantBound(Operation *place,
                                                  BoundType type,
                                                  const Quantity &q,
                                                  bool closedUB) {
  symshape::Range known = range(place, q);
  std::optional<llvm::DynamicAPInt> end =
      type == BoundType::UB ? known.max : known.min;
  if (!known.isSingle() &&
      (type == BoundType::EQ || (end && BoundSearch::isLimit(*end))))
    return std::nullopt;
  if (end && type == BoundType::UB && !closedUB)
    end = *end + 1;
  return end ? tryInt64(*end) : std::nullopt;
}

Answer ValueBounds::compare(Operation *place, const Quantity &lhs,
                            Comparison comparison, const Quantity &rhs) {
  Expr a = lhs.expr(shapes), b = rhs.expr(shapes);
  Relation relation = [&] {
    switch (comparison) {
    case Comparison::LT:
      return Relation::lt(a, b);
    case Comparison::LE:
      return Relation::le(a, b);
    case Comparison::EQ:
      return Relation::eq(a, b);
    case Comparison::GT:
      return Relation::gt(a, b);
    case Comparison::GE:
      return Relation::ge(a, b);
    }
    llvm_unreachable("no other comparison");
  }();
  ConstraintSet &facts = cursor.before(place);
  facts.push();
  assumeRanges(facts, shapes, {&lhs, &rhs});
  assumeJoins(facts, shapes, {a, b});
  Answer answer = facts.prove(relation);
  facts.pop();
  return answer;
}

//===----------------------------------------------------------------------===//
// Bounds in terms of values
//===----------------------------------------------------------------------===//

namespace {
/// Which symbols bounds may contain, and what they stand for.
class Choice {
public:
  Choice(FunctionShapes &shapes, DominanceInfo &dominance, Operation *place,
         ValueBounds::StopCondition stop)
      : shapes(shapes), dominance(dominance), place(place), stop(stop) {}

  /// Declared names that a signature computes from dims count as those dims.
  bool isChosen(Expr symbol);
  bool isChosenOnly(Expr e);
  /// Looks for chosen values among the candidates, the values that `q` is
  /// computed from, and the arguments.
  void walk(const Quantity &q, ArrayRef<ValueDim> candidates);
  /// Gives each chosen value that is an expression a symbol of its own.
  void defineAll(BoundSearch &search, ConstraintSet &facts);
  SymbolicBound toBound(Expr e) const;

private:
  bool accepts(ValueDim candidate);
  void choose(ValueDim candidate);

  FunctionShapes &shapes;
  DominanceInfo &dominance;
  Operation *place;
  ValueBounds::StopCondition stop;
  DenseMap<Expr, ValueDim> meaning; ///< no value: not chosen
  SmallVector<std::pair<ValueDim, Expr>> composites;
};
} // namespace

// Values computed from, and chosen values that are expressions.
static constexpr unsigned maxVisited = 2000;
static constexpr unsigned maxComposites = 40;

bool Choice::accepts(ValueDim candidate) {
  return dominance.properlyDominates(candidate.first, place) &&
         stop(candidate.first, candidate.second);
}

bool Choice::isChosen(Expr symbol) {
  auto [it, isNew] = meaning.try_emplace(symbol);
  if (!isNew)
    return it->second.first != nullptr;
  const SymbolDef *def = shapes.definition(symbol);
  if (!def || !def->value)
    return false;
  ValueDim candidate(def->value, std::nullopt);
  if (def->kind == SymbolDef::Dim)
    candidate.second = def->dim;
  if (!accepts(candidate))
    return false;
  meaning[symbol] = candidate;
  return true;
}

bool Choice::isChosenOnly(Expr e) {
  return llvm::all_of(e.symbols(),
                      [&](Expr symbol) { return isChosen(symbol); });
}

void Choice::choose(ValueDim candidate) {
  Expr e = shapes.expand(exprOf(shapes, candidate));
  if (e.isConstant() || isChosenOnly(e))
    return;
  if (e.asSymbol())
    meaning[e] = candidate;
  else if (composites.size() < maxComposites)
    composites.push_back({candidate, e});
}

void Choice::walk(const Quantity &q, ArrayRef<ValueDim> candidates) {
  SmallVector<ValueDim> work(candidates);
  q.collectPlaces(work);
  for (BlockArgument argument : shapes.function().getArguments())
    appendPlaces(argument, work);
  llvm::DenseSet<ValueDim> seen;
  for (size_t i = 0; i < work.size() && i < maxVisited; ++i) {
    ValueDim next = work[i];
    if (!seen.insert(next).second)
      continue;
    if (accepts(next))
      choose(next);
    else
      for (Value source : sourcesOf(next.first))
        appendPlaces(source, work);
  }
}

void Choice::defineAll(BoundSearch &search, ConstraintSet &facts) {
  for (const auto &[candidate, e] : composites) {
    Expr symbol = shapes.arena().freshSymbol("%b");
    facts.declare(symbol, {rangeOf(shapes, candidate)});
    meaning[symbol] = candidate;
    search.define(symbol, e);
  }
}

SymbolicBound Choice::toBound(Expr e) const {
  SymbolicBound bound;
  bound.expr = e;
  for (Expr symbol : e.symbols())
    bound.operands.push_back({symbol, meaning.lookup(symbol)});
  return bound;
}

/// Whether `e` and the operands of its atoms, at any depth, fit 64 bits.
static bool fitsEverywhere(ConstraintSet &facts, Expr e) {
  llvm::SetVector<Expr> parts;
  parts.insert(e);
  for (size_t i = 0; i < parts.size(); ++i) {
    Expr next = parts[i];
    if (!facts.bounds(next).fitsInt64())
      return false;
    for (const Expr::Term &term : next.terms())
      for (const auto &power : term.powers)
        parts.insert_range(power.first.operands());
  }
  return true;
}

/// Bounds of `e`, with the facts open for more.
static SmallVector<Expr, 2> searchBounds(BoundSearch &search,
                                         ConstraintSet &facts,
                                         presburger::BoundType type, Expr e) {
  if (type == presburger::BoundType::LB)
    return search.lower(e);
  if (type == presburger::BoundType::UB)
    return search.upper(e);
  if (Expr same = search.exact(e))
    return {same};
  for (Expr bound : search.upper(e))
    if (facts.isProvably(Relation::eq(e, bound)))
      return {bound};
  return {};
}

SmallVector<SymbolicBound, 2>
ValueBounds::search(Operation *place, BoundType type, const Quantity &q,
                    StopCondition stop, ArrayRef<ValueDim> candidates,
                    bool closedUB) {
  Choice choice(shapes, dominance, place, stop);
  Expr e = shapes.expand(q.expr(shapes));
  if (!choice.isChosenOnly(e))
    choice.walk(q, candidates);
  ConstraintSet &facts = cursor.before(place);
  auto isChosen = [&](Expr symbol) { return choice.isChosen(symbol); };
  BoundSearch search(facts, isChosen);
  assumeRanges(facts, shapes, &q);
  assumeJoins(facts, shapes, e);
  choice.defineAll(search, facts);
  SmallVector<SymbolicBound, 2> result;
  for (Expr bound : searchBounds(search, facts, type, e)) {
    bool isOpen = type == BoundType::UB && !closedUB;
    if (isOpen)
      bound = bound + 1;
    result.push_back(choice.toBound(bound));
    result.back().fits =
        shapes.options().assumeNoWrap || fitsEverywhere(facts, bound);
    result.back().isOpen = isOpen;
  }
  return result;
}

SmallVector<SymbolicBound, 2>
ValueBounds::bounds(Operation *place, BoundType type, const Quantity &q,
                    StopCondition stop, bool closedUB) {
  return search(place, type, q, stop, {}, closedUB);
}

SmallVector<SymbolicBound, 2>
ValueBounds::dependentBounds(Operation *place, BoundType type,
                             const Quantity &q, ArrayRef<ValueDim> dependencies,
                             bool closedUB) {
  return search(
      place, type, q,
      [&](Value v, std::optional<int64_t> dim) {
        return llvm::is_contained(dependencies, ValueDim(v, dim));
      },
      dependencies, closedUB);
}

SmallVector<SymbolicBound, 2>
ValueBounds::independentBounds(Operation *place, BoundType type,
                               const Quantity &q, ValueRange independencies,
                               bool closedUB) {
  return bounds(
      place, type, q,
      [&](Value v, std::optional<int64_t>) {
        return !dependsOn(v, independencies);
      },
      closedUB);
}
