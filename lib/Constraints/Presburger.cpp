//===- Presburger.cpp - Emptiness of linear systems -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bridge to MLIR's Presburger library: what is left of a system goes to the
// simplex, then, where it is small, to the search for an integer solution.
//
//===----------------------------------------------------------------------===//

#include "LinearSystem.h"
#include "Tableau.h"
#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;
namespace presburger = mlir::presburger;

namespace {
/// What may be handed over. Counted, so that answers repeat.
struct SystemLimits {
  unsigned columns, rows;
};
} // namespace
static constexpr SystemLimits rationalLimits = {72, 240};
static constexpr SystemLimits integerLimits = {10, 48};
/// What the library's own search over integers gets: its steps are not counted.
static constexpr SystemLimits latticeLimits = {3, 24};
// Rows of larger numbers are left out, so that a bound that is far away does
// not lose what holds without it.
static constexpr unsigned maxRationalBits = 128, maxIntegerBits = 16;
/// Branches on a column whose value is not an integer, per system.
static constexpr unsigned maxBranches = 24;

static unsigned bitsOfRow(ArrayRef<DynamicAPInt> values) {
  unsigned bits = 0;
  for (const DynamicAPInt &value : values)
    bits = std::max(bits, bitsOf(value));
  return bits;
}

/// What is left, with columns of one value replaced by it; empty if it is
/// beyond the budget.
struct LinearSolver::Core {
  std::vector<unsigned> columns;
  std::optional<Tableau> tableau;
  bool isWithin = false; ///< of the budget
  Why why = 0;           ///< of all rows

  llvm::DenseMap<unsigned, unsigned> position;

  Core(LinearSolver &solver, const Columns &kept) {
    const LinearSystem &system = solver.system;
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
    SmallVector<unsigned> ordered(kept.begin(), kept.end());
    llvm::sort(ordered);
    for (unsigned column : ordered)
      place(column);
    size_t numRows = llvm::count(solver.alive, true);
    for (unsigned column : columns) {
      const Range &range = system.columns[column].range;
      numRows += range.min.has_value() + range.max.has_value();
    }
    solver.budget.take(numRows);
    if (columns.size() > rationalLimits.columns ||
        numRows > rationalLimits.rows || solver.budget.isOver())
      return;
    isWithin = true;
    tableau.emplace(columns.size(), solver.reasons, solver.budget);
    for (unsigned row = 0; row < system.rows.size(); ++row)
      if (solver.alive[row])
        add(solver, system.rows[row]);
    for (unsigned column : columns) {
      const Bound &bound = system.columns[column];
      if (bound.range.min)
        add(solver,
            {{{column, DynamicAPInt(1)}}, -*bound.range.min, false, bound.lo});
      if (bound.range.max)
        add(solver,
            {{{column, DynamicAPInt(-1)}}, *bound.range.max, false, bound.hi});
    }
  }

  /// The row over `columns`.
  DenseRow dense(LinearSolver &solver, const LinearRow &row) const {
    DenseRow result;
    result.values.resize(columns.size() + 1);
    result.values.back() = row.constant;
    result.isEquality = row.isEquality;
    result.why = row.why;
    for (const auto &[column, coefficient] : row.terms) {
      auto it = position.find(column);
      if (it != position.end()) {
        result.values[it->second] = coefficient;
        continue;
      }
      const Bound &bound = solver.system.columns[column];
      result.values.back() += coefficient * *bound.range.min;
      result.why = solver.reasons.both(result.why,
                                       solver.reasons.both(bound.lo, bound.hi));
    }
    result.bits = bitsOfRow(result.values);
    return result;
  }

  void add(LinearSolver &solver, const LinearRow &row) {
    DenseRow made = dense(solver, row);
    if (made.bits > maxRationalBits)
      return;
    why = solver.reasons.both(why, made.why);
    tableau->add(std::move(made));
  }
};

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

namespace {
/// Inequalities over integers that have a solution iff given rows have one.
class Lattice {
public:
  using Vector = SmallVector<DynamicAPInt, 16>;
  Lattice(unsigned numColumns, const std::deque<DenseRow> &rows)
      : isLive(numColumns, true) {
    for (const DenseRow &row : rows)
      (row.isEquality ? equalities : inequalities).push_back(row.values);
  }
  /// False when the equalities have no solution in integers.
  bool eliminateEqualities();
  presburger::IntegerRelation relation();
  bool isComplete = true; ///< whether no row was left out

private:
  bool solve(Vector equality);
  void replace(Vector &row, unsigned column, const Vector &value) const;

  std::vector<Vector> equalities, inequalities;
  std::vector<bool> isLive;
};
} // namespace

/// The row with the column replaced by a sum of columns and a constant.
void Lattice::replace(Vector &row, unsigned column, const Vector &value) const {
  DynamicAPInt factor = row[column];
  if (factor == 0)
    return;
  row[column] = DynamicAPInt(0);
  for (unsigned i = 0; i < row.size(); ++i)
    row[i] += factor * value[i];
}

// Let c be the smallest coefficient, of x. With x' = x + sum q_i*x_i, q_i =
// floor(c_i / c), the equality has c of x' and c_i mod c of x_i, and x is an
// integer iff x' is; so x' takes the place of x. The coefficients other than c
// are now smaller, so this ends, with |c| == 1, where x' is a sum of the others
// and goes; or with one column, whose coefficient must divide the constant.
bool Lattice::solve(Vector equality) {
  while (true) {
    std::optional<unsigned> best;
    DynamicAPInt divisor(0);
    for (unsigned i = 0; i < isLive.size(); ++i) {
      divisor = gcd(divisor, abs(equality[i]));
      if (equality[i] != 0 &&
          (!best || abs(equality[i]) < abs(equality[*best])))
        best = i;
    }
    if (!best)
      return equality.back() == 0;
    if (mod(equality.back(), divisor) != 0)
      return false;
    for (DynamicAPInt &value : equality)
      value = value / divisor;
    DynamicAPInt least = equality[*best];
    bool isUnit = abs(least) == 1;
    Vector value(equality.size());
    for (unsigned i = 0; i < value.size(); ++i)
      if (i != *best)
        value[i] = isUnit ? -least * equality[i]
                   : i + 1 == value.size()
                       ? DynamicAPInt(0)
                       : -(least > 0 ? floorDiv(equality[i], least)
                                     : floorDiv(-equality[i], -least));
    if (isUnit)
      isLive[*best] = false;
    else
      value[*best] = DynamicAPInt(1);
    for (std::vector<Vector> *rows : {&equalities, &inequalities})
      for (Vector &row : *rows)
        replace(row, *best, value);
    if (isUnit)
      return true;
    replace(equality, *best, value);
  }
}

bool Lattice::eliminateEqualities() {
  while (!equalities.empty()) {
    Vector equality = std::move(equalities.back());
    equalities.pop_back();
    if (!solve(std::move(equality)))
      return false;
  }
  return true;
}

/// What is left, rounded as in LinearSolver::normalise.
presburger::IntegerRelation Lattice::relation() {
  unsigned count = llvm::count(isLive, true);
  presburger::IntegerRelation result(
      presburger::PresburgerSpace::getSetSpace(count));
  for (const Vector &row : inequalities) {
    Vector dense;
    for (unsigned i = 0; i < isLive.size(); ++i)
      if (isLive[i])
        dense.push_back(row[i]);
    dense.push_back(row.back());
    result.addInequality(dense); // divides by the gcd, and rounds
    unsigned last = result.getNumInequalities() - 1;
    if (bitsOfRow(result.getInequality(last)) > maxIntegerBits) {
      result.removeInequality(last);
      isComplete = false;
    }
  }
  result.removeTrivialRedundancy();
  return result;
}

/// Each column of a solution is an integer: on one side of any fraction.
static Emptiness branch(presburger::Simplex &simplex, unsigned &branchesLeft,
                        SolverBudget &budget) {
  budget.take(simplex.getNumConstraints());
  if (simplex.isEmpty())
    return Emptiness::Empty;
  auto sample = simplex.getRationalSample();
  if (!sample)
    return Emptiness::NotShown;
  auto *fraction = llvm::find_if(*sample, [](const presburger::Fraction &f) {
    return mod(f.num, f.den) != 0;
  });
  if (fraction == sample->end())
    return Emptiness::NotShown;
  if (branchesLeft == 0 || budget.isOver())
    return Emptiness::TooLarge;
  --branchesLeft;
  DynamicAPInt below = floorDiv(fraction->num, fraction->den);
  SmallVector<DynamicAPInt, 16> side(sample->size() + 1);
  for (bool isBelow : {true, false}) {
    side[fraction - sample->begin()] = DynamicAPInt(isBelow ? -1 : 1);
    side.back() = isBelow ? below : -below - 1;
    presburger::SimplexRollbackScopeExit restore(simplex);
    simplex.addInequality(side);
    Emptiness result = branch(simplex, branchesLeft, budget);
    if (result != Emptiness::Empty)
      return result;
  }
  return Emptiness::Empty;
}

static bool isWithin(const presburger::IntegerRelation &relation,
                     const SystemLimits &limits) {
  return relation.getNumVars() <= limits.columns &&
         relation.getNumConstraints() <= limits.rows;
}

/// Whether a system with rational solutions has none in integers.
static Emptiness checkIntegers(unsigned numColumns,
                               const std::deque<DenseRow> &rows,
                               SolverBudget &budget) {
  Lattice lattice(numColumns, rows);
  if (!lattice.eliminateEqualities())
    return Emptiness::Empty;
  presburger::IntegerRelation relation = lattice.relation();
  if (relation.isObviouslyEmpty())
    return Emptiness::Empty;
  if (!isWithin(relation, integerLimits))
    return Emptiness::TooLarge;
  presburger::Simplex simplex(relation);
  unsigned branchesLeft = maxBranches;
  Emptiness result = branch(simplex, branchesLeft, budget);
  if (result == Emptiness::TooLarge && isWithin(relation, latticeLimits))
    result = relation.isIntegerEmpty() ? Emptiness::Empty : Emptiness::NotShown;
  return result == Emptiness::NotShown && !lattice.isComplete
             ? Emptiness::TooLarge
             : result;
}

Emptiness LinearSolver::check(bool overIntegers) {
  presolve({});
  if (isEmpty)
    return Emptiness::Empty;
  if (!llvm::is_contained(alive, true))
    return Emptiness::NotShown;
  Core core(*this, {});
  if (!core.isWithin)
    return Emptiness::TooLarge;
  Emptiness emptiness = core.tableau->check();
  if (emptiness == Emptiness::Empty)
    why = core.tableau->why();
  if (emptiness != Emptiness::NotShown || !overIntegers ||
      core.tableau->isSolvedByIntegers())
    return emptiness;
  why = core.why;
  return checkIntegers(core.columns.size(), core.tableau->getRows(), budget);
}

// One tableau serves all choices: the rows of a case are added, and taken back.
Emptiness LinearSolver::checkCases(
    ArrayRef<CaseSplit> splits,
    llvm::function_ref<Emptiness(ArrayRef<unsigned>)> excludes) {
  Columns kept;
  for (const CaseSplit &split : splits)
    for (const LinearCase &rows : split)
      for (const LinearRow &row : rows)
        for (const auto &[column, coefficient] : row.terms)
          kept.insert(column);
  presolve(kept);
  if (isEmpty)
    return Emptiness::Empty;
  Core core(*this, kept);
  if (!core.isWithin)
    return Emptiness::TooLarge;
  Tableau &tableau = *core.tableau;
  SmallVector<unsigned, 8> choice;
  std::function<Emptiness()> search = [&]() -> Emptiness {
    Emptiness emptiness = tableau.check();
    if (emptiness == Emptiness::Empty)
      why = reasons.both(why, tableau.why());
    if (emptiness != Emptiness::NotShown)
      return emptiness;
    if (choice.size() == splits.size())
      return excludes(choice);
    const CaseSplit &split = splits[choice.size()];
    for (unsigned i = 0; i < split.size(); ++i) {
      Tableau::Mark mark = tableau.mark();
      for (const LinearRow &row : split[i])
        tableau.add(core.dense(*this, row));
      choice.push_back(i);
      Emptiness result = search();
      choice.pop_back();
      tableau.restore(mark);
      if (result != Emptiness::Empty)
        return result;
    }
    return Emptiness::Empty;
  };
  return search();
}

Bound LinearSolver::boundsOf(unsigned column) {
  presolve({column});
  if (isEmpty)
    return {Range::between(1, 0), why, why};
  Bound result = system.columns[column];
  if (!llvm::is_contained(alive, true) || result.range.isSingle())
    return result;
  Core core(*this, {column});
  if (!core.isWithin)
    return result;
  Tableau &tableau = *core.tableau;
  Emptiness emptiness = tableau.check();
  if (emptiness == Emptiness::Empty)
    return {Range::between(1, 0), tableau.why(), tableau.why()};
  if (emptiness == Emptiness::TooLarge)
    return result;
  unsigned index = core.position.lookup(column);
  auto least = tableau.optimum(index, /*isGreatest=*/false);
  if (least) {
    DynamicAPInt end = ceilDiv(least->num, least->den);
    if (!result.range.min || end > *result.range.min) {
      result.range.min = end;
      result.lo = tableau.why();
    }
  }
  auto greatest = tableau.optimum(index, /*isGreatest=*/true);
  if (greatest) {
    DynamicAPInt end = floorDiv(greatest->num, greatest->den);
    if (!result.range.max || end < *result.range.max) {
      result.range.max = end;
      result.hi = tableau.why();
    }
  }
  return result;
}
