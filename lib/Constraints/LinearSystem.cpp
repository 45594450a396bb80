//===- LinearSystem.cpp - Emptiness of linear systems ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds are carried from row to row, rows and columns that cannot matter are
// dropped, and what is left goes to the simplex, then to the search for an
// integer solution, of MLIR's Presburger library.
//
//===----------------------------------------------------------------------===//

#include "LinearSystem.h"
#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;
namespace presburger = mlir::presburger;

/// Visits of one row while bounds are carried.
static constexpr unsigned maxVisitsPerRow = 6;

namespace {
/// What may be handed over.
struct Budget {
  unsigned columns, rows, bits;
};
} // namespace
static constexpr Budget rationalBudget = {72, 240, 128};
static constexpr Budget integerBudget = {14, 48, 40};

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

// With g the gcd of the coefficients, g*s + c >= 0 iff s >= ceil(-c / g), that
// is s + floor(c / g) >= 0, since s is an integer; and g*s + c == 0 needs g to
// divide c.
bool LinearSolver::normalise(LinearRow &row) {
  DynamicAPInt divisor(0);
  for (const auto &[column, coefficient] : row.terms)
    divisor = gcd(divisor, abs(coefficient));
  if (row.terms.empty()) {
    if (row.constant < 0 || (row.isEquality && row.constant != 0))
      contradict(row.why);
    return false;
  }
  if (divisor == 1)
    return true;
  if (row.isEquality && mod(row.constant, divisor) != 0) {
    contradict(row.why);
    return false;
  }
  row.constant = floorDiv(row.constant, divisor);
  for (auto &[column, coefficient] : row.terms)
    coefficient = coefficient / divisor;
  return true;
}

void LinearSolver::addRow(LinearRow row) {
  unsigned index = system.rows.size();
  bool isKept = normalise(row);
  alive.push_back(isKept);
  visits.push_back(0);
  isQueued.push_back(isKept);
  if (isKept) {
    queue.push_back(index);
    for (const auto &[column, coefficient] : row.terms)
      rowsOf[column].push_back(index);
  }
  system.rows.push_back(std::move(row));
}

void LinearSolver::kill(unsigned row) {
  alive[row] = false;
  for (const auto &[column, coefficient] : system.rows[row].terms) {
    llvm::erase(rowsOf[column], row);
    openColumns.push_back(column);
  }
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// The end of the column that makes sign * coefficient * column largest.
static const std::optional<DynamicAPInt> &
largestEnd(const Bound &bound, const DynamicAPInt &coefficient, int sign) {
  return (coefficient > 0) == (sign > 0) ? bound.range.max : bound.range.min;
}

/// The facts behind the row and the ends that make it largest.
Why LinearSolver::endsWhy(const LinearRow &row, int sign,
                          std::optional<unsigned> except) {
  Why result = row.why;
  for (unsigned i = 0; i < row.terms.size(); ++i) {
    if (except == i)
      continue;
    const auto &[column, coefficient] = row.terms[i];
    const Bound &bound = system.columns[column];
    bool usesMax = (coefficient > 0) == (sign > 0);
    result = reasons.both(result, usesMax ? bound.hi : bound.lo);
  }
  return result;
}

// From sign*c*x + others >= 0 with others <= most: sign*c*x >= -most, and x is
// an integer, so the quotient is rounded inwards.
bool LinearSolver::learn(unsigned row, unsigned term, int sign,
                         const DynamicAPInt &most) {
  auto [column, coefficient] = system.rows[row].terms[term];
  DynamicAPInt factor = coefficient * sign;
  Bound &bound = system.columns[column];
  if (factor > 0) {
    DynamicAPInt least = ceilDiv(-most, factor);
    if (bound.range.min && *bound.range.min >= least)
      return false;
    Why learnt = endsWhy(system.rows[row], sign, term);
    bound.range.min = least;
    bound.lo = learnt;
  } else {
    DynamicAPInt greatest = floorDiv(most, -factor);
    if (bound.range.max && *bound.range.max <= greatest)
      return false;
    Why learnt = endsWhy(system.rows[row], sign, term);
    bound.range.max = greatest;
    bound.hi = learnt;
  }
  if (bound.range.isEmpty())
    contradict(reasons.both(bound.lo, bound.hi));
  for (unsigned other : rowsOf[column])
    if (other != row && !isQueued[other]) {
      isQueued[other] = true;
      queue.push_back(other);
    }
  return true;
}

/// Draws what sign * row >= 0 says of each column, given bounds of the others.
void LinearSolver::tighten(unsigned index, int sign) {
  const LinearRow &row = system.rows[index];
  auto contribution = [&](unsigned i) -> std::optional<DynamicAPInt> {
    const auto &[column, coefficient] = row.terms[i];
    const auto &end = largestEnd(system.columns[column], coefficient, sign);
    if (!end)
      return std::nullopt;
    return *end * coefficient * sign;
  };
  DynamicAPInt most = row.constant * sign;
  std::optional<unsigned> unbounded;
  for (unsigned i = 0; i < row.terms.size(); ++i) {
    std::optional<DynamicAPInt> part = contribution(i);
    if (part) {
      most += *part;
      continue;
    }
    if (unbounded)
      return;
    unbounded = i;
  }
  if (unbounded) {
    learn(index, *unbounded, sign, most);
    return;
  }
  if (most < 0)
    return contradict(endsWhy(row, sign, std::nullopt));
  // What is learnt of a column bounds its smallest part, never its largest.
  for (unsigned i = 0; i < row.terms.size() && !isEmpty; ++i)
    learn(index, i, sign, most - *contribution(i));
}

/// Whether the bounds alone imply the row.
bool LinearSolver::isRedundant(const LinearRow &row,
                               const std::vector<Bound> &bounds) const {
  DynamicAPInt least = row.constant;
  for (const auto &[column, coefficient] : row.terms) {
    const auto &end = largestEnd(bounds[column], coefficient, -1);
    if (!end)
      return false;
    least += *end * coefficient;
  }
  return least >= 0;
}

/// Sharper bounds that take the place of a row count as given from then on.
void LinearSolver::dropIfRedundant(unsigned index) {
  const LinearRow &row = system.rows[index];
  if (row.isEquality || !isRedundant(row, system.columns))
    return;
  if (!isRedundant(row, given))
    for (const auto &[column, coefficient] : row.terms) {
      const Bound &bound = system.columns[column];
      if (coefficient > 0) {
        given[column].range.min = bound.range.min;
        given[column].lo = bound.lo;
      } else {
        given[column].range.max = bound.range.max;
        given[column].hi = bound.hi;
      }
    }
  kill(index);
}

void LinearSolver::propagate() {
  for (size_t head = 0; head < queue.size() && !isEmpty; ++head) {
    unsigned row = queue[head];
    isQueued[row] = false;
    if (!alive[row] || visits[row]++ >= maxVisitsPerRow)
      continue;
    tighten(row, 1);
    if (system.rows[row].isEquality && !isEmpty)
      tighten(row, -1);
    if (!isEmpty)
      dropIfRedundant(row);
  }
  queue.clear();
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

// c*x + rest == 0 with |c| == 1 is x == -c*rest. When x occurs nowhere else, a
// solution in the other columns extends to x iff -c*rest is within the bounds
// of x: these two inequalities take the place of the row.
bool LinearSolver::dropSingleton(unsigned column, unsigned index) {
  LinearRow row = system.rows[index];
  auto *term = llvm::find_if(
      row.terms, [&](const auto &entry) { return entry.first == column; });
  if (abs(term->second) != 1)
    return false;
  DynamicAPInt scale = -term->second;
  row.terms.erase(term);
  row.isEquality = false;
  Bound bound = given[column];
  kill(index);
  for (bool usesMin : {true, false}) {
    const auto &end = usesMin ? bound.range.min : bound.range.max;
    if (!end)
      continue;
    LinearRow half = row;
    DynamicAPInt sign = usesMin ? scale : -scale;
    for (auto &[other, coefficient] : half.terms)
      coefficient = coefficient * sign;
    half.constant = row.constant * sign + (usesMin ? -*end : *end);
    half.why = reasons.both(row.why, usesMin ? bound.lo : bound.hi);
    addRow(std::move(half));
  }
  return true;
}

// Where x is in inequalities only, with coefficients of one sign, moving x in
// the direction that makes them larger keeps every solution one. Without a
// bound there, some x satisfies the rows, whatever the other columns are: the
// rows may go. Otherwise x may be taken to be at that bound: the given one,
// since the sharper one restricts x, not the rows.
bool LinearSolver::dropColumn(unsigned column) {
  ArrayRef<unsigned> rows = rowsOf[column];
  if (rows.empty() || system.columns[column].range.isSingle())
    return false;
  if (rows.size() == 1 && system.rows[rows[0]].isEquality)
    return dropSingleton(column, rows[0]);
  bool grows = true, shrinks = true;
  for (unsigned row : rows) {
    if (system.rows[row].isEquality)
      return false;
    for (const auto &[other, coefficient] : system.rows[row].terms)
      if (other == column)
        (coefficient > 0 ? shrinks : grows) = false;
  }
  if (!grows && !shrinks)
    return false;
  const auto &end = grows ? given[column].range.max : given[column].range.min;
  if (!end) {
    while (!rowsOf[column].empty())
      kill(rowsOf[column].back());
    return true;
  }
  Why endWhy = grows ? given[column].hi : given[column].lo;
  given[column] = Bound{Range::exactly(*end), endWhy, endWhy};
  system.columns[column] = given[column];
  for (unsigned row : rows) {
    if (!isQueued[row])
      queue.push_back(row);
    isQueued[row] = true;
    for (const auto &[other, coefficient] : system.rows[row].terms)
      openColumns.push_back(other);
  }
  return true;
}

void LinearSolver::presolve(std::optional<unsigned> kept) {
  std::vector<LinearRow> rows = std::move(system.rows);
  system.rows.clear();
  rowsOf.resize(system.columns.size());
  given = system.columns;
  for (const Bound &bound : system.columns)
    if (bound.range.isEmpty())
      return contradict(reasons.both(bound.lo, bound.hi));
  for (LinearRow &row : rows)
    addRow(std::move(row));
  for (unsigned i = system.columns.size(); i-- > 0;)
    openColumns.push_back(i);
  while (!isEmpty && (!queue.empty() || !openColumns.empty())) {
    propagate();
    if (isEmpty || openColumns.empty())
      continue;
    unsigned column = openColumns.back();
    openColumns.pop_back();
    if (column != kept)
      dropColumn(column);
  }
}

//===----------------------------------------------------------------------===//
// Handing over
//===----------------------------------------------------------------------===//

/// What is left, with columns of one value replaced by it.
struct LinearSolver::Core {
  presburger::IntegerRelation relation;
  std::vector<unsigned> columns;
  unsigned bits = 0;
  Why why = 0;

  explicit Core(LinearSolver &solver, std::optional<unsigned> kept)
      : relation(presburger::PresburgerSpace::getSetSpace(0)) {
    const LinearSystem &system = solver.system;
    llvm::DenseMap<unsigned, unsigned> position;
    auto place = [&](unsigned column) {
      if (system.columns[column].range.isSingle())
        return;
      if (position.try_emplace(column, columns.size()).second)
        columns.push_back(column);
    };
    for (unsigned row = 0; row < system.rows.size(); ++row)
      if (solver.alive[row])
        for (const auto &[column, coefficient] : system.rows[row].terms)
          place(column);
    if (kept)
      place(*kept);
    relation = presburger::IntegerRelation(
        presburger::PresburgerSpace::getSetSpace(columns.size()));
    for (unsigned row = 0; row < system.rows.size(); ++row)
      if (solver.alive[row])
        add(solver, system.rows[row], position);
    for (unsigned column : columns) {
      const Bound &bound = system.columns[column];
      if (bound.range.min)
        add(solver,
            {{{column, DynamicAPInt(1)}}, -*bound.range.min, false, bound.lo},
            position);
      if (bound.range.max)
        add(solver,
            {{{column, DynamicAPInt(-1)}}, *bound.range.max, false, bound.hi},
            position);
    }
  }

  void add(LinearSolver &solver, const LinearRow &row,
           const llvm::DenseMap<unsigned, unsigned> &position) {
    SmallVector<DynamicAPInt, 16> dense(columns.size() + 1);
    dense.back() = row.constant;
    why = solver.reasons.both(why, row.why);
    for (const auto &[column, coefficient] : row.terms) {
      auto it = position.find(column);
      if (it != position.end()) {
        dense[it->second] = coefficient;
        continue;
      }
      const Bound &bound = solver.system.columns[column];
      dense.back() += coefficient * *bound.range.min;
      why = solver.reasons.both(why, solver.reasons.both(bound.lo, bound.hi));
    }
    for (const DynamicAPInt &value : dense)
      bits = std::max(bits, bitsOf(value));
    if (row.isEquality)
      relation.addEquality(dense);
    else
      relation.addInequality(dense);
  }

  static unsigned bitsOf(DynamicAPInt value) {
    unsigned count = 0;
    for (value = abs(value); value != 0; value = value / DynamicAPInt(256))
      count += 8;
    return count;
  }

  bool isWithin(const Budget &budget) const {
    return columns.size() <= budget.columns &&
           relation.getNumConstraints() <= budget.rows && bits <= budget.bits;
  }
};

Emptiness LinearSolver::check(bool overIntegers) {
  presolve(std::nullopt);
  if (isEmpty)
    return Emptiness::Empty;
  if (!llvm::is_contained(alive, true))
    return Emptiness::NotShown;
  Core core(*this, std::nullopt);
  if (!core.isWithin(rationalBudget))
    return Emptiness::TooLarge;
  why = core.why;
  if (core.relation.isEmptyByGCDTest() ||
      presburger::Simplex(core.relation).isEmpty())
    return Emptiness::Empty;
  if (!overIntegers)
    return Emptiness::NotShown;
  if (!core.isWithin(integerBudget))
    return Emptiness::TooLarge;
  return core.relation.isIntegerEmpty() ? Emptiness::Empty
                                        : Emptiness::NotShown;
}

Bound LinearSolver::boundsOf(unsigned column) {
  presolve(column);
  if (isEmpty)
    return {Range::between(1, 0), why, why};
  Bound result = system.columns[column];
  if (!llvm::is_contained(alive, true) || result.range.isSingle())
    return result;
  Core core(*this, column);
  if (!core.isWithin(rationalBudget))
    return result;
  presburger::Simplex simplex(core.relation);
  if (simplex.isEmpty())
    return {Range::between(1, 0), core.why, core.why};
  SmallVector<DynamicAPInt, 16> objective(core.columns.size() + 1);
  objective[llvm::find(core.columns, column) - core.columns.begin()] =
      DynamicAPInt(1);
  auto [least, greatest] = simplex.computeIntegerBounds(objective);
  if (least.isBounded() && (!result.range.min || *least > *result.range.min)) {
    result.range.min = *least;
    result.lo = core.why;
  }
  if (greatest.isBounded() &&
      (!result.range.max || *greatest < *result.range.max)) {
    result.range.max = *greatest;
    result.hi = core.why;
  }
  return result;
}
