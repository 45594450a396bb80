//===- Reduce.cpp - An equal, simpler expression --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Substitutes solved equalities and decides divisions, min, max and bc by
// bounds. What a rule returns equals its argument for every assignment that
// satisfies the facts it names.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

static constexpr unsigned maxReducedDepth = 60;
/// Limits on what substitution makes.
static constexpr unsigned maxResultSize = 1024, maxResultDepth = 48;
static constexpr unsigned maxRounds = 16;
static constexpr unsigned maxRoundsInAll = 1000;

//===----------------------------------------------------------------------===//
// Solved symbols
//===----------------------------------------------------------------------===//

/// Whether `result` may take the place of `e`: a large expression must not
/// grow. The existing one is equal, so it does as well.
static bool isSmallEnough(Expr result, Expr e) {
  return (result.size() <= maxResultSize || result.size() <= e.size()) &&
         (result.depth() <= maxResultDepth || result.depth() <= e.depth());
}

/// What is known to replace a solved symbol: itself, if that is too large;
/// nullopt when nothing is known yet, or something in it was solved since.
std::optional<Reduced> Knowledge::resolved(Expr symbol) {
  auto it = resolutions.find(symbol);
  if (it == resolutions.end())
    return std::nullopt;
  Resolution &entry = it->second;
  if (entry.numSolved == numSolved || entry.value.expr == symbol)
    return entry.value;
  if (llvm::any_of(entry.value.expr.symbols(),
                   [&](Expr other) { return isReplaced(other); }))
    return std::nullopt;
  entry.numSolved = numSolved;
  return entry.value;
}

/// Whether the symbol is solved for something that may take its place.
bool Knowledge::isReplaced(Expr symbol) {
  if (!solved.contains(symbol))
    return false;
  auto it = resolutions.find(symbol);
  return it == resolutions.end() || it->second.value.expr != symbol;
}

// Definitions form a DAG (`eliminate` sees to it), whose depth is the length of
// a chain of equalities; so this walks it with a stack of its own. What was
// found before some symbols were solved is continued from there.
Reduced Knowledge::resolveSymbol(Expr symbol) {
  SmallVector<Expr, 8> stack{symbol};
  while (!stack.empty()) {
    Expr top = stack.back();
    if (resolved(top)) {
      stack.pop_back();
      continue;
    }
    auto before = resolutions.find(top);
    Reduced definition = before == resolutions.end() ? solved.find(top)->second
                                                     : before->second.value;
    SmallVector<Expr> symbols = definition.expr.symbols();
    bool isReady = true;
    for (Expr other : symbols)
      if (solved.contains(other) && !resolved(other)) {
        stack.push_back(other);
        isReady = false;
      }
    if (!isReady)
      continue;
    ++steps;
    Expr value = arena.substitute(definition.expr, [&](Expr other) -> Expr {
      if (!solved.contains(other))
        return {};
      Reduced known = *resolved(other);
      definition.why = reasons.both(definition.why, known.why);
      return known.expr;
    });
    remember(top, isSmallEnough(value, top) ? Reduced{value, definition.why}
                                            : Reduced{top, 0});
    stack.pop_back();
  }
  return *resolved(symbol);
}

Reduced Knowledge::substituteSolved(Expr e) {
  Why why = 0;
  if (solved.empty())
    return {e, 0};
  if (llvm::none_of(e.symbols(), [&](Expr s) { return isReplaced(s); }))
    return {e, 0};
  Expr result = arena.substitute(e, [&](Expr symbol) -> Expr {
    if (!solved.contains(symbol))
      return {};
    Reduced value = resolveSymbol(symbol);
    why = reasons.both(why, value.why);
    return value.expr;
  });
  return isSmallEnough(result, e) ? Reduced{result, why} : Reduced{e, 0};
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

// min(p, ..) <= p and p <= max(p, ..): p stands for either side.
bool Knowledge::isBelow(Expr a, Expr b, Why &why) {
  SmallVector<Expr, 4> below{a}, above{b};
  if (Atom atom = a.asAtom(); atom && atom.kind() == AtomKind::Min)
    below.append(atom.operands().begin(), atom.operands().end());
  if (Atom atom = b.asAtom(); atom && atom.kind() == AtomKind::Max)
    above.append(atom.operands().begin(), atom.operands().end());
  for (Expr low : below)
    for (Expr high : above) {
      if (Why used = 0; ruleForAtLeastZero(high - low, used)) {
        why = reasons.both(why, used);
        return true;
      }
    }
  return false;
}

/// A term that all operands have comes out: min(a + c, b + c) is min(a, b) +
/// c.
Expr Knowledge::takeShared(SmallVectorImpl<Expr> &operands) {
  SmallVector<Expr::Term, 4> shared;
  for (const Expr::Term &term : operands[0].terms())
    if (!term.powers.empty() && llvm::all_of(operands, [&](Expr operand) {
          return llvm::any_of(operand.terms(), [&](const Expr::Term &other) {
            return other.coefficient == term.coefficient &&
                   ArrayRef(other.powers) == ArrayRef(term.powers);
          });
        }))
      shared.push_back(term);
  Expr sum = arena.fromTerms(std::move(shared));
  for (Expr &operand : operands)
    operand = operand - sum;
  return sum;
}

// min(k*a, k*b) is k*min(a, b) for k >= 0, and k*max(a, b) for k <= 0; the same
// with min and max swapped. Here k is what divides every term of the operands,
// less those of its atoms whose sign is not known.
Expr Knowledge::takeFactor(SmallVectorImpl<Expr> &operands, bool &isMin,
                           Why &why) {
  DynamicAPInt content(0);
  SmallVector<std::pair<Atom, unsigned>, 4> powers;
  bool isFirst = true, isNegative = true;
  for (Expr operand : operands) {
    for (const Expr::Term &term : operand.terms())
      content = gcd(content, abs(term.coefficient));
    if (operand.terms().empty())
      continue;
    isNegative &= operand.terms()[0].coefficient < 0;
    Expr common = commonMonomial(operand);
    ArrayRef<std::pair<Atom, unsigned>> factors;
    if (!common.isConstant())
      factors = common.terms()[0].powers;
    if (isFirst)
      powers.assign(factors.begin(), factors.end());
    isFirst = false;
    for (auto &[atom, power] : powers) {
      unsigned other = 0;
      for (auto [candidate, candidatePower] : factors)
        if (candidate == atom)
          other = candidatePower;
      power = std::min(power, other);
    }
  }
  Expr factor = arena.constant(isNegative ? -content : content);
  isMin ^= isNegative;
  for (auto [atom, power] : powers) {
    Expr base = atom.asExpr();
    Bound sign = bounds(base);
    bool isPositive = sign.range.isAtLeast(0);
    bool isBelow = sign.range.isAtMost(0);
    if (!isPositive && !isBelow) // its square is not negative
      power -= power % 2;
    else if (power % 2 == 1)
      why = reasons.both(why, isPositive ? sign.lo : sign.hi);
    if (power % 2 == 1 && !isPositive)
      isMin = !isMin;
    factor = factor * arena.pow(base, power);
  }
  if (!factor.isConstant(1))
    for (Expr &operand : operands)
      operand = divideExactly(operand, factor);
  return factor;
}

// min(a, b) + max(a, b) == a + b: if one expression has both, min stays.
Expr Knowledge::pairMinMax(Expr e) {
  Atom greatest = findFactor(e, [&](Atom atom) {
    return atom.kind() == AtomKind::Max && atom.operands().size() == 2 &&
           findFactor(e, [&](Atom other) {
             return other.kind() == AtomKind::Min &&
                    other.operands() == atom.operands();
           });
  });
  if (!greatest)
    return e;
  ArrayRef<Expr> operands = greatest.operands();
  Expr value = operands[0] + operands[1] - arena.min(operands);
  return arena.replaceAtoms(
      e, [&](Atom atom) { return atom == greatest ? value : atom.asExpr(); });
}

/// Drops operands that another one makes irrelevant, and takes out what all of
/// them share.
Reduced Knowledge::decideMinMax(Atom atom) {
  bool isMin = atom.kind() == AtomKind::Min;
  SmallVector<Expr, 4> kept(atom.operands().begin(), atom.operands().end());
  Why why = 0;
  if (kept.size() > 16)
    return {atom.asExpr(), 0};
  for (size_t i = 0; i < kept.size();) {
    bool dropped = false;
    for (size_t j = 0; j < kept.size() && !dropped; ++j) {
      if (i == j)
        continue;
      dropped = isMin ? isBelow(kept[j], kept[i], why)
                      : isBelow(kept[i], kept[j], why);
    }
    if (dropped)
      kept.erase(kept.begin() + i);
    else
      ++i;
  }
  if (kept.size() == 1)
    return {kept[0], why};
  Expr shared = takeShared(kept);
  Expr factor = takeFactor(kept, isMin, why);
  Expr rest = isMin ? arena.min(kept) : arena.max(kept);
  return {shared + factor * rest, why};
}

Reduced Knowledge::decideAtom(Atom atom) {
  switch (atom.kind()) {
  case AtomKind::Symbol:
  case AtomKind::Named:
    return {atom.asExpr(), 0};
  case AtomKind::FloorDiv:
    return decideFloorDiv(atom);
  case AtomKind::Min:
  case AtomKind::Max:
    return decideMinMax(atom);
  case AtomKind::Bc:
    break;
  }
  // The list ends with the first operand that cannot be 1.
  Why why = 0;
  for (auto [i, operand] : llvm::enumerate(atom.operands().drop_back()))
    if (isExcluded(operand - 1, why))
      return {arena.bc(atom.operands().take_front(i + 1)), why};
  return {atom.asExpr(), 0};
}

Reduced Knowledge::reduceAtom(Atom atom) {
  Expr self = atom.asExpr();
  auto known = solved.find(self);
  if (known != solved.end() && atom.kind() != AtomKind::Symbol)
    return known->second;
  Bound bound = atomBound(atom, 1);
  if (bound.range.isSingle())
    return {arena.constant(*bound.range.min), reasons.both(bound.lo, bound.hi)};
  if (atom.kind() == AtomKind::Symbol || atom.depth() > maxReducedDepth)
    return {self, 0};
  Why why = 0;
  SmallVector<Expr, 2> operands;
  for (Expr operand : atom.operands()) {
    Reduced reduced = reduce(operand);
    operands.push_back(reduced.expr);
    why = reasons.both(why, reduced.why);
  }
  if (ArrayRef<Expr>(operands) != atom.operands())
    return {arena.makeAtom(atom, operands), why};
  return decideAtom(atom);
}

//===----------------------------------------------------------------------===//
// Whole expressions
//===----------------------------------------------------------------------===//

/// Rewrites one monomial by an equality that was solved for a factor of it.
Reduced Knowledge::applyRules(Expr e) {
  if (rules.empty())
    return {e, 0};
  for (const Expr::Term &term : e.terms())
    for (auto [atom, power] : term.powers) {
      auto it = rules.find(atom);
      if (it == rules.end())
        continue;
      Expr whole = arena.fromTerm(term);
      for (Expr left : it->second)
        if (Expr factor = divideExactly(whole, left)) {
          const Reduced &value = solved.find(left)->second;
          return {e - whole + factor * value.expr, value.why};
        }
    }
  return {e, 0};
}

Reduced Knowledge::reduceOnce(Expr e) {
  ++steps;
  Reduced result = substituteSolved(e);
  llvm::SmallDenseMap<Atom, Expr, 4> replaced;
  result.expr = arena.replaceAtoms(result.expr, [&](Atom atom) {
    if (auto it = replaced.find(atom); it != replaced.end())
      return it->second;
    Reduced value = reduceAtom(atom);
    if (value.expr != atom.asExpr())
      result.why = reasons.both(result.why, value.why);
    return replaced[atom] = value.expr;
  });
  Reduced rewritten = applyRules(pairMinMax(result.expr));
  return {rewritten.expr, reasons.both(result.why, rewritten.why)};
}

// Rules for atoms and monomials may feed one another; a question gets so many
// rounds in all, and whatever is reached then is still equal.
Reduced Knowledge::reduce(Expr e) {
  if (e.isConstant())
    return {e, 0};
  auto it = reduceCache.find(e);
  if (it != reduceCache.end())
    return it->second;
  if (reduceNesting == 0)
    roundsLeft = maxRoundsInAll;
  if (reduceNesting >= maxReducedDepth)
    return {e, 0};
  ++reduceNesting;
  Reduced result{e, 0};
  for (unsigned round = 0; round < maxRounds && roundsLeft; ++round) {
    --roundsLeft;
    Reduced next = reduceOnce(result.expr);
    if (next.expr == result.expr || !isSmallEnough(next.expr, e))
      break;
    result = {next.expr, reasons.both(result.why, next.why)};
  }
  --reduceNesting;
  reduceCache[e] = result;
  noteRead(e);
  return result;
}

// With q = floor(a / b), b != 0 and b | a, b*q = a: so b*C*q + R is C*a + R.
bool Knowledge::cancelDivisor(Reduced &e, Atom q) {
  Expr a = q.operands()[0], b = q.operands()[1];
  LinearSplit split = splitLinear(e.expr, q);
  Expr cofactor = split.cofactor ? divideExactly(split.cofactor, b) : Expr();
  Why why = e.why;
  if (!cofactor || !isExcluded(b, why) ||
      dividesSymbolic(b, a, why) != Verdict::Yes)
    return false;
  e = {cofactor * a + split.rest, why};
  return true;
}

// With q = floor(a / d), a literal d >= 1 and a = r mod d known, d*q = a - r.
// So for e = C*q + R, d*e = C*(a - r) + d*R; d >= 1 keeps the sign of e.
Reduced Knowledge::multiplyOutDivisions(Expr e) {
  Reduced result{e, 0};
  llvm::SmallDenseSet<Atom, 4> tried;
  for (unsigned round = 0; round < 8; ++round) {
    Atom q = findFactor(result.expr, [&](Atom atom) {
      return atom.kind() == AtomKind::FloorDiv && !tried.contains(atom);
    });
    if (!q)
      break;
    tried.insert(q);
    std::optional<DynamicAPInt> d = q.operands()[1].asConstant();
    if (!d) {
      cancelDivisor(result, q);
      continue;
    }
    if (*d <= 0)
      continue;
    auto [known, why] = residue(q.operands()[0]);
    if (known.modulus != 0 && mod(known.modulus, *d) != 0)
      continue;
    LinearSplit split = splitLinear(result.expr, q);
    if (!split.cofactor)
      continue;
    Expr exact = q.operands()[0] - arena.constant(mod(known.remainder, *d));
    result.expr = split.cofactor * exact + split.rest * arena.constant(*d);
    result.why = reasons.both(result.why, why);
  }
  return result;
}
