//===- SliceBounds.cpp - Overlapping slices, equal slices -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Overlap and equivalence of hyper-rectangular slices, of any strides.
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/ValueBounds.h"
#include "symshape/Constraints/Formula.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// The elements `offset + k*stride`, 0 <= k < size, of one dimension.
struct Progression {
  Expr offset, size, stride;

  Expr at(Expr k) const { return offset + k * stride; }
  Formula isEmpty() const { return Relation::le(size, size.arena().zero()); }
};
} // namespace

static SmallVector<Progression> dimsOf(FunctionShapes &shapes,
                                       const SliceBox &box) {
  SmallVector<Progression> dims;
  for (auto [offset, size, stride] :
       llvm::zip_equal(box.offsets, box.sizes, box.strides))
    dims.push_back(
        {offset.expr(shapes), size.expr(shapes), stride.expr(shapes)});
  return dims;
}

/// Whether no element is in both: with k and l any positions in the two, their
/// elements differ.
static bool areDisjoint(ConstraintSet &facts, const Progression &a,
                        const Progression &b) {
  ExprArena &arena = facts.arena();
  Expr k = arena.freshSymbol("%k"), l = arena.freshSymbol("%l");
  facts.push();
  for (auto [position, dim] : {std::pair(k, &a), std::pair(l, &b)}) {
    facts.declare(position, {symshape::Range::atLeast(0), {}, {}});
    facts.assume(Relation::lt(position, dim->size));
  }
  bool result = facts.isProvably(Relation::ne(a.at(k), b.at(l)));
  facts.pop();
  return result;
}

// With positive strides s and t, and d = b.offset - a.offset known, k*s - l*t
// == d has solutions iff g = gcd(s, t) divides d. They are (k0, l0) + n*(t/g,
// s/g), so the least with k, l >= 0 is least in both: it is in both slices if
// any is.
static std::optional<std::pair<int64_t, int64_t>>
leastMeeting(int64_t s, int64_t t, int64_t d) {
  int64_t g = std::gcd(s, t);
  if (d % g != 0)
    return std::nullopt;
  // k is determined mod t/g; small enough to try them all.
  constexpr int64_t maxTried = 4096;
  for (int64_t k = 0; k < std::min(t / g, maxTried); ++k)
    if ((k * s - d) % t == 0) {
      int64_t l = (k * s - d) / t, step = s / g;
      int64_t rounds = l < 0 ? (-l + step - 1) / step : 0;
      return std::pair(k + rounds * (t / g), l + rounds * step);
    }
  return std::nullopt;
}

/// Strides and distances beyond this are not tried.
static constexpr int64_t maxConstant = int64_t(1) << 31;

/// A position in each at which the two may have the same element.
static SmallVector<std::pair<Expr, Expr>>
candidates(ConstraintSet &facts, const Progression &a, const Progression &b) {
  ExprArena &arena = facts.arena();
  Expr zero = arena.zero(), lastA = a.size - 1, lastB = b.size - 1;
  SmallVector<std::pair<Expr, Expr>> result;
  // Where an end of one lies in the other.
  for (auto [k, e] : {std::pair(zero, a.offset), {lastA, a.at(lastA)}})
    result.push_back({k, arena.floorDiv(e - b.offset, b.stride)});
  for (auto [l, e] : {std::pair(zero, b.offset), {lastB, b.at(lastB)}})
    result.push_back({arena.floorDiv(e - a.offset, a.stride), l});
  symshape::Range distance = facts.bounds(b.offset - a.offset);
  std::optional<int64_t> s = a.stride.asInt64(), t = b.stride.asInt64();
  auto isSmall = [](int64_t v) { return v > 0 && v < maxConstant; };
  if (distance.isSingle() && s && t && isSmall(*s) && isSmall(*t) &&
      distance.min > -maxConstant && *distance.min < maxConstant)
    if (auto meeting = leastMeeting(*s, *t, int64_t(*distance.min)))
      result.push_back(
          {arena.constant(meeting->first), arena.constant(meeting->second)});
  return result;
}

/// Whether an element is in both: a pair of positions is shown to be in range,
/// and to have the same element.
static bool doMeet(ConstraintSet &facts, const Progression &a,
                   const Progression &b) {
  Expr zero = facts.arena().zero();
  auto isIn = [&](Expr position, const Progression &dim) {
    return facts.isProvably(Relation::ge(position, zero)) &&
           facts.isProvably(Relation::lt(position, dim.size));
  };
  return llvm::any_of(candidates(facts, a, b), [&](const auto &pair) {
    auto [k, l] = pair;
    return isIn(k, a) && isIn(l, b) &&
           facts.isProvably(Relation::eq(a.at(k), b.at(l)));
  });
}

// A slice is the product of its dimensions, so two slices share an element iff
// they do in each dimension: one disjoint dimension, or one that is empty, is
// enough for No.
Answer ValueBounds::overlap(Operation *place, const SliceBox &a,
                            const SliceBox &b) {
  SmallVector<Progression> dimsA = dimsOf(shapes, a), dimsB = dimsOf(shapes, b);
  ConstraintSet &facts = cursor.before(place);
  Answer answer{Verdict::Yes, {}, "a shared element in each dimension"};
  for (auto [d, pair] : llvm::enumerate(llvm::zip_equal(dimsA, dimsB))) {
    auto &[one, other] = pair;
    std::string name = "dimension " + std::to_string(d);
    for (const Progression *dim : {&one, &other})
      if (prove(facts, dim->isEmpty()).isYes())
        return {Verdict::No, {}, "empty in " + name};
    if (areDisjoint(facts, one, other))
      return {Verdict::No, {}, "disjoint in " + name};
    if (answer.isYes() && !doMeet(facts, one, other))
      answer = {Verdict::Unknown, {}, "no shared element found in " + name};
  }
  return answer;
}

// Slices of the same sizes are the same where they are empty, or where each
// dimension starts at the same element and, if it has a second one, goes on to
// the same.
Answer ValueBounds::equivalent(Operation *place, const SliceBox &a,
                               const SliceBox &b) {
  SmallVector<Progression> dimsA = dimsOf(shapes, a), dimsB = dimsOf(shapes, b);
  Formula sameSizes = Formula::truth(true), sameElements = sameSizes,
          isEmpty = Formula::truth(false);
  for (auto [one, other] : llvm::zip_equal(dimsA, dimsB)) {
    sameSizes = Formula::conj(sameSizes, Relation::eq(one.size, other.size));
    isEmpty = Formula::disj(isEmpty, one.isEmpty());
    Formula isOne = Relation::le(one.size, one.size.arena().one());
    sameElements = Formula::conj(
        sameElements,
        Formula::conj(
            Relation::eq(one.offset, other.offset),
            Formula::disj(isOne, Relation::eq(one.stride, other.stride))));
  }
  return prove(cursor.before(place),
               Formula::conj(sameSizes, Formula::disj(isEmpty, sameElements)));
}
