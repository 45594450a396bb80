//===- Minimise.h - Dropping what follows from the rest ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The greedy reduction behind `minimise`. Private to Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_MINIMISE_H
#define SYMSHAPE_LIB_CONSTRAINTS_MINIMISE_H

#include "symshape/Constraints/ConstraintSet.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

namespace mlir::symshape {

/// Keeps indices [0, count) of items none of which `proves` shows from the
/// facts and the other kept ones; tries to drop the last first.
///
/// Each item must be tested with all others assumed. Halving shares those
/// assumptions: cost count * log(count) assumptions, instead of its square.
class GreedyMinimiser {
public:
  using Index = unsigned;
  using Indices = llvm::ArrayRef<Index>;
  /// `proves` also gets the items that are assumed, in order.
  using Proves = llvm::function_ref<bool(Index, Indices, Effort)>;
  GreedyMinimiser(ConstraintSet &set, llvm::function_ref<void(Index)> assume,
                  Proves proves)
      : set(set), assume(assume), proves(proves) {}

  std::vector<Index> run(Index count) {
    // Two passes, in order and back, drop what quickly turns out to follow from
    // items before; the rest costs most, and is asked again under all others.
    std::vector<Index> items(count);
    std::iota(items.begin(), items.end(), 0);
    std::vector<Index> later = dropQuickly(items);
    std::reverse(later.begin(), later.end());
    std::vector<Index> candidates = dropQuickly(later);
    std::reverse(candidates.begin(), candidates.end());
    return reduce(candidates);
  }

private:
  /// Without those that follow from earlier ones. What is dropped is assumed,
  /// too: it follows from what stays, and the next may follow from it at once,
  /// as in a chain of sums that grow.
  std::vector<Index> dropQuickly(Indices items) {
    std::vector<Index> kept;
    set.push();
    for (Index i : items) {
      if (!asks(i, kept, Effort::Quick))
        kept.push_back(i);
      if (!set.isSpent())
        assumeAll(i);
    }
    set.pop();
    return kept;
  }

  void assumeAll(Indices items) {
    Charge charge(set, set.budget());
    for (Index i : items)
      assume(i);
  }

  /// `proves`, if the budget is not used up; each costs what it takes in all
  /// tiers.
  bool asks(Index i, Indices given, Effort effort) {
    if (set.isSpent())
      return false;
    Charge charge(set, set.budget());
    return proves(i, given, effort);
  }

  /// The items of `items` that stay, given that all outside it are assumed. All
  /// of them, if the budget is used up.
  std::vector<Index> reduce(Indices items) {
    if (items.empty())
      return {};
    if (set.isSpent())
      return items.vec();
    if (items.size() == 1)
      return asks(items[0], assumed, Effort::Full) ? std::vector<Index>()
                                                   : std::vector{items[0]};
    Indices first = items.take_front(items.size() / 2);
    Indices second = items.drop_front(items.size() / 2);
    std::vector<Index> late = reduceUnder(first, second);
    std::vector<Index> kept = reduceUnder(late, first, second.size());
    kept.insert(kept.end(), late.begin(), late.end());
    return kept;
  }

  /// `added` is what stays of `numBefore`. If it is small, it is likely to
  /// imply `items`, too; those that it implies would be dropped in any case.
  std::vector<Index> reduceUnder(Indices added, Indices items,
                                 size_t numBefore = 0) {
    if (set.isSpent())
      return items.vec();
    set.push();
    assumeAll(added);
    assumed.insert(assumed.end(), added.begin(), added.end());
    std::vector<Index> open(items.begin(), items.end());
    if (2 * added.size() <= numBefore)
      llvm::erase_if(open,
                     [&](Index i) { return asks(i, assumed, Effort::Quick); });
    std::vector<Index> kept = reduce(open);
    assumed.resize(assumed.size() - added.size());
    set.pop();
    return kept;
  }

  ConstraintSet &set;
  llvm::function_ref<void(Index)> assume;
  Proves proves;
  std::vector<Index> assumed;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_MINIMISE_H
