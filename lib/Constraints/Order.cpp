//===- Order.cpp - Chains of inequalities ----------------------*- C++ -*-===//
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

/// Edges looked at per query.
static constexpr unsigned maxRelaxations = 4000;

// Label correcting, breadth first: weights may be negative. Each label is the
// weight of some path, so what it proves holds; the budget only loses proofs.
bool Knowledge::provesByOrder(Expr e, Why &why) {
  Form form = toForm(e);
  if (!form.primitive)
    return false;
  // form.scale * primitive + offset >= 0: a lower bound of +-primitive.
  DynamicAPInt needed = ceilDiv(-form.offset, abs(form.scale));
  Sides sides = splitSigns(form.primitive);
  Expr from = sides.negative, to = sides.positive;
  if (form.scale < 0)
    std::swap(from, to);
  if (!edges.contains(from) || !edges.contains(to))
    return false;

  struct Label {
    DynamicAPInt weight;
    Why why;
    bool isQueued;
  };
  llvm::DenseMap<Expr, Label> labels;
  std::vector<Expr> queue{from};
  labels[from] = {DynamicAPInt(0), 0, true};
  unsigned budget = maxRelaxations;
  for (size_t head = 0; head < queue.size() && budget; ++head) {
    Expr node = queue[head];
    Label label = labels.find(node)->second;
    labels.find(node)->second.isQueued = false;
    auto outgoing = edges.find(node);
    if (outgoing == edges.end())
      continue;
    for (const Edge &edge : outgoing->second) {
      if (budget == 0)
        break;
      --budget;
      const Bound &bound = forms.find(edge.form)->second.bound;
      const auto &end = edge.usesMin ? bound.range.min : bound.range.max;
      if (!end)
        continue;
      DynamicAPInt weight = label.weight + (edge.usesMin ? *end : -*end);
      auto [it, isNew] = labels.try_emplace(edge.to, Label{weight, 0, false});
      if (!isNew && it->second.weight >= weight)
        continue;
      it->second.weight = weight;
      it->second.why =
          reasons.both(label.why, edge.usesMin ? bound.lo : bound.hi);
      if (edge.to == to && weight >= needed) {
        rule = "order";
        why = reasons.both(why, it->second.why);
        return true;
      }
      if (!it->second.isQueued) {
        it->second.isQueued = true;
        queue.push_back(edge.to);
      }
    }
  }
  return false;
}
