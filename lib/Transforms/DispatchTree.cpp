//===- DispatchTree.cpp - The tests that choose a version -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each inner node tests a part of the condition of the preferred version
// among those still possible, the part that most of them share; or, if many
// of them each want one value of an expression, which half of these values it
// is in.
//
//===----------------------------------------------------------------------===//

#include "VersionChoice.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::symshape;

/// The least number of values of one expression that are halved.
static constexpr size_t minValuesToHalve = 4;

namespace {
/// A version that may still be chosen, and the undecided part of its
/// condition.
struct Candidate {
  size_t version;
  SmallVector<Formula> open;

  bool wants(const Formula &test) const {
    return llvm::is_contained(open, test);
  }
};

class TreeBuilder {
public:
  TreeBuilder(FunctionShapes &shapes, size_t numVersions)
      : arena(shapes.arena()), facts(shapes.entryFacts()),
        numVersions(numVersions) {}

  std::unique_ptr<DispatchNode> build(SmallVector<Candidate> candidates);

private:
  void removeDecided(SmallVector<Candidate> &candidates);
  std::optional<Relation> findHalf(ArrayRef<Candidate> candidates);
  std::unique_ptr<DispatchNode> branch(const Formula &test,
                                       SmallVector<Candidate> yes,
                                       SmallVector<Candidate> no);

  ExprArena &arena;
  ConstraintSet &facts;
  size_t numVersions;
};
} // namespace

/// The value that a part of a condition wants of an expression.
static std::optional<std::pair<Expr, llvm::DynamicAPInt>>
matchValue(const Formula &part) {
  if (!part.isLiteral() || part.relation.kind != Relation::Eq)
    return std::nullopt;
  auto [lhs, rhs] = std::make_pair(part.relation.lhs, part.relation.rhs);
  if (lhs.isConstant())
    std::swap(lhs, rhs);
  if (!rhs.isConstant())
    return std::nullopt;
  return std::make_pair(lhs, *rhs.asConstant());
}

void TreeBuilder::removeDecided(SmallVector<Candidate> &candidates) {
  SmallVector<Candidate> left;
  for (Candidate &candidate : candidates) {
    SmallVector<Formula> open;
    bool isPossible = true;
    for (const Formula &part : candidate.open) {
      Answer answer = prove(facts, part);
      isPossible &= !answer.isNo();
      if (!answer.isYes())
        open.push_back(part);
    }
    if (!isPossible)
      continue;
    left.push_back({candidate.version, std::move(open)});
    if (left.back().open.empty())
      break; // what comes after it is not chosen
  }
  candidates = std::move(left);
}

/// `e <= m`, if the candidates want several values of e, m the middle one.
std::optional<Relation> TreeBuilder::findHalf(ArrayRef<Candidate> candidates) {
  llvm::MapVector<Expr, SmallVector<llvm::DynamicAPInt>> wanted;
  for (const Candidate &candidate : candidates)
    for (const Formula &part : candidate.open)
      if (auto value = matchValue(part))
        if (!llvm::is_contained(wanted[value->first], value->second))
          wanted[value->first].push_back(value->second);
  for (auto &[e, values] : wanted) {
    if (values.size() < minValuesToHalve)
      continue;
    llvm::sort(values);
    return Relation::le(e, arena.constant(values[values.size() / 2 - 1]));
  }
  return std::nullopt;
}

std::unique_ptr<DispatchNode> TreeBuilder::branch(const Formula &test,
                                                  SmallVector<Candidate> yes,
                                                  SmallVector<Candidate> no) {
  auto node = std::make_unique<DispatchNode>();
  node->test = test;
  facts.push();
  assume(facts, test);
  node->yes = build(std::move(yes));
  facts.pop();
  facts.push();
  assume(facts, Formula::negate(test));
  node->no = build(std::move(no));
  facts.pop();
  return node;
}

std::unique_ptr<DispatchNode>
TreeBuilder::build(SmallVector<Candidate> candidates) {
  removeDecided(candidates);
  if (candidates.empty() || candidates.front().open.empty()) {
    auto leaf = std::make_unique<DispatchNode>();
    leaf->version =
        candidates.empty() ? numVersions : candidates.front().version;
    return leaf;
  }
  SmallVector<Candidate> yes, no;
  if (std::optional<Relation> half = findHalf(candidates)) {
    for (const Candidate &candidate : candidates) {
      bool isLow = true, isHigh = true;
      for (const Formula &part : candidate.open)
        if (auto value = matchValue(part); value && value->first == half->lhs)
          (value->second <= *half->rhs.asConstant() ? isHigh : isLow) = false;
      if (isLow)
        yes.push_back(candidate);
      if (isHigh)
        no.push_back(candidate);
    }
    return branch(*half, std::move(yes), std::move(no));
  }
  auto countWanting = [&](const Formula &part) {
    return llvm::count_if(candidates,
                          [&](const Candidate &c) { return c.wants(part); });
  };
  const Formula test = *llvm::max_element(
      candidates.front().open, [&](const Formula &a, const Formula &b) {
        return countWanting(a) < countWanting(b);
      });
  for (Candidate &candidate : candidates) {
    if (!candidate.wants(test))
      no.push_back(candidate);
    llvm::erase(candidate.open, test);
    yes.push_back(std::move(candidate));
  }
  return branch(test, std::move(yes), std::move(no));
}

std::unique_ptr<DispatchNode>
mlir::symshape::buildDispatchTree(FunctionShapes &shapes,
                                  ArrayRef<Version> versions) {
  SmallVector<Candidate> candidates;
  for (auto [number, version] : llvm::enumerate(versions))
    candidates.push_back({number, version.parts});
  return TreeBuilder(shapes, versions.size()).build(std::move(candidates));
}
