//===- UpstreamJudgement.cpp - How two answers relate ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UpstreamJudgement.h"

#include "ValueSampler.h"

#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::test;
using BoundType = UpstreamQuery::BoundType;
using llvm::DynamicAPInt;

/// Draws of values, most of which break a fact and are dropped.
static constexpr unsigned maxDraws = 4000;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Whether `op`, or an op around it, is before `place`, or an op around that,
/// in one block.
static bool isBefore(Operation *op, Operation *place) {
  for (; place; place = place->getParentOp())
    if (Operation *around = place->getBlock()->findAncestorOpInBlock(*op))
      return around == place || around->isBeforeInBlock(place);
  return false;
}

/// Whether the facts before `op` contradict each other.
static bool isOut(Reading &reading, Operation *op) {
  return reading.boundsOf(op).factsBefore(op).isContradictory();
}

/// Whether each run that comes to what is behind the op around `op`, in the
/// block of `place` or of an op around that, has run `op`: no branch goes past
/// it. What it checked is forgotten behind the region.
static bool hasRun(Reading &reading, Operation *op, Operation *place) {
  if (place->isAncestor(op))
    return false;
  Operation *outer = op->getParentOp();
  for (; !outer->isAncestor(place); outer = outer->getParentOp()) {
    auto isRunOrOut = [&](Region &region) {
      if (region.isAncestor(op->getParentRegion()))
        return region.hasOneBlock();
      return !region.empty() && isOut(reading, &region.front().front());
    };
    if (!isa<scf::ExecuteRegionOp, scf::IfOp>(outer) ||
        !llvm::all_of(outer->getRegions(), isRunOrOut))
      return false;
  }
  // Another block, or region of the op around both, may run instead.
  DominanceInfo dominance;
  auto isOnTheWay = [&](Region &region) {
    Operation *around = region.findAncestorOpInRegion(*op);
    return around && dominance.properlyDominates(around, place);
  };
  auto loop = dyn_cast<scf::WhileOp>(outer);
  return (loop && loop.getBefore().isAncestor(op->getParentRegion())) ||
         llvm::any_of(outer->getRegions(), isOnTheWay);
}

std::string mlir::symshape::test::whyUnreachable(Reading &reading,
                                                 Operation *place) {
  for (Operation *op = place; op && !isa<func::FuncOp>(op);
       op = op->getParentOp())
    if (!reading.boundsOf(op).getShapes().isReached(op))
      return "never entered";
  bool isPlaceOut = isOut(reading, place);
  auto function = place->getParentOfType<func::FuncOp>();
  for (const Requirement &requirement :
       reading.analysis.lookup(function)->requirements())
    if (requirement.answer.isNo() && isBefore(requirement.op, place) &&
        (isPlaceOut || hasRun(reading, requirement.op, place)))
      return "check";
  if (!isPlaceOut)
    return "";
  for (Operation *op = place->getParentOp(); op != function;
       op = op->getParentOp())
    if (!isOut(reading, op))
      return "never entered";
  return "facts";
}

/// What `bound` says of `e`.
static Relation relationOf(BoundType type, Expr e, Expr bound) {
  return type == BoundType::EQ   ? Relation::eq(e, bound)
         : type == BoundType::LB ? Relation::le(bound, e)
                                 : Relation::le(e, bound);
}

BoundComparison::BoundComparison(const UpstreamQuery &query,
                                 ValueBounds &bounds, Value vscale)
    : query(query), bounds(bounds), shapes(bounds.getShapes()), vscale(vscale) {
  subject = Quantity(query.subject).expr(shapes);
  if (query.boundMap)
    upstream = upstreamBound().expr(shapes);
  findOurs();
}

Quantity BoundComparison::upstreamBound() const {
  SmallVector<Quantity> operands(query.boundOperands.begin(),
                                 query.boundOperands.end());
  if (query.boundMap->getNumInputs() > operands.size())
    operands.assign(1, Quantity(vscale));
  return Quantity(*query.boundMap, operands);
}

bool BoundComparison::stop(Value v, std::optional<int64_t>) const {
  auto argument = dyn_cast<BlockArgument>(v);
  switch (query.terms) {
  case InTermsOf::OtherValues:
    return v != query.subject.first;
  case InTermsOf::Arguments:
    return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
  case InTermsOf::Vscale:
    return v == vscale;
  case InTermsOf::Nothing:
    return false;
  }
  llvm_unreachable("no other terms");
}

void BoundComparison::findOurs() {
  Quantity q(query.subject);
  ExprArena &arena = shapes.arena();
  if (query.terms == InTermsOf::Nothing) {
    if (auto known = bounds.constantBound(query.op, query.type, q))
      ours.push_back(arena.constant(*known));
    return;
  }
  for (const SymbolicBound &bound :
       bounds.bounds(query.op, query.type, q,
                     [&](Value v, auto d) { return stop(v, d); }))
    ours.push_back(arena.substitute(bound.expr, [&](Expr symbol) {
      for (const auto &[operand, quantity] : bound.operands)
        if (operand == symbol)
          return Quantity(quantity).expr(shapes);
      return symbol;
    }));
}

bool BoundComparison::isUpstreamProved() {
  return facts().isProvably(relationOf(query.type, subject, upstream));
}

bool BoundComparison::isUpstreamProvedSigned() {
  ConstraintSet &set = facts();
  set.push();
  for (auto loop = query.op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>()) {
    if (!loop.getUnsignedCmp())
      continue;
    Expr counter = shapes.value(loop.getInductionVar());
    set.assume(Relation::le(shapes.value(loop.getLowerBound()), counter));
    set.assume(Relation::le(counter + 1, shapes.value(loop.getUpperBound())));
  }
  bool isProved = isUpstreamProved();
  set.pop();
  return isProved;
}

bool BoundComparison::holds(ValueSampler &sampler, Expr e, Expr bound) {
  DynamicAPInt value = *sampler.evaluate(e), end = *sampler.evaluate(bound);
  return query.type == BoundType::EQ   ? value == end
         : query.type == BoundType::LB ? end <= value
                                       : value <= end;
}

std::string BoundComparison::relate() {
  if (ours.empty())
    return "weaker";
  for (Expr e : ours)
    if (facts().isProvably(Relation::eq(e, upstream)))
      return "same";
  for (Expr e : ours)
    if (query.type != BoundType::EQ &&
        facts().isProvably(relationOf(query.type, e, upstream)))
      return "tighter";
  return relateBySamples();
}

std::string BoundComparison::relateBySamples() {
  ValueSampler sampler(shapes, facts());
  SmallVector<Expr> wanted{subject, upstream};
  wanted.append(ours.begin(), ours.end());
  for (unsigned i = 0; i < maxDraws; ++i) {
    if (!sampler.draw(wanted))
      continue;
    if (!llvm::all_of(ours, [&](Expr e) { return holds(sampler, subject, e); }))
      return "ours wrong";
    if (llvm::none_of(ours,
                      [&](Expr e) { return holds(sampler, e, upstream); }))
      return "weaker";
  }
  return "different form";
}

std::string BoundComparison::findWitness() {
  ValueSampler sampler(shapes, facts());
  for (unsigned i = 0; i < maxDraws; ++i)
    if (sampler.draw({subject, upstream}) && sampler.isGenuine() &&
        !holds(sampler, subject, upstream))
      return sampler.str();
  return "";
}

/// With what each symbol stands for in place of its name.
std::string BoundComparison::spell(ArrayRef<Expr> expressions) {
  std::string text;
  ExprArena &arena = shapes.arena();
  for (Expr e : expressions) {
    auto name = [&](Expr symbol) {
      return arena.symbol(shapes.describeSymbol(symbol));
    };
    text += (text.empty() ? "" : "; ") + arena.substitute(e, name).str();
  }
  return text.empty() ? "none" : text;
}

/// Whether upstream's bound is in terms of values that are not there yet, or no
/// longer, as those of a loop after it.
static bool isOutOfScope(const UpstreamQuery &query) {
  DominanceInfo dominance;
  return llvm::any_of(query.boundOperands, [&](const auto &operand) {
    return !dominance.properlyDominates(operand.first, query.op);
  });
}

Judgement mlir::symshape::test::judgeBound(const UpstreamQuery &query,
                                           Reading &machine, Reading &noWrap,
                                           Value vscale) {
  BoundComparison wrapping(query, machine.boundsOf(query.op), vscale);
  Judgement j{"", wrapping.upstreamAsText(), wrapping.oursAsText(), ""};
  j.reason = whyUnreachable(machine, query.op);
  if (!j.reason.empty()) {
    j.outcome = "unreachable";
    return j;
  }
  if (!query.boundMap) {
    j.outcome = wrapping.hasOurs() ? "tighter" : "neither";
    return j;
  }
  if (isOutOfScope(query)) {
    j.outcome = "out of scope";
    return j;
  }
  if (wrapping.isUpstreamProved()) {
    j.outcome = wrapping.relate();
    return j;
  }
  BoundComparison exact(query, noWrap.boundsOf(query.op), vscale);
  j.ours = exact.oursAsText();
  if (!exact.isUpstreamProved()) {
    j.witness = exact.findWitness();
    j.outcome = !j.witness.empty()               ? "upstream wrong"
                : exact.isUpstreamProvedSigned() ? "another model"
                                                 : "weaker";
    return j;
  }
  std::string related = exact.relate();
  j.witness = wrapping.findWitness();
  bool isAsTight = related != "weaker" && related != "ours wrong";
  j.outcome = !isAsTight          ? related
              : j.witness.empty() ? "no witness"
                                  : "needs no wrap";
  return j;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static std::optional<bool> decide(const UpstreamQuery &query,
                                  ValueBounds &bounds) {
  return decideComparison(query.comparison, [&](ValueBounds::Comparison c) {
    return bounds
        .compare(query.op, query.sideOf(query.lhsMap, query.lhs), c,
                 query.sideOf(query.rhsMap, query.rhs))
        .isYes();
  });
}

/// Values for which upstream's answer to a comparison is wrong.
static std::string findWitness(const UpstreamQuery &query,
                               ValueBounds &bounds) {
  FunctionShapes &shapes = bounds.getShapes();
  Expr lhs = query.sideOf(query.lhsMap, query.lhs).expr(shapes);
  Expr rhs = query.sideOf(query.rhsMap, query.rhs).expr(shapes);
  ValueSampler sampler(shapes, bounds.factsBefore(query.op));
  for (unsigned i = 0; i < maxDraws; ++i) {
    if (!sampler.draw({lhs, rhs}) || !sampler.isGenuine())
      continue;
    DynamicAPInt a = *sampler.evaluate(lhs), b = *sampler.evaluate(rhs);
    bool seen = [&] {
      switch (query.comparison) {
      case ValueBounds::Comparison::LT:
        return a < b;
      case ValueBounds::Comparison::LE:
        return a <= b;
      case ValueBounds::Comparison::EQ:
        return a == b;
      case ValueBounds::Comparison::GT:
        return a > b;
      case ValueBounds::Comparison::GE:
        return a >= b;
      }
      llvm_unreachable("no other comparison");
    }();
    if (seen != *query.verdict)
      return sampler.str();
  }
  return "";
}

Judgement mlir::symshape::test::judgeComparison(const UpstreamQuery &query,
                                                Reading &machine,
                                                Reading &noWrap) {
  auto text = [](std::optional<bool> v) {
    return v ? *v ? "true" : "false" : "unknown";
  };
  std::optional<bool> ours = decide(query, machine.boundsOf(query.op));
  Judgement j{"", text(query.verdict), text(ours), ""};
  if (ours == query.verdict) {
    j.outcome = ours ? "same" : "neither";
    return j;
  }
  if (!query.verdict) {
    j.outcome = "tighter";
    return j;
  }
  j.witness = findWitness(query, machine.boundsOf(query.op));
  std::optional<bool> exact = decide(query, noWrap.boundsOf(query.op));
  j.ours = text(exact);
  if (exact != query.verdict)
    j.outcome = exact ? "upstream wrong" : "weaker";
  else
    j.outcome = j.witness.empty() ? "no witness" : "needs no wrap";
  return j;
}
