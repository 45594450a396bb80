//===- SCFWhileRules.cpp - Shape rule of scf.while ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first region runs at least once and ends with a condition. While that
// holds, the second region runs on what the first passes on; when it does not,
// that is the result.
//
//===----------------------------------------------------------------------===//

#include "CarriedCounters.h"
#include "LoopRules.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::scf;

namespace {
/// Sets an argument of the second region to what the first passes on. A value
/// that varies has a symbol in each region: values of one are not visible in
/// the other.
void handOn(ShapeFacts &facts, Value from, Value to, unsigned marker) {
  auto isInvariantExpr = [&](Expr e) {
    return llvm::all_of(e.symbols(),
                        [&](Expr s) { return isInvariant(facts, s, marker); });
  };
  if (isRankedShaped(to.getType())) {
    for (auto [d, e] : llvm::enumerate(facts.dims(from))) {
      if (isInvariantExpr(e))
        facts.setExact(to, d, e);
      else
        facts.imply(Relation::eq(facts.dim(to, d), e));
    }
    return;
  }
  if (to.getType().isInteger(1)) {
    facts.setCondition(to, facts.condition(from));
  } else if (hasIntegerValue(to.getType())) {
    if (Expr e = facts.value(from); isInvariantExpr(e))
      facts.setValue(to, e);
    else
      facts.imply(Relation::eq(facts.value(to), e));
  }
}

/// The last iteration, seen from after the loop. A symbol of the loop stands
/// for another number in each iteration, so facts about the last one are stated
/// about the results: a result that is such a symbol plus something invariant
/// takes its place.
class LastIteration {
public:
  LastIteration(ShapeFacts &facts, unsigned marker)
      : facts(facts), marker(marker) {}

  /// What the result is for which `handedOn` was passed on; null if that is no
  /// more than `own`, the symbol of the result.
  Expr resultOf(Expr handedOn, llvm::function_ref<Expr()> own);
  /// States what holds of the last iteration, as far as results say it.
  void imply(const Formula &f);

private:
  SmallVector<Expr> variants(Expr e);
  bool isInvariantExpr(Expr e);

  ShapeFacts &facts;
  unsigned marker;
  DenseMap<Expr, Expr> meaning;
};

SmallVector<Expr> LastIteration::variants(Expr e) {
  SmallVector<Expr> symbols = e.symbols();
  llvm::erase_if(symbols,
                 [&](Expr s) { return isInvariant(facts, s, marker); });
  return symbols;
}

bool LastIteration::isInvariantExpr(Expr e) { return variants(e).empty(); }

Expr LastIteration::resultOf(Expr handedOn, llvm::function_ref<Expr()> own) {
  SmallVector<Expr> symbols = variants(handedOn);
  if (llvm::all_of(symbols, [&](Expr s) { return meaning.count(s); }))
    return facts.arena().substitute(handedOn,
                                    [&](Expr s) { return meaning.lookup(s); });
  // It is s + rest: then s is the result less the rest.
  if (symbols.size() == 1)
    if (Expr rest = handedOn - symbols[0]; isInvariantExpr(rest))
      meaning[symbols[0]] = own() - rest;
  return Expr();
}

void LastIteration::imply(const Formula &f) {
  auto isKnown = [&](const Formula &part) {
    return llvm::all_of(part.symbols(), [&](Expr s) {
      return meaning.count(s) || isInvariant(facts, s, marker);
    });
  };
  facts.imply(knownPart(f, isKnown).substitute([&](Expr s) {
    return meaning.lookup(s);
  }));
}

/// The scalars that only grow or only shrink: each iteration, in which the
/// condition holds, passes on one on the same side of what it was given.
void implyCarriedGrowth(ShapeFacts &facts, WhileOp op,
                        const Formula &condition) {
  for (auto [init, argument, yielded] : llvm::zip(
           op.getInits(), op.getBeforeArguments(), op.getYieldedValues())) {
    if (!hasIntegerValue(init.getType()) || init.getType().isInteger(1))
      continue;
    Growth each = growthOf(facts, yielded, argument, condition);
    Expr start = facts.value(init);
    implyGrowth(facts, each, start, facts.value(argument));
    for (auto [handedOn, result] :
         llvm::zip(op.getConditionOp().getArgs(), op.getResults())) {
      if (result.getType() != init.getType())
        continue;
      Growth last = growthOf(facts, handedOn, argument, Formula::opaque());
      implyGrowth(facts,
                  {each.atLeast && last.atLeast, each.atMost && last.atMost},
                  start, facts.value(result));
    }
  }
}

/// Gives values from outside their symbols first, so that these are older than
/// those of the loop.
void nameOuterValues(ShapeFacts &facts, WhileOp op) {
  SetVector<Value> outer;
  getUsedValuesDefinedAbove(op->getRegions(), outer);
  for (Value v : outer) {
    if (isRankedShaped(v.getType()))
      facts.dims(v);
    else if (hasIntegerValue(v.getType()) && !v.getType().isInteger(1))
      facts.value(v);
  }
}

/// The arguments of the second region are described in symbols older than those
/// of the first, whose values cannot be used there.
void nameArguments(ShapeFacts &facts, ValueRange arguments) {
  for (Value argument : arguments) {
    if (isRankedShaped(argument.getType()))
      facts.dims(argument);
    else if (hasIntegerValue(argument.getType()) &&
             !argument.getType().isInteger(1))
      facts.value(argument);
  }
}

void setResults(ShapeFacts &facts, WhileOp op, LastIteration &last) {
  for (auto [handedOn, result] :
       llvm::zip(op.getConditionOp().getArgs(), op.getResults())) {
    if (isRankedShaped(result.getType())) {
      for (auto [d, e] : llvm::enumerate(facts.dims(handedOn)))
        if (Expr known = last.resultOf(
                e, [&, d = d, v = result] { return facts.dim(v, d); }))
          facts.setExact(result, d, known);
    } else if (hasIntegerValue(result.getType()) &&
               !result.getType().isInteger(1)) {
      if (Expr known = last.resultOf(facts.value(handedOn), [&, v = result] {
            return facts.value(v);
          }))
        facts.setValue(result, known);
    }
  }
}

void visitIteration(ShapeFacts &facts, WhileOp op, CarriedExtents &extents) {
  unsigned marker = facts.arena().freshSymbol("%mark").id();
  nameArguments(facts, op.getAfterArguments());
  extents.setArguments();
  setInvariantYields(facts, op.getInits(), op.getBeforeArguments(),
                     op.getYieldedValues(), op);
  facts.visitRegion(op.getBefore(), Formula::truth(true));
  ConditionOp end = op.getConditionOp();
  Formula condition = facts.condition(end.getCondition());
  for (auto [handedOn, argument] :
       llvm::zip(end.getArgs(), op.getAfterArguments()))
    handOn(facts, handedOn, argument, marker);
  LastIteration last(facts, marker);
  setResults(facts, op, last);
  for (const Relation &bound : extents.bounds())
    last.imply(bound);
  implyCarriedGrowth(facts, op, condition);
  facts.visitRegion(op.getAfter(), condition,
                    [&] { extents.check(op.getYieldedValues()); });
  last.imply(Formula::negate(condition));
}

void whileRule(WhileOp op, ShapeFacts &facts) {
  nameOuterValues(facts, op);
  SmallVector<BlockArgument> arguments(op.getBeforeArguments().begin(),
                                       op.getBeforeArguments().end());
  CarriedExtents extents(facts, op.getInits(), arguments);
  extents.visit([&] { visitIteration(facts, op, extents); });
}
} // namespace

void symshape::attachSCFWhileRule(MLIRContext *context) {
  attachRule<WhileOp, whileRule>(context);
}
