//===- Order.cpp - Chains of inequalities ---------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The difference graph: a form P - N with bounds, where P and N have positive
// coefficients only, is an edge N -> P of weight min (P >= N + min), and an
// edge P -> N of weight -max. A path from N to P of total weight w proves P - N
// >= w.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"

using namespace mlir::symshape;

/// Edges looked at per query, in both directions together.
static constexpr unsigned maxRelaxations = 4000;

namespace {
/// Label correcting from one node, breadth first: weights may be negative. Each
/// label is the weight of some path, so what it proves holds.
struct Search {
  struct Label {
    DynamicAPInt weight;
    Why why;
    bool isQueued;
  };

  Search(Expr start, bool isForward) : isForward(isForward), queue{start} {
    labels[start] = {DynamicAPInt(0), 0, true};
  }
  bool isExhausted() const { return head == queue.size(); }

  bool isForward;
  std::vector<Expr> queue;
  size_t head = 0;
  llvm::DenseMap<Expr, Label> labels;
};
} // namespace

// The search runs from both ends in turn, and fails as soon as either side has
// nothing left: so a question costs twice the smaller side. Backwards, the edge
// from the neighbour is the same form with its other end.
bool Knowledge::provesByOrder(Expr e, Why &why) {
  Form form = toForm(e);
  if (!form.primitive)
    return false;
  // form.scale * primitive + offset >= 0: a lower bound of +-primitive.
  DynamicAPInt needed = ceilDiv(-form.offset, abs(form.scale));
  Sides sides = splitSigns(form.primitive);
  if (form.scale < 0)
    std::swap(sides.positive, sides.negative);
  if (!edges.contains(sides.negative) || !edges.contains(sides.positive))
    return false;

  Search forward(sides.negative, true), backward(sides.positive, false);
  // Follows the edges of the next node; the reason once the other side is met.
  auto relax = [&](Search &search, const Search &other,
                   unsigned &budget) -> std::optional<Why> {
    Expr node = search.queue[search.head++];
    Search::Label &current = search.labels.find(node)->second;
    current.isQueued = false;
    const Search::Label label = current;
    auto incident = edges.find(node);
    if (incident == edges.end())
      return std::nullopt;
    for (const Edge &edge : incident->second) {
      if (budget == 0)
        break;
      --budget;
      ++steps;
      const Bound &bound = forms.find(edge.form)->second.bound;
      bool usesMin = edge.usesMin == search.isForward;
      const auto &end = usesMin ? bound.range.min : bound.range.max;
      if (!end)
        continue;
      DynamicAPInt weight = label.weight + (usesMin ? *end : -*end);
      auto [it, isNew] =
          search.labels.try_emplace(edge.to, Search::Label{weight, 0, false});
      Search::Label &next = it->second;
      if (!isNew && next.weight >= weight)
        continue;
      next.weight = weight;
      next.why = reasons.both(label.why, usesMin ? bound.lo : bound.hi);
      auto met = other.labels.find(edge.to);
      if (met != other.labels.end() && weight + met->second.weight >= needed)
        return reasons.both(next.why, met->second.why);
      if (!next.isQueued) {
        next.isQueued = true;
        search.queue.push_back(edge.to);
      }
    }
    return std::nullopt;
  };
  unsigned budget = maxRelaxations;
  while (budget && !forward.isExhausted() && !backward.isExhausted())
    for (Search *search : {&forward, &backward}) {
      Search &other = search == &forward ? backward : forward;
      if (std::optional<Why> found = relax(*search, other, budget)) {
        rule = "order";
        why = reasons.both(why, *found);
        return true;
      }
      if (search->isExhausted())
        break;
    }
  if (budget == 0)
    exhausted = "order";
  return false;
}
