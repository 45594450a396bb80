//===- SCFRules.cpp - Shape rules of scf ----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branches and loops over counters. Not for: scf.while (SCFWhileRules.cpp), and
// what loops of all dialects share (LoopRules.cpp).
//
//===----------------------------------------------------------------------===//

#include "CarriedCounters.h"
#include "LoopRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "symshape/Extensions/AllExtensions.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::scf;

namespace {
//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

void ifRule(IfOp op, ShapeFacts &facts) {
  Formula condition = facts.condition(op.getCondition());
  facts.visitRegion(op.getThenRegion(), condition);
  if (op.getElseRegion().empty())
    return;
  facts.visitRegion(op.getElseRegion(), Formula::negate(condition));
  for (auto [result, a, b] :
       llvm::zip(op.getResults(), op.thenYield().getOperands(),
                 op.elseYield().getOperands()))
    if (hasIntegerValue(result.getType()) || isRankedShaped(result.getType()))
      facts.setJoin(result, condition, a, b);
}

void executeRegionRule(ExecuteRegionOp op, ShapeFacts &facts) {
  visitYielding(facts, op.getRegion(), op.getResults());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A loop whose bounds are not read as signed. Its counter must not wrap before
/// it reaches the upper bound.
void unsignedForRule(ForOp op, CountedLoop loop, ShapeFacts &facts) {
  ExprArena &arena = facts.arena();
  Type type = op.getInductionVar().getType();
  Expr size = halfOfType(facts, type) * facts.constant(2);
  auto asUnsigned = [&](Value v) {
    Expr e = facts.value(v);
    return isAtLeast(facts, e, 0) ? e : arena.mod(e, size);
  };
  Expr step = asUnsigned(op.getStep());
  facts.require(Relation::ne(step, facts.constant(0)), "step");
  Expr lower = asUnsigned(op.getLowerBound()),
       upper = asUnsigned(op.getUpperBound());
  if (facts.constraints().isProvably(Relation::le(upper, lower), Effort::Quick))
    return emptyLoopRule(facts, loop, op.getRegion());
  if (!step.isConstant(1)) {
    Expr end = lower + arena.ceilDiv(upper - lower, step) * step;
    facts.require(
        Formula::disj(Relation::ge(lower, upper), Relation::lt(end, size)),
        "end of the counter");
  }
  Formula isReached = Relation::lt(lower, upper);
  loop.trips = tripCount(facts, lower, upper, step);
  loop.counter = op.getInductionVar();
  loop.first = lower;
  loop.step = step;
  // What is known where there is an iteration.
  ConstraintSet &set = facts.constraints();
  set.push();
  assume(set, isReached);
  Expr start = facts.value(op.getLowerBound());
  if (!isAtLeast(facts, start, 0))
    start = lower;
  loop.isUnsigned =
      !set.isProvably(Relation::le(upper, halfOfType(facts, type)));
  set.pop();
  CarriedExtents extents(facts, loop.inits, loop.arguments);
  extents.visit([&] {
    // Its iterations are numbered, or its counter is; that is a sum without a
    // sign, read as a number of its type.
    if (!loop.isUnsigned && step.isConstant(1)) {
      Expr counter = facts.iterationSymbol(start, upper - 1);
      facts.setValue(loop.counter, counter);
      loop.iteration = counter - start;
    } else {
      loop.iteration = facts.iterationSymbol(facts.constant(0), loop.trips - 1);
      Expr counter = start + loop.iteration * step;
      facts.setValue(loop.counter, loop.isUnsigned
                                       ? asSigned(facts, counter, type)
                                       : counter);
    }
    setCarriedScalars(facts, loop);
    extents.setArguments(loop.iteration);
    facts.visitRegion(op.getRegion(), isReached,
                      [&] { extents.check(loop.yields); });
    extents.setResults(loop.results, loop.trips);
  });
}

/// Whether a loop that compares without a sign is one that compares with it:
/// neither its bounds nor the end of its counter are negative.
bool isReadAsSigned(ShapeFacts &facts, ForOp op, Expr lower, Expr upper,
                    Expr step) {
  Expr most = maxOfType(facts, op.getInductionVar().getType());
  return isAtLeast(facts, lower, 0) && isAtLeast(facts, upper, 0) &&
         isAtLeast(facts, step, 0) &&
         facts.constraints().isProvably(Relation::le(upper + step - 1, most));
}

void forRule(ForOp op, ShapeFacts &facts) {
  CountedLoop loop{op.getInitArgs(),
                   llvm::to_vector(op.getRegionIterArgs()),
                   op.getYieldedValues(),
                   op.getResults(),
                   Expr(),
                   Expr(),
                   Value(),
                   Expr(),
                   Expr(),
                   /*isUnsigned=*/false};
  Expr lower = facts.value(op.getLowerBound()),
       upper = facts.value(op.getUpperBound()),
       step = facts.value(op.getStep());
  if (op.getUnsignedCmp() && !isReadAsSigned(facts, op, lower, upper, step))
    return unsignedForRule(op, std::move(loop), facts);
  facts.require(Relation::ge(step, facts.constant(1)), "step");
  countedLoopRule(facts, std::move(loop), op.getRegion(), lower, upper, step);
}

/// The loops of scf.parallel and scf.forall.
template <typename Bounds>
Formula setInductionVariables(ShapeFacts &facts, ValueRange ivs,
                              const Bounds &lower, const Bounds &upper,
                              const Bounds &steps) {
  Formula isReached = Formula::truth(true);
  for (auto [iv, lo, hi, s] : llvm::zip(ivs, lower, upper, steps)) {
    Expr step = facts.value(s);
    facts.require(Relation::ge(step, facts.constant(1)), "step");
    isReached =
        Formula::conj(isReached, setLoopVariable(facts, iv, facts.value(lo),
                                                 facts.value(hi), step));
  }
  return isReached;
}

void parallelRule(ParallelOp op, ShapeFacts &facts) {
  auto toFold = [](OperandRange values) {
    return SmallVector<OpFoldResult>(values.begin(), values.end());
  };
  Formula isReached = setInductionVariables(
      facts, op.getInductionVars(), toFold(op.getLowerBound()),
      toFold(op.getUpperBound()), toFold(op.getStep()));
  facts.visitRegion(op.getRegion(), isReached);
}

void forallRule(ForallOp op, ShapeFacts &facts) {
  Formula isReached = setInductionVariables(
      facts, op.getInductionVars(), op.getMixedLowerBound(),
      op.getMixedUpperBound(), op.getMixedStep());
  for (auto [output, argument] :
       llvm::zip(op.getOutputs(), op.getRegionOutArgs()))
    facts.copyExtents(output, argument);
  for (auto [output, result] : llvm::zip(op.getOutputs(), op.getResults()))
    facts.copyExtents(output, result);
  facts.visitRegion(op.getRegion(), isReached);
}

/// What each iteration yields at its end.
void inParallelRule(InParallelOp op, ShapeFacts &facts) {
  facts.visitRegion(op.getRegion(), Formula::truth(true));
}

/// Under which condition an index is `label`: exact if branches choose among
/// constants.
Formula isEqual(ShapeFacts &facts, Value value, int64_t label) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return Formula::truth(*constant == label);
  auto choose = [&](Value condition, Value a, Value b) {
    Formula holds = facts.condition(condition);
    return Formula::disj(
        Formula::conj(holds, isEqual(facts, a, label)),
        Formula::conj(Formula::negate(holds), isEqual(facts, b, label)));
  };
  if (auto branch = value.getDefiningOp<IfOp>()) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    return choose(branch.getCondition(), branch.thenYield().getOperand(number),
                  branch.elseYield().getOperand(number));
  }
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    if (select.getCondition().getType().isInteger(1))
      return choose(select.getCondition(), select.getTrueValue(),
                    select.getFalseValue());
  return Relation::eq(facts.value(value), facts.constant(label));
}

/// One branch runs; which one is a value.
void indexSwitchRule(IndexSwitchOp op, ShapeFacts &facts) {
  SmallVector<Formula> isCase;
  Formula isDefault = Formula::truth(true);
  for (auto [region, label] : llvm::zip(op.getCaseRegions(), op.getCases())) {
    isCase.push_back(isEqual(facts, op.getArg(), label));
    isDefault = Formula::conj(isDefault, Formula::negate(isCase.back()));
    facts.visitRegion(region, isCase.back());
  }
  facts.visitRegion(op.getDefaultRegion(), isDefault);
  for (OpResult result : op.getResults()) {
    // What is yielded is `part` of the value in each branch.
    auto join = [&](llvm::function_ref<Expr(Value)> part) {
      auto partIn = [&](Block &block) {
        return part(
            block.getTerminator()->getOperand(result.getResultNumber()));
      };
      Expr e = partIn(op.getDefaultBlock());
      for (auto [position, condition] : llvm::enumerate(isCase))
        e = facts.join(condition, partIn(op.getCaseBlock(position)), e);
      return e;
    };
    if (result.getType().isIndex() || (result.getType().isSignlessInteger() &&
                                       !result.getType().isInteger(1)))
      facts.setValue(result, join([&](Value v) { return facts.value(v); }));
    if (!isRankedShaped(result.getType()))
      continue;
    auto shaped = cast<ShapedType>(result.getType());
    for (int64_t d = 0; d < shaped.getRank(); ++d)
      if (shaped.isDynamicDim(d))
        facts.setExact(result, d,
                       join([&](Value v) { return facts.dim(v, d); }));
  }
}
} // namespace

void symshape::registerSCFRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SCFDialect *) {
    attachRule<ExecuteRegionOp, executeRegionRule>(context);
    attachRule<ForOp, forRule>(context);
    attachRule<ForallOp, forallRule>(context);
    attachRule<IfOp, ifRule>(context);
    attachRule<InParallelOp, inParallelRule>(context);
    attachRule<IndexSwitchOp, indexSwitchRule>(context);
    attachRule<ParallelOp, parallelRule>(context);
    attachSCFWhileRule(context);
  });
}
