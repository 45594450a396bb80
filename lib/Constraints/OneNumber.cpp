//===- OneNumber.cpp - Conditions on one number, as classes ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OneNumber.h.
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/OneNumber.h"
#include "Repeats.h"
#include "symshape/Expr/Integers.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir::symshape;
using llvm::ArrayRef;
using llvm::DynamicAPInt;
using llvm::SmallVector;

/// Longer conditions are not tried.
static constexpr unsigned largestSize = 200;

//===----------------------------------------------------------------------===//
// Saying it
//===----------------------------------------------------------------------===//

/// Whether it is said with quotients, or with the least or largest of several.
static bool hasAtoms(const Formula &f) {
  auto isPlain = [](Expr e) {
    return llvm::all_of(e.terms(), [](const Expr::Term &term) {
      return llvm::all_of(term.powers, [](const auto &power) {
        return power.first.kind() == AtomKind::Symbol;
      });
    });
  };
  if (f.isLiteral())
    return !isPlain(f.relation.lhs) || !isPlain(f.relation.rhs);
  return llvm::any_of(f.parts, hasAtoms);
}

static unsigned lengthOf(const Formula &f) {
  if (f.isLiteral())
    return f.relation.lhs.size() + f.relation.rhs.size();
  unsigned size = 0;
  for (const Formula &part : f.parts)
    size += lengthOf(part);
  return size;
}

/// First and last numbers of the runs of what holds, below `end`.
static SmallVector<std::pair<int64_t, int64_t>>
findRuns(int64_t end, llvm::function_ref<bool(int64_t)> holds) {
  SmallVector<std::pair<int64_t, int64_t>> runs;
  for (int64_t n = 0; n < end; ++n) {
    if (!holds(n))
      continue;
    if (runs.empty() || runs.back().second != n - 1)
      runs.push_back({n, n});
    else
      runs.back().second = n;
  }
  return runs;
}

static Formula between(Expr n, int64_t first, int64_t last) {
  ExprArena &arena = n.arena();
  if (first == last)
    return Relation::eq(n, arena.constant(first));
  Formula below = Relation::le(n, arena.constant(last));
  return first ? Formula::conj(Relation::le(arena.constant(first), n), below)
               : below;
}

/// Those residues that `isIn` says.
static std::optional<Formula> sayResidues(Expr n, int64_t period,
                                          ArrayRef<char> isIn) {
  ExprArena &arena = n.arena();
  auto runs = findRuns(period, [&](int64_t k) { return isIn[k]; });
  if (runs.size() > 1 && runs.front().first == 0 &&
      runs.back().second == period - 1) { // one run, through 0
    runs.front().first = runs.pop_back_val().first - period;
  }
  if (runs.size() > 3)
    return std::nullopt;
  Formula any = Formula::truth(false);
  for (auto [first, last] : runs)
    any = Formula::disj(
        any, first == 0 && last == 0
                 ? Relation::divides(arena.constant(period), n)
                 : Relation::le(arena.mod(n - first, arena.constant(period)),
                                arena.constant(last - first)));
  return any;
}

/// The truth of a condition at 0, 1, ...: `holds` up to `from + period`, from
/// where on it repeats.
namespace {
struct Truth {
  std::vector<char> holds;
  int64_t from, period;
};
} // namespace

static std::optional<Truth> findTruth(const Formula &f) {
  std::optional<Repeat> repeat = findRepeat(f);
  if (!repeat || repeat->from > largestPeriod || repeat->period > largestPeriod)
    return std::nullopt;
  Truth truth{{}, repeat->from, repeat->period};
  for (int64_t n = 0; n < truth.from + truth.period; ++n) {
    auto value = f.evaluate([&](Expr) { return DynamicAPInt(n); });
    if (!value)
      return std::nullopt;
    truth.holds.push_back(*value);
  }
  // The shortest period, and the first number from which on it repeats.
  auto repeatsAfter = [&](int64_t shorter) {
    for (int64_t k = 0; k < truth.period; ++k)
      if (truth.holds[truth.from + k] !=
          truth.holds[truth.from + (k + shorter) % truth.period])
        return false;
    return true;
  };
  int64_t shortest = 1;
  while (truth.period % shortest || !repeatsAfter(shortest))
    ++shortest;
  truth.period = shortest;
  while (truth.from > 0 &&
         truth.holds[truth.from - 1] == truth.holds[truth.from - 1 + shortest])
    --truth.from;
  return truth;
}

/// Intervals, of which the last one may have no end.
static std::optional<Formula> sayIntervals(Expr n, const Truth &truth) {
  auto runs = findRuns(truth.from, [&](int64_t k) { return truth.holds[k]; });
  bool isOpen = truth.holds[truth.from];
  if (runs.size() + isOpen > 2 || runs.size() + isOpen == 0 ||
      (isOpen && truth.from == 0))
    return std::nullopt;
  Formula any = Formula::truth(false);
  for (auto [first, last] : runs)
    any = Formula::disj(any, between(n, first, last));
  if (isOpen)
    any = Formula::disj(any, Relation::le(n.arena().constant(truth.from), n));
  return any;
}

std::optional<Formula> mlir::symshape::sayByClasses(const Formula &f) {
  SmallVector<Expr, 4> symbols = f.symbols();
  if (symbols.size() != 1 || !hasAtoms(f) || lengthOf(f) > largestSize ||
      readResidueSet(f))
    return std::nullopt;
  std::optional<Truth> truth = findTruth(f);
  if (!truth)
    return std::nullopt;
  Expr n = symbols.front();
  if (truth->period == 1)
    return sayIntervals(n, *truth);
  std::vector<char> isIn(truth->period);
  for (int64_t k = truth->from; k < truth->from + truth->period; ++k)
    isIn[k % truth->period] = truth->holds[k];
  std::optional<Formula> said = sayResidues(n, truth->period, isIn);
  if (!said)
    return std::nullopt;
  // What is left out before `from` are the first of the class, or nothing.
  auto isOfClass = [&](int64_t k) { return isIn[k % truth->period] != 0; };
  auto lost = findRuns(
      truth->from, [&](int64_t k) { return isOfClass(k) && !truth->holds[k]; });
  auto more = findRuns(
      truth->from, [&](int64_t k) { return !isOfClass(k) && truth->holds[k]; });
  if (more.size() > 2)
    return std::nullopt;
  if (!lost.empty()) {
    int64_t least = lost.back().second + 1;
    for (int64_t k = 0; k < least; ++k)
      if (isOfClass(k) && truth->holds[k])
        return std::nullopt;
    said = Formula::conj(Relation::le(n.arena().constant(least), n), *said);
  }
  for (auto [first, last] : more)
    said = Formula::disj(*said, between(n, first, last));
  return said;
}

//===----------------------------------------------------------------------===//
// What others imply
//===----------------------------------------------------------------------===//

std::vector<unsigned>
mlir::symshape::minimiseOfOneNumber(ArrayRef<Formula> conditions) {
  constexpr size_t mostTried = 1 << 16; // of all conditions together
  size_t numTried = 0;
  bool isRounded = llvm::any_of(conditions, hasAtoms);
  std::vector<unsigned> kept, told;
  std::vector<std::optional<Truth>> truths;
  Repeat all{0, 1};
  for (auto [i, f] : llvm::enumerate(conditions)) {
    bool isShort =
        isRounded && lengthOf(f) <= largestSize && numTried < mostTried;
    truths.push_back(isShort ? findTruth(f) : std::nullopt);
    const std::optional<Truth> &truth = truths.back();
    int64_t period = truth ? std::lcm(all.period, truth->period) : 0;
    numTried += truth ? truth->holds.size() : 0;
    if (!truth || period > largestPeriod) {
      kept.push_back(i);
      continue;
    }
    all = {std::max(all.from, truth->from), period};
    told.push_back(i);
  }
  auto holdsAt = [&](unsigned i, int64_t n) {
    const Truth &truth = *truths[i];
    if (n >= truth.from)
      n = truth.from + (n - truth.from) % truth.period;
    return truth.holds[n] != 0;
  };
  for (size_t i = 0; i < told.size();) {
    std::vector<unsigned> others = told;
    others.erase(others.begin() + i);
    bool isImplied = true;
    for (int64_t n = 0; isImplied && n < all.from + all.period; ++n)
      isImplied =
          holdsAt(told[i], n) || llvm::any_of(others, [&](unsigned other) {
            return !holdsAt(other, n);
          });
    if (isImplied)
      told = std::move(others);
    else
      ++i;
  }
  llvm::append_range(kept, told);
  llvm::sort(kept);
  return kept;
}

//===----------------------------------------------------------------------===//
// Reading it
//===----------------------------------------------------------------------===//

std::optional<ResidueRun> mlir::symshape::readResidueRun(const Formula &f) {
  if (!f.isLiteral() || f.relation.kind != Relation::Le ||
      !f.relation.rhs.isConstant())
    return std::nullopt;
  for (const Expr::Term &term : f.relation.lhs.terms()) {
    std::optional<int64_t> modulus = tryInt64(-term.coefficient);
    if (term.powers.size() != 1 || term.powers[0].second != 1 ||
        term.powers[0].first.kind() != AtomKind::FloorDiv || !modulus)
      continue;
    ArrayRef<Expr> operands = term.powers[0].first.operands();
    std::optional<int64_t> most = f.relation.rhs.asInt64();
    if (*modulus > 1 && operands[1].isConstant(*modulus) && most &&
        *most >= 0 && *most < *modulus - 1 &&
        f.relation.lhs.arena().mod(operands[0], operands[1]) == f.relation.lhs)
      return ResidueRun{operands[0], *modulus, *most};
  }
  return std::nullopt;
}

/// n + s, as the symbol and s.
static std::optional<std::pair<Expr, int64_t>> readShifted(Expr e) {
  SmallVector<Expr, 4> symbols = e.symbols();
  if (symbols.size() != 1)
    return std::nullopt;
  std::optional<int64_t> shift = (e - symbols.front()).asInt64();
  if (!shift)
    return std::nullopt;
  return std::pair(symbols.front(), *shift);
}

std::optional<ResidueSet> mlir::symshape::readResidueSet(const Formula &f) {
  Expr dividend;
  int64_t modulus, most = 0;
  if (f.kind == Formula::Or) {
    std::optional<ResidueSet> all;
    for (const Formula &part : f.parts) {
      std::optional<ResidueSet> one = readResidueSet(part);
      if (!one ||
          (all && (one->symbol != all->symbol || one->modulus != all->modulus)))
        return std::nullopt;
      if (all)
        one->residues.append(all->residues);
      all = one;
    }
    llvm::sort(all->residues);
    all->residues.erase(llvm::unique(all->residues), all->residues.end());
    return all;
  }
  if (std::optional<ResidueRun> run = readResidueRun(f)) {
    std::tie(dividend, modulus, most) =
        std::tuple(run->dividend, run->modulus, run->most);
  } else if (f.isLiteral() && !f.negated &&
             f.relation.kind == Relation::Divides &&
             f.relation.lhs.asInt64().value_or(0) > 1) {
    std::tie(dividend, modulus) =
        std::pair(f.relation.rhs, *f.relation.lhs.asInt64());
  } else {
    return std::nullopt;
  }
  auto shifted = readShifted(dividend);
  if (!shifted || modulus > largestPeriod)
    return std::nullopt;
  ResidueSet set{shifted->first, modulus, {}};
  for (int64_t k = 0; k <= most; ++k)
    set.residues.push_back(((k - shifted->second) % modulus + modulus) %
                           modulus);
  llvm::sort(set.residues);
  return set;
}
