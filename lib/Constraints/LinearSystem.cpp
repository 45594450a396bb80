//===- LinearSystem.cpp - Making linear systems smaller -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds are carried from row to row, and rows and columns that cannot matter
// are dropped. What is left goes to the library: Presburger.cpp.
//
//===----------------------------------------------------------------------===//

#include "LinearSystem.h"
#include "symshape/Expr/Integers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

/// Visits of one row while bounds are carried.
static constexpr unsigned maxVisitsPerRow = 6;
/// Longer bounds are not learnt: on a chain of doublings they grow from row to
/// row.
static constexpr unsigned maxBoundBits = 1024;

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
  mayBeRedundant.push_back(false);
  if (isKept) {
    queue.push_back(index);
    for (const auto &[column, coefficient] : row.terms) {
      rowsOf[column].push_back(index);
      ++numRowsOf[column];
    }
  }
  system.rows.push_back(std::move(row));
}

/// Queues the column to be looked at once more.
void LinearSolver::openColumn(unsigned column) {
  if (!isOpen[column])
    openColumns.push_back(column);
  isOpen[column] = true;
}

void LinearSolver::kill(unsigned row) {
  alive[row] = false;
  for (const auto &[column, coefficient] : system.rows[row].terms) {
    if (2 * --numRowsOf[column] <= rowsOf[column].size())
      dropDeadRows(column);
    openColumn(column);
  }
}

void LinearSolver::dropDeadRows(unsigned column) {
  llvm::erase_if(rowsOf[column], [&](unsigned row) { return !alive[row]; });
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
  if (!fitsBits(most, maxBoundBits))
    return false;
  Bound &bound = system.columns[column];
  if (factor > 0) {
    DynamicAPInt least = factor == 1 ? -most : ceilDiv(-most, factor);
    if (bound.range.min && *bound.range.min >= least)
      return false;
    Why learnt = endsWhy(system.rows[row], sign, term);
    bound.range.min = least;
    bound.lo = learnt;
  } else {
    DynamicAPInt greatest = factor == -1 ? most : floorDiv(most, -factor);
    if (bound.range.max && *bound.range.max <= greatest)
      return false;
    Why learnt = endsWhy(system.rows[row], sign, term);
    bound.range.max = greatest;
    bound.hi = learnt;
  }
  if (bound.range.isEmpty())
    contradict(reasons.both(bound.lo, bound.hi));
  queueRowsOf(column, /*isMax=*/factor < 0, row);
  return true;
}

/// After one end of the column has moved, queues the rows that draw
/// consequences from it and those that it may make redundant. An inequality is
/// one or the other.
void LinearSolver::queueRowsOf(unsigned column, bool isMax, unsigned except) {
  for (unsigned row : rowsOf[column]) {
    if (row == except || !alive[row] || isQueued[row])
      continue;
    bool draws = system.rows[row].isEquality;
    for (const auto &[other, coefficient] : system.rows[row].terms)
      if (other == column)
        draws |= (coefficient > 0) == isMax;
    if (draws) {
      isQueued[row] = true;
      queue.push_back(row);
    } else if (!mayBeRedundant[row]) {
      mayBeRedundant[row] = true;
      redundant.push_back(row);
    }
  }
}

/// Draws what sign * row >= 0 says of each column, given bounds of the others.
void LinearSolver::tighten(unsigned index, int sign) {
  const LinearRow &row = system.rows[index];
  SmallVector<DynamicAPInt, 4> parts(row.terms.size());
  DynamicAPInt most = row.constant * sign;
  std::optional<unsigned> unbounded;
  for (unsigned i = 0; i < row.terms.size(); ++i) {
    const auto &[column, coefficient] = row.terms[i];
    if (const auto &end =
            largestEnd(system.columns[column], coefficient, sign)) {
      parts[i] = coefficient * sign * *end;
      most += parts[i];
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
    learn(index, i, sign, most - parts[i]);
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

/// Sharper bounds that replace a row count as given from then on.
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
  for (size_t head = 0; head < queue.size() && !isEmpty && !budget.isOver();
       ++head) {
    unsigned row = queue[head];
    isQueued[row] = false;
    if (!alive[row] || visits[row]++ >= maxVisitsPerRow)
      continue;
    budget.take(1);
    tighten(row, 1);
    if (system.rows[row].isEquality && !isEmpty)
      tighten(row, -1);
    if (!isEmpty)
      dropIfRedundant(row);
  }
  queue.clear();
  for (unsigned row : redundant) {
    mayBeRedundant[row] = false;
    if (alive[row] && !isEmpty)
      dropIfRedundant(row);
  }
  redundant.clear();
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
  dropDeadRows(column);
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
    SmallVector<unsigned> killed(llvm::reverse(rows));
    for (unsigned row : killed)
      kill(row);
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
      openColumn(other);
  }
  return true;
}

// What is done to columns outside `kept` does not change which values the kept
// ones can take together.
void LinearSolver::presolve(const Columns &kept) {
  std::vector<LinearRow> rows = std::move(system.rows);
  system.rows.clear();
  rowsOf.resize(system.columns.size());
  numRowsOf.resize(system.columns.size());
  isOpen.assign(system.columns.size(), false);
  given = system.columns;
  for (const Bound &bound : system.columns)
    if (bound.range.isEmpty())
      return contradict(reasons.both(bound.lo, bound.hi));
  for (LinearRow &row : rows)
    addRow(std::move(row));
  for (unsigned i = system.columns.size(); i-- > 0;)
    openColumn(i);
  while (!isEmpty && (!queue.empty() || !openColumns.empty())) {
    propagate();
    if (isEmpty || openColumns.empty())
      continue;
    unsigned column = openColumns.back();
    openColumns.pop_back();
    isOpen[column] = false;
    if (!kept.contains(column))
      dropColumn(column);
  }
}
