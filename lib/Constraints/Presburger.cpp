//===- Presburger.cpp - Emptiness of linear systems ---------------------===//
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
#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;
namespace presburger = mlir::presburger;

namespace {
/// What may be handed over. Counted, so that answers repeat.
struct Budget {
  unsigned columns, rows, bits;
};
} // namespace
static constexpr Budget rationalBudget = {72, 240, 128};
static constexpr Budget integerBudget = {14, 48, 40};

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
