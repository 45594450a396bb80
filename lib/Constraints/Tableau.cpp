//===- Tableau.cpp - Rational solutions of linear rows --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that no solution of the others violates are implied by those, so that
// answers are as if all rows had entered. Each round enters a row: the number
// of rounds is at most that of rows.
//
//===----------------------------------------------------------------------===//

#include "Tableau.h"
#include "symshape/Expr/Integers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::symshape;
using mlir::presburger::Fraction;
using mlir::presburger::Simplex;

unsigned mlir::symshape::bitsOf(DynamicAPInt value) {
  unsigned count = 0;
  std::optional<int64_t> small;
  for (; !(small = tryInt64(value)); count += 56)
    value = value / DynamicAPInt(int64_t(1) << 56);
  uint64_t size = *small < 0 ? 0 - uint64_t(*small) : uint64_t(*small);
  return count + llvm::alignTo(llvm::bit_width(size), 8);
}

void Tableau::add(DenseRow row) {
  rows.push_back(std::move(row));
  isEntered.push_back(false);
}

/// The cost of pivots that take as long as one visit of a row.
static constexpr uint64_t costOfStep = 64;

/// False when that would cost too much.
bool Tableau::enter(unsigned index, unsigned bits) {
  uint64_t size = simplex.getNumConstraints() + 1;
  uint64_t cost = size * simplex.getNumVariables() * bits;
  budget.take(size + cost / costOfStep);
  if (cost > budget.left || budget.isOver()) {
    budget.left = 0;
    return false;
  }
  budget.left -= cost;
  const DenseRow &row = rows[index];
  if (row.isEquality)
    simplex.addEquality(row.values);
  else
    simplex.addInequality(row.values);
  isEntered[index] = true;
  entered.push_back(index);
  return true;
}

void Tableau::restore(const Mark &mark) {
  simplex.rollback(mark.snapshot);
  for (; entered.size() > mark.entered; entered.pop_back())
    isEntered[entered.back()] = false;
  rows.resize(mark.rows);
  isEntered.resize(mark.rows);
}

Why Tableau::why() const {
  Why result = 0;
  for (unsigned row : entered)
    result = reasons.both(result, rows[row].why);
  return result;
}

/// The current solution over one denominator, which is the last number.
SmallVector<DynamicAPInt, 16> Tableau::solution() const {
  auto sample = *simplex.getRationalSample();
  DynamicAPInt denominator(1);
  for (const Fraction &value : sample)
    denominator = lcm(denominator, value.den);
  SmallVector<DynamicAPInt, 16> scaled;
  for (const Fraction &value : sample)
    scaled.push_back(value.num * (denominator / value.den));
  scaled.push_back(denominator);
  return scaled;
}

/// Rows of larger numbers say that something is not very far away.
static constexpr unsigned maxNearBits = 16;

/// The row that `solution` violates most, of those with the smallest numbers;
/// nullopt if it satisfies all.
// So a bound that is far away, and what is made with it, costs nothing where
// the other rows are enough.
std::optional<unsigned>
Tableau::nextViolated(ArrayRef<DynamicAPInt> solution) const {
  std::optional<unsigned> worst;
  DynamicAPInt least(0);
  unsigned worstBits = 0;
  for (unsigned i = 0; i < rows.size(); ++i) {
    unsigned bits = std::max(rows[i].bits, maxNearBits);
    if (isEntered[i] || (worst && bits > worstBits))
      continue;
    DynamicAPInt value(0);
    for (auto [coefficient, number] : llvm::zip_equal(rows[i].values, solution))
      if (coefficient != 0)
        value += coefficient * number;
    if (rows[i].isEquality)
      value = -abs(value);
    if (value < (worst && bits == worstBits ? least : DynamicAPInt(0))) {
      least = value;
      worst = i;
      worstBits = bits;
    }
  }
  return worst;
}

Emptiness Tableau::check() {
  while (!simplex.isEmpty()) {
    SmallVector<DynamicAPInt, 16> current = solution();
    std::optional<unsigned> row = nextViolated(current);
    if (!row) {
      denominator = current.back();
      return Emptiness::NotShown;
    }
    if (!enter(*row, bitsOf(current.back())))
      return Emptiness::TooLarge;
  }
  return Emptiness::Empty;
}

// The optimum over the rows that have entered is the one over all rows if some
// solution of all rows reaches it. Otherwise the rows that exclude it enter.
std::optional<Fraction> Tableau::optimum(unsigned column, bool isGreatest) {
  SmallVector<DynamicAPInt, 16> objective(simplex.getNumVariables() + 1);
  objective[column] = DynamicAPInt(1);
  auto direction =
      isGreatest ? Simplex::Direction::Up : Simplex::Direction::Down;
  while (true) {
    auto found = simplex.computeOptimum(direction, objective);
    std::vector<unsigned> needed;
    if (found.isBounded()) {
      DenseRow reaches;
      reaches.values = objective;
      for (DynamicAPInt &value : reaches.values)
        value = value * found->den;
      reaches.values.back() = -found->num;
      reaches.isEquality = true;
      Mark before = mark();
      add(std::move(reaches));
      Emptiness emptiness = check();
      needed.assign(entered.begin() + before.entered, entered.end());
      restore(before);
      llvm::erase(needed, rows.size()); // the row made here
      if (emptiness != Emptiness::Empty)
        return emptiness == Emptiness::NotShown ? std::optional(*found)
                                                : std::nullopt;
    } else {
      for (unsigned i = 0; i < rows.size(); ++i)
        if (!isEntered[i])
          needed.push_back(i);
      if (needed.empty())
        return std::nullopt;
    }
    unsigned bits = bitsOf(solution().back());
    for (unsigned row : needed)
      if (!enter(row, bits))
        return std::nullopt;
  }
}
