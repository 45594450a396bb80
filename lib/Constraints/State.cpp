//===- State.cpp - Levels, declarations, entries of forms -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is stored, how it is indexed, and how a level is undone.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"
#include "symshape/Expr/Integers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

void Knowledge::stateChanged() {
  boundCache.clear();
  reduceCache.clear();
  residueCache.clear();
  multiplesCache.clear();
}

/// Keeps what replaces a symbol: for as long as the level if found while facts
/// come in, else until queries are forgotten.
void Knowledge::remember(Expr symbol, const Reduced &value) {
  auto it = resolutions.find(symbol);
  std::optional<Resolution> before;
  if (it != resolutions.end())
    before = it->second;
  if (isChanging)
    undo([this, symbol, before] { restore(symbol, before); });
  else
    queryResolutions.push_back({symbol, before});
  resolutions[symbol] = {value, numSolved};
}

void Knowledge::restore(Expr symbol, const std::optional<Resolution> &before) {
  if (before)
    resolutions[symbol] = {before->value, 0};
  else
    resolutions.erase(symbol);
}

void Knowledge::trim() {
  stateChanged();
  for (; !queryResolutions.empty(); queryResolutions.pop_back())
    restore(queryResolutions.back().first, queryResolutions.back().second);
  reasons.truncate(reasonFloor);
}

void Knowledge::trimAfterQuery() {
  if (reasons.size() > reasonFloor + (1u << 20))
    trim();
}

Knowledge::Mark Knowledge::beginLevel() {
  trim();
  ++levels;
  return {trail.size(), reasons.size()};
}

void Knowledge::endLevel(const Mark &mark) {
  trim();
  while (trail.size() > mark.trail) {
    trail.back()();
    trail.pop_back();
  }
  --levels;
  reasonFloor = mark.reasons;
  trim();
}

void Knowledge::contradict(Why why) {
  if (contradictory)
    return;
  contradictory = true;
  contradictionWhy = why;
  undo([this] {
    contradictory = false;
    contradictionWhy = 0;
  });
}

Range SymbolInfo::aligned() const {
  return residue.modulus == 0
             ? Range::intersect(range, Range::exactly(residue.remainder))
             : alignTo(range, residue);
}

void Knowledge::declare(Expr symbol, const SymbolInfo &info) {
  // Neither facts nor caches have a symbol that is newer than all of them.
  std::optional<Change> change;
  if (symbol.id() <= newest)
    change.emplace(*this);
  SymbolInfo aligned = info;
  aligned.range = info.aligned();
  auto old = declarations.find(symbol);
  if (old == declarations.end())
    undo([this, symbol] { declarations.erase(symbol); });
  else
    undo([this, symbol, before = old->second] {
      declarations[symbol] = before;
    });
  declarations[symbol] = aligned;
  if (aligned.range.isEmpty())
    return contradict(0);
  if (!change)
    return;
  if (solved.contains(symbol)) {
    Expr value = reduce(symbol).expr;
    Why why = reduce(symbol).why;
    addWithin(value, {aligned.range, why, why});
    addResidue(value, aligned.residue, why);
  }
  if (formsOf.contains(symbol.asAtom()))
    pending.push_back(symbol);
  propagate();
}

const SymbolInfo *Knowledge::declared(Expr symbol) const {
  auto it = declarations.find(symbol);
  return it == declarations.end() ? nullptr : &it->second;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

// A symbol that only one linear form mentions (a leaf) says nothing about the
// others in it: if it may be anything that its own bounds allow, all that
// follows for their sum is a bound, which `propagateForm` carries to each. So
// from a symbol that many forms share, a question need not go to those forms in
// which all other symbols are leaves: it would see only what the bounds of the
// symbol say. Exact for one bound, and for an equality with its residue; forms
// with two bounds, with a residue or with excluded values of their own are
// linked in any case, as are those that are not sums of symbols, and a symbol
// with a residue or excluded values is not a leaf.

/// Terms of a form whose bounds are carried to each term.
static constexpr size_t maxLooseTerms = 8;

static bool isSumOfSymbols(Expr e) {
  return llvm::all_of(e.terms(), [](const Expr::Term &term) {
    return term.powers.size() == 1 && term.powers[0].second == 1 &&
           term.powers[0].first.kind() == AtomKind::Symbol;
  });
}

ArrayRef<Expr> Knowledge::formsAround(Atom atom) const {
  const auto &known = uses.lookup(atom) < 2 ? formsOf : linkedForms;
  auto it = known.find(atom);
  return it == known.end() ? ArrayRef<Expr>() : ArrayRef<Expr>(it->second);
}

/// Whether a question about one of its atoms may have to go on to another one.
bool Knowledge::isShared(Expr primitive) const {
  return primitive.terms().size() == 1 ||
         primitive.terms().size() > maxLooseTerms ||
         !isSumOfSymbols(primitive) ||
         llvm::count_if(primitive.terms(), [&](const Expr::Term &term) {
           return uses.lookup(term.powers[0].first) >= 2;
         }) >= 2;
}

void Knowledge::link(Expr primitive) {
  if (!linked.insert(primitive).second)
    return;
  SmallVector<Atom, 8> atoms = atomsOf(primitive);
  if (Atom symbol = restated.lookup(primitive))
    atoms.assign(1, symbol);
  for (Atom atom : atoms)
    linkedForms[atom].push_back(primitive);
  undo([this, primitive, atoms] {
    for (Atom atom : atoms)
      linkedForms[atom].pop_back();
    linked.erase(primitive);
  });
}

/// A question about other atoms of the form need not see it, only its restated
/// version; a question about the symbol itself, as given, must. So if many
/// symbols equal one, a question about that one sees none of them.
void Knowledge::noteRestated(Expr primitive, Atom symbol) {
  if (!restated.try_emplace(primitive, symbol).second)
    return;
  undo([this, primitive] { restated.erase(primitive); });
  if (!linked.contains(primitive))
    return;
  for (Atom atom : atomsOf(primitive)) {
    if (atom == symbol)
      continue;
    std::vector<Expr> &around = linkedForms.find(atom)->second;
    size_t place = around.size() - 1; // most often it is the latest
    while (around[place] != primitive)
      --place;
    around.erase(around.begin() + place);
    undo([this, primitive, atom, place] {
      std::vector<Expr> &around = linkedForms.find(atom)->second;
      around.insert(around.begin() + place, primitive);
    });
  }
}

/// Links a form whose bounds may leave gaps between the values that a symbol of
/// it may take: 0 <= a - 5*b <= 1, and a == 2*b + 3*c.
void Knowledge::linkIfHollow(Expr primitive, const Bound &bound) {
  bool hasSteps = llvm::any_of(primitive.terms(), [](const Expr::Term &term) {
    return abs(term.coefficient) > 1;
  });
  size_t numTerms = primitive.terms().size();
  if (!hasSteps || numTerms < 2 || linked.contains(primitive))
    return;
  Range plain = termSumBounds(primitive, 0).range;
  const auto &[min, max] = bound.range;
  bool saysMin = min && (!plain.min || *min > *plain.min);
  bool saysMax = max && (!plain.max || *max < *plain.max);
  if (saysMin && saysMax && !(bound.range.isSingle() && numTerms == 2))
    link(primitive);
}

/// Counts a form of the atom; its previous form, of which it was a leaf, may
/// now connect others.
void Knowledge::countUse(Atom atom, Expr primitive, bool isTerm) {
  unsigned before = uses.lookup(atom);
  if (before >= 2)
    return;
  unsigned now = isTerm ? before + 1 : 2;
  uses[atom] = now;
  undo([this, atom, before] { uses[atom] = before; });
  if (now < 2)
    return;
  for (Expr form : ArrayRef<Expr>(formsOf[atom]))
    if (isShared(form))
      link(form);
}

/// Links a form that has a residue or excluded values of its own.
void Knowledge::linkWithOwnValues(Expr primitive) {
  if (primitive.asSymbol())
    countUse(primitive.asAtom(), primitive, /*isTerm=*/false);
  link(primitive);
}

void Knowledge::index(Expr primitive) {
  bool isSum = isSumOfSymbols(primitive);
  for (Atom atom : atomsOf(primitive)) {
    formsOf[atom].push_back(primitive);
    undo([this, atom = atom] { formsOf[atom].pop_back(); });
    if (!isSum || primitive.terms().size() > 1)
      countUse(atom, primitive, isSum);
    if (!isSum) {
      otherFormsOf[atom].push_back(primitive);
      undo([this, atom = atom] { otherFormsOf[atom].pop_back(); });
    }
  }
  if (isShared(primitive))
    link(primitive);
  if (primitive.terms().size() < 2)
    return;
  for (const Expr::Term &term : primitive.terms()) {
    Expr part = monomial(arena, term.powers);
    formsWithTerm[part].push_back(primitive);
    undo([this, part] { formsWithTerm[part].pop_back(); });
  }
  Expr common = commonMonomial(primitive);
  if (!common.isConstant()) {
    Expr rest = divideExactly(primitive, common);
    stripped[rest].push_back(primitive);
    undo([this, rest] { stripped[rest].pop_back(); });
  }
}

/// Enters a sum with the symbols that its ends are carried on from: from
/// sum >= lo, what c*x is at least follows from what the others are at most.
void Knowledge::addReaders(Expr primitive, FormInfo &info) {
  if (primitive.terms().size() < 2 || !isSumOfSymbols(primitive))
    return;
  auto enter = [&](bool isMin) {
    for (const Expr::Term &term : primitive.terms()) {
      std::pair<Atom, unsigned> end(term.powers[0].first,
                                    (term.coefficient > 0) == isMin);
      readersOf[end].push_back(primitive);
      undo([this, end] { readersOf[end].pop_back(); });
    }
  };
  if (info.bound.range.min && !info.isMinRead)
    enter(/*isMin=*/true);
  if (info.bound.range.max && !info.isMaxRead)
    enter(/*isMin=*/false);
  info.isMinRead |= info.bound.range.min.has_value();
  info.isMaxRead |= info.bound.range.max.has_value();
}

/// The entry of a form, about to change.
FormInfo &Knowledge::touch(Expr primitive) {
  auto it = forms.find(primitive);
  if (it == forms.end()) {
    undo([this, primitive] { forms.erase(primitive); });
    index(primitive);
    it = forms.try_emplace(primitive).first;
  } else {
    undo([this, primitive, before = it->second] { forms[primitive] = before; });
    lookedAt.try_emplace(primitive, it->second.bound.range);
  }
  stateChanged();
  pending.push_back(primitive);
  return it->second;
}

/// Moves the ends of the bound to values that are not excluded.
void Knowledge::tightenEnds(Expr primitive, FormInfo &info) {
  Bound &bound = info.bound;
  auto values = excluded.find(primitive);
  const Residue &r = info.residue;
  for (bool changed = true; changed;) {
    changed = false;
    if (bound.range.min && r.modulus > 1) {
      DynamicAPInt step = mod(r.remainder - *bound.range.min, r.modulus);
      if (step != 0) {
        bound.range.min = *bound.range.min + step;
        bound.lo = reasons.both(bound.lo, info.residueWhy);
      }
    }
    if (bound.range.max && r.modulus > 1) {
      DynamicAPInt step = mod(*bound.range.max - r.remainder, r.modulus);
      if (step != 0) {
        bound.range.max = *bound.range.max - step;
        bound.hi = reasons.both(bound.hi, info.residueWhy);
      }
    }
    if (values == excluded.end() || bound.range.isEmpty())
      return;
    auto whyNot = [&](const std::optional<DynamicAPInt> &end) {
      auto it = end ? values->second.find(*end) : values->second.end();
      return it == values->second.end() ? std::optional<Why>() : it->second;
    };
    if (std::optional<Why> why = whyNot(bound.range.min)) {
      bound.range.min = *bound.range.min + 1;
      bound.lo = reasons.both(bound.lo, *why);
      changed = true;
    }
    if (std::optional<Why> why = whyNot(bound.range.max)) {
      bound.range.max = *bound.range.max - 1;
      bound.hi = reasons.both(bound.hi, *why);
      changed = true;
    }
  }
}

/// Ends longer than this are not kept: squares of ends of squares would grow
/// without end.
static constexpr unsigned maxFactBits = 1024;

static bool isTooLong(const std::optional<DynamicAPInt> &end) {
  return end && !fitsBits(*end, maxFactBits);
}

void Knowledge::addBound(Expr primitive, const Bound &given) {
  Bound learnt = given;
  if (isTooLong(learnt.range.min))
    learnt.range.min = std::nullopt;
  if (isTooLong(learnt.range.max))
    learnt.range.max = std::nullopt;
  Bound before = bounds(primitive, 1);
  Bound joint = intersect(before, learnt);
  if (joint.range.isEmpty())
    return contradict(reasons.both(joint.lo, joint.hi));
  bool isKnown = forms.contains(primitive);
  if (joint.range == before.range && (isKnown || primitive.terms().size() == 1))
    return;
  FormInfo &info = touch(primitive);
  info.bound = intersect(info.bound, joint);
  tightenEnds(primitive, info);
  linkIfHollow(primitive, info.bound);
  addEdges(primitive, info);
  addReaders(primitive, info);
  if (info.bound.range.isEmpty())
    return contradict(reasons.both(info.bound.lo, info.bound.hi));
  if (info.bound.range.isSingle())
    pendingZero.push_back({primitive - arena.constant(*info.bound.range.min),
                           reasons.both(info.bound.lo, info.bound.hi)});
}
