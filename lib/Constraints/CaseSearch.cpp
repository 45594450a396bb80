//===- CaseSearch.cpp - Contradictions in every case ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CaseSearch.h.
//
//===----------------------------------------------------------------------===//

#include "CaseSearch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

/// Cases within cases, all cases of a search, and values of one expression.
static constexpr unsigned maxDepth = 7, maxNodes = 400, maxValues = 24;
/// The divisors of larger numbers are not looked for.
static constexpr int64_t maxDivided = 1'000'000;
/// What the affine tier may cost in one case.
static constexpr uint64_t stepsOfOne = 10'000;

static bool isPositive(Expr e) {
  return e.asConstant().value_or(DynamicAPInt(0)) > 0;
}

/// What is 0, not 0, not negative, or a multiple.
static Expr gapOf(const Relation &fact) {
  return fact.kind == Relation::Divides ? fact.rhs : fact.rhs - fact.lhs;
}

std::optional<SmallVector<FactId, 4>>
CaseSearch::decide(const Relation &asked, Verdict verdict, Kinds which) {
  question = asked;
  wanted = verdict;
  kinds = which;
  numNodes = 0;
  for (const Relation &fact : facts)
    for (Expr e : {gapOf(fact), k.reduce(gapOf(fact)).expr})
      for (Atom atom : atomsOf(e))
        if (atom.kind() == AtomKind::FloorDiv &&
            isPositive(atom.operands()[1]) && !quotients.contains(atom)) {
          Expr symbol = k.arena.freshSymbol("?q");
          k.declare(symbol, {Range::all()});
          quotients[atom] = symbol;
        }
  std::optional<Facts> used = close(0);
  if (!used)
    return std::nullopt;
  SmallVector<FactId, 4> ids;
  for (FactId id : *used)
    if (id < supposed)
      ids.push_back(id);
  return ids;
}

/// Asks the affine tier for at most `stepsOfOne`.
void CaseSearch::spendShare(llvm::function_ref<void()> ask) {
  StepBudget *all = k.budget;
  uint64_t given = std::min(all->left, stepsOfOne);
  StepBudget one{given};
  k.budget = &one;
  ask();
  k.budget = all;
  all->take(given - one.left);
}

/// The facts that close this case at once; nullopt if it stays open.
std::optional<CaseSearch::Facts> CaseSearch::closeAlone() {
  Why why = k.contradictionWhy;
  if (k.contradictory || k.decideQuickly(question, why) == wanted)
    return factsOf(why);
  if (k.isSpent())
    return std::nullopt;
  Verdict verdict = Verdict::Unknown;
  spendShare(
      [&] { verdict = k.decideByLinearFacts(question, Possible(), why); });
  if (verdict == wanted || refutesFacts(why))
    return factsOf(why);
  return std::nullopt;
}

/// Whether linear facts about some symbol contradict each other.
bool CaseSearch::refutesFacts(Why &why) {
  why = 0;
  bool isRefuted = false;
  spendShare([&] {
    isRefuted = llvm::any_of(symbols, [&](Expr symbol) {
      return !k.isSpent() && k.refutesFactsAround(symbol, why);
    });
  });
  return isRefuted;
}

/// The facts that close this case, or all cases in it. A case whose own
/// supposition is not among them stands for all.
std::optional<CaseSearch::Facts> CaseSearch::close(unsigned depth) {
  if (++numNodes > maxNodes)
    return std::nullopt;
  if (std::optional<Facts> used = closeAlone())
    return used;
  if (depth == maxDepth || k.isSpent())
    return std::nullopt;
  std::optional<Split> split = depth == 0 ? closerBounds() : std::nullopt;
  if (!split)
    split = bestSplit();
  if (!split)
    split = closerBounds();
  if (!split)
    return std::nullopt;
  Facts all = factsOf(split->why);
  FactId id = supposed + 1 + depth;
  for (const Case &one : split->cases) {
    auto mark = k.beginLevel();
    for (const Relation &relation : one)
      k.add(relation, id);
    std::optional<Facts> used = close(depth + 1);
    k.endLevel(mark);
    if (!used || used->count(id) == 0)
      return used;
    used->erase(id);
    all.insert(used->begin(), used->end());
  }
  return all;
}

CaseSearch::Facts CaseSearch::factsOf(Why why) const {
  SmallVector<FactId, 4> ids = k.reasons.collect(why);
  return Facts(ids.begin(), ids.end());
}

/// Keeps the one with the fewest cases, of several the first. What the question
/// does not speak of counts as more.
void CaseSearch::offer(std::optional<Split> split) {
  if (!split || split->cases.size() > maxValues)
    return;
  SmallVector<Expr, 4> asked = question.symbols();
  split->price = split->cases.size();
  if (!split->cases.empty())
    for (Expr symbol : split->cases.front().front().symbols())
      if (!llvm::is_contained(asked, symbol))
        split->price += split->cases.size();
  if (!best || split->price < best->price)
    best = std::move(split);
}

std::optional<CaseSearch::Split> CaseSearch::bestSplit() {
  best = std::nullopt;
  for (Expr symbol : symbols)
    offer(valuesOf(symbol));
  auto offerValues = [&](const Relation &fact, const Reduced &gap) {
    if (fact.kind == Relation::Eq)
      offerFactors(gap);
    for (Atom atom : atomsOf(gap.expr))
      if (atom.kind() == AtomKind::FloorDiv)
        offer(quotientsOf(atom));
  };
  for (const Relation &fact : facts) {
    Reduced reduced = k.reduce(gapOf(fact)), given = withNumbers(gapOf(fact));
    offerValues(fact, reduced);
    if (kinds == Kinds::All)
      offerOrders(fact, reduced.expr);
    if (given.expr != reduced.expr)
      offerValues(fact, given);
  }
  return std::move(best);
}

/// With the symbols replaced that are known to be numbers, but no products,
/// which an equation about them makes disappear from itself.
Reduced CaseSearch::withNumbers(Expr e) {
  Reduced result{e};
  result.expr = k.arena.substitute(e, [&](Expr symbol) {
    Reduced value = k.reduce(symbol);
    if (!value.expr.isConstant())
      return symbol;
    result.why = k.reasons.both(result.why, value.why);
    return value.expr;
  });
  return result;
}

/// Values of the factors of an equation.
void CaseSearch::offerFactors(const Reduced &equation) {
  for (const Expr::Term &term : equation.expr.terms())
    for (auto [atom, power] : term.powers)
      offer(divisorsOf(equation, atom));
}

/// Signs of factors and of what is not 0; which operand of min, max and bc is
/// taken.
void CaseSearch::offerOrders(const Relation &fact, Expr gap) {
  for (const Expr::Term &term : gap.terms())
    for (auto [atom, power] : term.powers)
      if (term.powers.size() > 1 || power > 1)
        offer(signsOf(atom.asExpr()));
  for (Atom atom : atomsOf(gap))
    if (atom.kind() == AtomKind::Min || atom.kind() == AtomKind::Max ||
        atom.kind() == AtomKind::Bc)
      offer(operandsOf(atom));
  if (fact.kind == Relation::Ne)
    offer(signsOf(gap));
}

/// What linear facts together say of it.
Bound CaseSearch::closerBound(Expr e) {
  Bound bound = k.bounds(e);
  spendShare([&] { bound = k.boundsByLinearFacts(e, bound); });
  return bound;
}

/// One case, with what linear facts together say of symbols beyond what each
/// does; nullopt if that is nothing.
std::optional<CaseSearch::Split> CaseSearch::closerBounds() {
  Split split;
  split.cases.emplace_back();
  auto add = [&](const Relation &relation, Why why) {
    split.cases.front().push_back(relation);
    split.why = k.reasons.both(split.why, why);
  };
  for (Expr symbol : symbols) {
    Reduced reduced = k.reduce(symbol);
    Bound known = k.bounds(reduced.expr), closer = closerBound(reduced.expr);
    if (closer.range.min != known.range.min)
      add(Relation::le(k.arena.constant(*closer.range.min), reduced.expr),
          k.reasons.both(reduced.why, closer.lo));
    if (closer.range.max != known.range.max)
      add(Relation::le(reduced.expr, k.arena.constant(*closer.range.max)),
          k.reasons.both(reduced.why, closer.hi));
  }
  // x*c + rest with x >= l and c <= u, or c >= u: (x - l)*(u - c) has a sign.
  Reduced gap = k.reduce(gapOf(question));
  for (Atom atom : atomsOf(gap.expr)) {
    Expr x = atom.asExpr(), cofactor = splitLinear(gap.expr, atom).cofactor;
    if (!cofactor || cofactor.terms().size() < 2)
      continue;
    Bound known = k.bounds(x), closer = closerBound(cofactor);
    for (bool isUpper : {false, true}) {
      const auto &end = isUpper ? closer.range.max : closer.range.min;
      if (!known.range.min || !end)
        continue;
      Expr product = (x - k.arena.constant(*known.range.min)) *
                     (cofactor - k.arena.constant(*end));
      add(Relation::le(k.arena.zero(), isUpper ? -product : product),
          k.reasons.both(known.lo, isUpper ? closer.hi : closer.lo));
    }
  }
  if (split.cases.front().empty())
    return std::nullopt;
  return split;
}

/// The values between its bounds that are in its residue class, if these are
/// few.
std::optional<CaseSearch::Split> CaseSearch::valuesOf(Expr e) {
  Reduced reduced = k.reduce(e);
  if (reduced.expr.isConstant())
    return std::nullopt;
  Bound bound = k.bounds(reduced.expr);
  auto [residue, residueWhy] = k.residue(reduced.expr);
  Range range = alignTo(bound.range, residue);
  if (residue.modulus == 0 || !range.min || !range.max ||
      *range.max - *range.min > residue.modulus * maxValues)
    return std::nullopt;
  Split split;
  for (DynamicAPInt value = *range.min; value <= *range.max;
       value += residue.modulus)
    split.cases.push_back(
        {Relation::eq(reduced.expr, k.arena.constant(value))});
  if (split.cases.size() < 2)
    return std::nullopt;
  split.why = k.reasons.both(k.reasons.both(reduced.why, residueWhy),
                             k.reasons.both(bound.lo, bound.hi));
  return split;
}

// Once a quotient is a number, its atom is gone, and with it what rules know of
// it: floor(a / b) == v is v*b <= a <= v*b + b - 1 for b >= 1.
std::optional<CaseSearch::Split> CaseSearch::quotientsOf(Atom quotient) {
  std::optional<Split> split = valuesOf(quotient.asExpr());
  Expr dividend = quotient.operands()[0], divisor = quotient.operands()[1];
  if (!split)
    return remaindersOf(quotient);
  if (!k.provesNonNegative(divisor - 1, split->why))
    return split;
  for (Case &one : split->cases) {
    Expr multiple = one.front().rhs * divisor;
    one.push_back(Relation::le(multiple, dividend));
    one.push_back(Relation::lt(dividend, multiple + divisor));
  }
  return split;
}

/// Its dividend is its divisor times the quotient, for which a symbol stands,
/// and a remainder: as no symbol is replaced by what mentions
/// it.
std::optional<CaseSearch::Split> CaseSearch::remaindersOf(Atom quotient) {
  Expr dividend = quotient.operands()[0], divisor = quotient.operands()[1];
  std::optional<DynamicAPInt> number = divisor.asConstant();
  Expr symbol = quotients.lookup(quotient);
  if (!symbol || *number > maxValues)
    return std::nullopt;
  Expr known = k.reduce(dividend).expr;
  if (known.isConstant() || mentions(known, symbol.asAtom()))
    return std::nullopt;
  Split split;
  for (DynamicAPInt rest(0); rest < *number; ++rest)
    split.cases.push_back(
        {Relation::eq(dividend, divisor * symbol + k.arena.constant(rest))});
  return split;
}

/// q and n with rest == q*divisor + n for numbers q and n.
static std::optional<std::pair<DynamicAPInt, DynamicAPInt>>
divideByExpr(Expr rest, Expr divisor) {
  ExprArena &arena = rest.arena();
  const Expr::Term &first = divisor.terms().front();
  DynamicAPInt quotient(0);
  for (const Expr::Term &term : rest.terms())
    if (term.powers == first.powers &&
        mod(term.coefficient, abs(first.coefficient)) == 0)
      quotient = term.coefficient / first.coefficient;
  Expr left = rest - divisor * arena.constant(quotient);
  if (std::optional<DynamicAPInt> number = left.asConstant())
    return std::pair(quotient, *number);
  return std::nullopt;
}

/// The constant term, if all other terms have the factor.
static std::optional<DynamicAPInt> constantBeside(Expr e, Atom factor) {
  DynamicAPInt constant(0);
  for (const Expr::Term &term : e.terms())
    if (term.powers.empty())
      constant = term.coefficient;
    else if (llvm::none_of(term.powers,
                           [&](auto one) { return one.first == factor; }))
      return std::nullopt;
  return constant;
}

// factor*c + rest == 0 with rest == q*c + n is (factor + q)*c == -n: one of the
// two is 0 if n is, else both divide n. Of a polynomial without a constant
// cofactor, a factor of all other terms divides the constant one.
std::optional<CaseSearch::Split> CaseSearch::divisorsOf(const Reduced &equation,
                                                        Atom factor) {
  auto [cofactor, rest] = splitLinear(equation.expr, factor);
  if (cofactor && cofactor.isConstant())
    return std::nullopt;
  std::optional<std::pair<DynamicAPInt, DynamicAPInt>> divided;
  if (cofactor)
    divided = divideByExpr(rest, cofactor);
  else if (auto constant = constantBeside(equation.expr, factor);
           constant && *constant != 0)
    divided = {DynamicAPInt(0), *constant};
  if (!divided || abs(divided->second) > maxDivided)
    return std::nullopt;
  Expr shifted = factor.asExpr() + k.arena.constant(divided->first);
  Split split;
  auto add = [&](Expr e, const DynamicAPInt &value) {
    split.cases.push_back({Relation::eq(e, k.arena.constant(value))});
  };
  if (divided->second == 0) {
    split.why = equation.why;
    add(shifted, DynamicAPInt(0));
    add(cofactor, DynamicAPInt(0));
    return split;
  }
  Bound bound = k.bounds(shifted);
  auto [residue, residueWhy] = k.residue(shifted);
  split.why = k.reasons.both(k.reasons.both(equation.why, residueWhy),
                             k.reasons.both(bound.lo, bound.hi));
  for (int64_t divisor : positiveDivisors(int64_t(abs(divided->second))))
    for (int64_t value : {divisor, -divisor})
      if (DynamicAPInt number(value);
          bound.range.contains(number) && residue.contains(number))
        add(shifted, number);
  return split;
}

/// Below 0, 0, and above 0, as far as its bounds allow; nothing if that is
/// known.
std::optional<CaseSearch::Split> CaseSearch::signsOf(Expr e) const {
  Bound bound = k.bounds(e);
  Expr zero = k.arena.zero();
  Split split;
  if (!bound.range.isAtLeast(0))
    split.cases.push_back({Relation::lt(e, zero)});
  if (!bound.range.isAtLeast(1) && !bound.range.isAtMost(-1))
    split.cases.push_back({Relation::eq(e, zero)});
  if (!bound.range.isAtMost(0))
    split.cases.push_back({Relation::gt(e, zero)});
  if (split.cases.size() < 2)
    return std::nullopt;
  split.why = k.reasons.both(bound.lo, bound.hi);
  return split;
}

/// Which of the first two operands of min and max is the smaller one; whether
/// the first of bc is 1.
CaseSearch::Split CaseSearch::operandsOf(Atom atom) const {
  Expr first = atom.operands()[0], second = atom.operands()[1];
  if (atom.kind() == AtomKind::Bc)
    return {{{Relation::eq(first, k.arena.one())},
             {Relation::ne(first, k.arena.one())}}};
  return {{{Relation::le(first, second)}, {Relation::lt(second, first)}}};
}
