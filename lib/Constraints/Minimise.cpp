//===- Minimise.cpp - Which of many formulas are needed -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formulas that imply many others, and those that imply one.
//
//===----------------------------------------------------------------------===//

#include "Minimise.h"
#include "Witnesses.h"
#include "symshape/Constraints/Formula.h"
#include "symshape/Constraints/Irreducible.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir::symshape;

/// Assumed disjunctions tried again per proof, both of those that are needed in
/// any case and of the others.
static constexpr size_t maxDisjunctions = 64;

/// Whether `f` follows from those of `all` whose numbers are in `assumed`. A
/// set holds no disjunctions: they are used again when a part of `f` is to
/// be proved under the negation of the others, which may leave one
/// alternative.
static bool follows(ConstraintSet &set, const Formula &f,
                    llvm::ArrayRef<Formula> all,
                    llvm::ArrayRef<unsigned> assumed) {
  if (prove(set, f).isYes())
    return true;
  if (f.kind != Formula::Or)
    return false;
  for (const Formula &part : f.parts) {
    set.push();
    for (const Formula &other : f.parts)
      if (!(other == part))
        assume(set, Formula::negate(other));
    for (unsigned other :
         assumed.take_back(std::min(2 * maxDisjunctions, assumed.size())))
      if (all[other].kind == Formula::Or)
        assume(set, all[other]);
    bool holds = prove(set, part).isYes();
    set.pop();
    if (holds)
      return true;
  }
  return false;
}

/// Indices without those of relations that repeat an earlier one.
static std::vector<unsigned> withoutRepeated(llvm::ArrayRef<Formula> formulas) {
  llvm::DenseSet<std::pair<unsigned, std::pair<Expr, Expr>>> seen;
  std::vector<unsigned> indices;
  for (auto [i, f] : llvm::enumerate(formulas)) {
    const Relation &r = f.relation;
    if (!f.isLiteral() || f.negated ||
        seen.insert({r.kind, {r.lhs, r.rhs}}).second)
      indices.push_back(i);
  }
  return indices;
}

// Formulas that values show to be needed are assumed once, for all questions
// about the rest: so only the rest costs proofs.
std::vector<unsigned>
mlir::symshape::minimise(ConstraintSet &set, llvm::ArrayRef<Formula> required) {
  std::vector<unsigned> indices = withoutRepeated(required);
  std::vector<Formula> formulas;
  for (unsigned i : indices)
    formulas.push_back(required[i]);
  Witnesses witnesses(set, formulas);
  std::vector<unsigned> kept, open, needed;
  for (auto [position, i] : llvm::enumerate(indices))
    (witnesses.isNeeded(position) ? needed : open).push_back(i);
  set.push();
  for (unsigned i : needed) {
    assume(set, required[i]);
    if (required[i].kind == Formula::Or)
      kept.push_back(i);
  }
  if (kept.size() > maxDisjunctions)
    kept.erase(kept.begin(), kept.end() - maxDisjunctions);
  auto assumeOne = [&](unsigned i) { assume(set, required[open[i]]); };
  auto proves = [&](unsigned i, llvm::ArrayRef<unsigned> assumed,
                    Effort effort) {
    const Formula &f = required[open[i]];
    if (effort == Effort::Quick && f.isLiteral() && !f.negated)
      return set.prove(f.relation, effort).isYes();
    std::vector<unsigned> all = kept;
    for (unsigned other :
         assumed.take_back(std::min(maxDisjunctions, assumed.size())))
      all.push_back(open[other]);
    return follows(set, f, required, all);
  };
  for (unsigned i : GreedyMinimiser(set, assumeOne, proves).run(open.size()))
    needed.push_back(open[i]);
  set.pop();
  llvm::sort(needed);
  return needed;
}

/// Of `given`, those whose facts a proof of `f` uses, and disjunctions, which
/// are not facts of a set.
static std::vector<unsigned> usedBy(ConstraintSet &set, const Formula &f,
                                    llvm::ArrayRef<Formula> given) {
  std::vector<unsigned> used;
  set.push();
  std::vector<size_t> firsts;
  for (const Formula &one : given) {
    firsts.push_back(set.numFacts());
    assume(set, one);
  }
  firsts.push_back(set.numFacts());
  Answer answer = prove(set, f);
  set.pop();
  for (unsigned i = 0; i < given.size(); ++i)
    if (given[i].kind == Formula::Or ||
        llvm::any_of(answer.facts, [&](FactId id) {
          return id >= firsts[i] && id < firsts[i + 1];
        }))
      used.push_back(i);
  return used;
}

std::vector<unsigned> mlir::symshape::certify(ConstraintSet &set,
                                              llvm::ArrayRef<Formula> given,
                                              const Formula &f) {
  auto holds = [&](llvm::ArrayRef<unsigned> indices) {
    set.push();
    for (unsigned i : indices)
      assume(set, given[i]);
    bool result = follows(set, f, given, indices);
    set.pop();
    return result;
  };
  std::vector<unsigned> all(given.size());
  std::iota(all.begin(), all.end(), 0);
  if (holds({}))
    return {};
  for (const std::vector<unsigned> &from : {usedBy(set, f, given), all})
    if (std::vector<unsigned> kept = irreducible(from, holds); !kept.empty())
      return kept;
  return all;
}
