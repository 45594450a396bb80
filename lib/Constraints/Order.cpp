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
// Facts as given are edges, too, if they differ from their forms: the reduced
// form may have lost its shape, as with `x == min(y + 1, z)`, where x is
// replaced by a min of ever more operands. So are differences of two symbols
// that follow from a fact by itself.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

/// Least number of edges looked at per search, both directions together.
static constexpr unsigned minRelaxations = 400;
/// Terms of a fact that becomes differences.
static constexpr size_t maxDifferenceTerms = 4;

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

/// Enters an edge at both of its ends; `edge` has no node yet.
void Knowledge::connect(Expr from, Expr to, Edge edge) {
  edge.node = to;
  successors[from].push_back(edge);
  edge.node = from;
  predecessors[to].push_back(std::move(edge));
  undo([this, from, to] {
    successors[from].pop_back();
    predecessors[to].pop_back();
  });
}

/// Makes edges of the ends of a form's bound, each once: they are looked up in
/// the form. Only an existing end makes an edge, so that a node of many forms
/// has only edges that lead on.
void Knowledge::addEdges(Expr primitive, FormInfo &info) {
  if (primitive.terms().size() < 2)
    return;
  bool isMin = info.bound.range.min && !info.isMinEdge;
  bool isMax = info.bound.range.max && !info.isMaxEdge;
  if (!isMin && !isMax)
    return;
  Sides sides = splitSigns(primitive);
  if (sides.negative.terms().empty())
    return;
  auto edge = [&](bool usesMin) {
    return Edge{Expr(), primitive, usesMin, DynamicAPInt(0), 0};
  };
  if (isMin)
    connect(sides.negative, sides.positive, edge(/*usesMin=*/true));
  if (isMax)
    connect(sides.positive, sides.negative, edge(/*usesMin=*/false));
  info.isMinEdge |= isMin;
  info.isMaxEdge |= isMax;
}

/// An edge of its own: difference >= 0.
void Knowledge::addEdge(Expr difference, Why why) {
  Form form = toForm(difference);
  if (!form.primitive || form.primitive.terms().size() < 2)
    return;
  Sides sides = splitSigns(form.primitive);
  if (form.scale < 0)
    std::swap(sides.positive, sides.negative);
  if (sides.negative.terms().empty() || sides.positive.terms().empty())
    return;
  DynamicAPInt weight = ceilDiv(-form.offset, abs(form.scale));
  connect(sides.negative, sides.positive,
          {Expr(), Expr(), true, std::move(weight), why});
}

// With e = s*(a - b) + rest >= 0 for s >= 1 and rest <= u: a - b >= -u / s,
// rounded up.
void Knowledge::addDifferences(Expr e, Why why) {
  if (e.terms().size() > maxDifferenceTerms + 1)
    return;
  for (const Expr::Term &up : e.terms())
    for (const Expr::Term &down : e.terms()) {
      if (up.coefficient < 0 || down.coefficient > 0 || up.powers.empty() ||
          down.powers.empty())
        continue;
      DynamicAPInt scale = std::min(up.coefficient, -down.coefficient);
      Expr difference =
          monomial(arena, up.powers) - monomial(arena, down.powers);
      Expr rest = e - difference * arena.constant(scale);
      Bound bound = bounds(rest, 0);
      if (rest.isConstant() || !bound.range.max)
        continue;
      addEdge(difference + arena.constant(floorDiv(*bound.range.max, scale)),
              reasons.both(why, bound.hi));
    }
}

// With e = c*t + rest >= 0 and t <= u for c > 0, or t >= u for c < 0,
// c*u + rest >= 0. Here t is min, max, or a quotient a floordiv d with a >= 0
// and d >= 1, which is at most a.
void Knowledge::addOrderOfAtoms(Expr e, Why why) {
  for (const Expr::Term &term : e.terms()) {
    if (term.powers.size() != 1 || term.powers[0].second != 1)
      continue;
    Atom atom = term.powers[0].first;
    ArrayRef<Expr> operands = atom.operands();
    Why used = why;
    if (term.coefficient > 0 && atom.kind() == AtomKind::FloorDiv) {
      std::optional<DynamicAPInt> d = operands[1].asConstant();
      Bound dividend = bounds(operands[0], 0);
      if (!d || *d < 1 || !dividend.range.isAtLeast(0))
        continue;
      operands = operands.take_front();
      used = reasons.both(used, dividend.lo);
    } else if (atom.kind() !=
               (term.coefficient > 0 ? AtomKind::Min : AtomKind::Max)) {
      continue;
    }
    for (Expr operand : operands) {
      Expr above =
          e + (operand - atom.asExpr()) * arena.constant(term.coefficient);
      addEdge(above, used);
      addDifferences(above, used);
    }
  }
}

/// Edges of a fact as given, e >= 0.
void Knowledge::addOrder(Expr e, Why why) {
  if (contradictory || e.terms().size() > maxDifferenceTerms + 1)
    return;
  Form form = toForm(e);
  if (!form.primitive || form.primitive.terms().size() < 2)
    return;
  bool isOfSymbols = llvm::all_of(e.terms(), [](const Expr::Term &term) {
    return llvm::all_of(term.powers, [](auto power) {
      return power.first.kind() == AtomKind::Symbol;
    });
  });
  if (!isOfSymbols)
    return addOrderOfAtoms(e, why);
  if (!forms.contains(form.primitive))
    addEdge(e, why);
  addDifferences(e, why);
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// Label correcting from one node, breadth first: weights may be negative. Each
/// label is the weight of some path, so it is a proof.
struct Knowledge::OrderSearch {
  using Graph = llvm::DenseMap<Expr, std::vector<Edge>>;
  struct Label {
    DynamicAPInt weight;
    Why why;
    bool isQueued;
  };

  OrderSearch(Expr start, const Graph &graph) : graph(graph), queue{start} {
    labels[start] = {DynamicAPInt(0), 0, true};
  }

  /// Goes on to the next node, if all edges of this one are followed; false
  /// when there is none.
  bool advance() {
    while (edges.empty()) {
      if (head == queue.size())
        return false;
      Expr node = queue[head++];
      Label &label = labels.find(node)->second;
      label.isQueued = false;
      current = label;
      auto incident = graph.find(node);
      if (incident != graph.end())
        edges = incident->second;
    }
    return true;
  }

  const Graph &graph;
  std::vector<Expr> queue;
  size_t head = 0;
  Label current;
  ArrayRef<Edge> edges; ///< of the current node, to be followed
  llvm::DenseMap<Expr, Label> labels;
};

// The search runs from both ends, edge by edge in turn, and fails as soon as
// either side has nothing left: so a question costs twice the smaller side.
bool Knowledge::provesByOrder(Expr e, Why &why) {
  Form form = toForm(e);
  if (!form.primitive)
    return false;
  // form.scale * primitive + offset >= 0: a lower bound of +-primitive.
  DynamicAPInt needed = ceilDiv(-form.offset, abs(form.scale));
  Sides sides = splitSigns(form.primitive);
  if (form.scale < 0)
    std::swap(sides.positive, sides.negative);
  if (!successors.contains(sides.negative) ||
      !predecessors.contains(sides.positive))
    return false;

  OrderSearch forward(sides.negative, successors),
      backward(sides.positive, predecessors);
  // Follows one edge; the reason once the other side is met.
  auto relax = [&](OrderSearch &search,
                   const OrderSearch &other) -> std::optional<Why> {
    const Edge &edge = search.edges.front();
    search.edges = search.edges.drop_front();
    ++steps;
    DynamicAPInt weight = search.current.weight;
    Why reason = search.current.why;
    if (edge.form) {
      const Bound &bound = forms.find(edge.form)->second.bound;
      weight += edge.usesMin ? *bound.range.min : -*bound.range.max;
      reason = reasons.both(reason, edge.usesMin ? bound.lo : bound.hi);
    } else {
      weight += edge.weight;
      reason = reasons.both(reason, edge.why);
    }
    auto [it, isNew] = search.labels.try_emplace(
        edge.node, OrderSearch::Label{weight, reason, false});
    OrderSearch::Label &next = it->second;
    if (!isNew && next.weight >= weight)
      return std::nullopt;
    next.weight = weight;
    next.why = reason;
    auto met = other.labels.find(edge.node);
    if (met != other.labels.end() && weight + met->second.weight >= needed)
      return reasons.both(reason, met->second.why);
    if (!next.isQueued) {
      next.isQueued = true;
      search.queue.push_back(edge.node);
    }
    return std::nullopt;
  };
  // A search takes half of what is left for the question: the first, about the
  // question itself, gets as much as all cases of it.
  unsigned most = std::max(minRelaxations, searchLeft.edges / 2), left = most;
  std::optional<Why> found;
  while (!found && left >= 2 && forward.advance() && backward.advance()) {
    left -= 2;
    found = relax(forward, backward);
    if (!found)
      found = relax(backward, forward);
  }
  searchLeft.edges -= std::min(searchLeft.edges, most - left);
  if (found) {
    rule = "order";
    why = reasons.both(why, *found);
    return true;
  }
  if (left < 2)
    exhausted = "order";
  return false;
}
