//===- UpstreamJudgement.h - How two answers relate -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's answer beside ours, to one question. See utils/compare_upstream.py
// for the outcomes.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TEST_LIB_UPSTREAMJUDGEMENT_H
#define SYMSHAPE_TEST_LIB_UPSTREAMJUDGEMENT_H

#include "UpstreamQuery.h"

namespace mlir::symshape::test {

class ValueSampler;

/// One reading of the module: as the machine computes, or without wraps.
struct Reading {
  Reading(ModuleOp module, bool assumeNoWrap)
      : analysis(module, ShapeAnalysisOptions{assumeNoWrap}) {}

  ValueBounds &boundsOf(Operation *op) {
    auto function = op->getParentOfType<func::FuncOp>();
    std::unique_ptr<ValueBounds> &bounds = boundsOfFunction[function];
    if (!bounds)
      bounds = std::make_unique<ValueBounds>(*analysis.lookup(function));
    return *bounds;
  }

  ShapeAnalysis analysis;
  llvm::DenseMap<Operation *, std::unique_ptr<ValueBounds>> boundsOfFunction;
};

/// Why no run comes to a place, where every bound holds: "check" (one before it
/// fails in each call), "never entered" (a branch, or a loop without
/// iterations, around it), else "facts". Empty: one may come.
std::string whyUnreachable(Reading &reading, Operation *place);

/// How our answer relates to upstream's, and what shows it.
struct Judgement {
  std::string outcome, upstream, ours, witness;
  std::string reason = ""; ///< of "unreachable"
};

/// Both answers to one question about a bound, in one reading.
class BoundComparison {
public:
  /// `vscale` is what the scalable bounds are in terms of.
  BoundComparison(const UpstreamQuery &query, ValueBounds &bounds,
                  Value vscale);

  /// Whether our bound may be in terms of this scalar or dim.
  bool stop(Value v, std::optional<int64_t> dim) const;
  bool hasOurs() const { return !ours.empty(); }
  bool isUpstreamProved();
  /// Whether upstream's bound holds if the loops around that compare without a
  /// sign compare with one, as upstream reads them.
  bool isUpstreamProvedSigned();
  /// same, tighter, different form, weaker, or ours wrong.
  std::string relate();
  /// Values for which upstream's bound does not hold; empty: none found.
  std::string findWitness();

  std::string oursAsText() { return spell(ours); }
  std::string upstreamAsText() { return upstream ? spell(upstream) : "none"; }

private:
  ConstraintSet &facts() { return bounds.factsBefore(query.op); }
  Quantity upstreamBound() const;
  void findOurs();
  bool holds(ValueSampler &sampler, Expr e, Expr bound);
  std::string relateBySamples();
  std::string spell(ArrayRef<Expr> expressions);

  const UpstreamQuery &query;
  ValueBounds &bounds;
  FunctionShapes &shapes;
  Value vscale;
  Expr subject, upstream;
  SmallVector<Expr> ours;
};

Judgement judgeBound(const UpstreamQuery &query, Reading &machine,
                     Reading &noWrap, Value vscale);
Judgement judgeComparison(const UpstreamQuery &query, Reading &machine,
                          Reading &noWrap);

} // namespace mlir::symshape::test

#endif // SYMSHAPE_TEST_LIB_UPSTREAMJUDGEMENT_H
