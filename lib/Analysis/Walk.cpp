//===- Walk.cpp - In which order a function is read -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op once, after those that it depends on; what holds in a region only is
// forgotten at its end.
//
//===----------------------------------------------------------------------===//

#include "IntegerRanges.h"
#include "Internal.h"
#include "PassedRanges.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Process/Progress.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;
using namespace mlir::symshape;

Expr FunctionShapes::iterationSymbol(Expr lo, Expr hi) {
  Expr symbol = newSymbol(
      "%i", {SymbolDef::Iteration, Value(), -1, Expr(), false}, {Range::all()});
  pendingIterations.push_back({symbol, lo, hi, {}});
  return symbol;
}

/// Whether all that `region` has is a terminator without a rule.
static bool isEmptyBody(Region &region) {
  if (!region.hasOneBlock() || !llvm::hasSingleElement(region.front()))
    return false;
  Operation &op = region.front().front();
  return op.getNumResults() == 0 && op.getNumRegions() == 0 &&
         !isa<ShapeFactsOpInterface, func::CallOp, func::ReturnOp>(op);
}

void FunctionShapes::findHolders() {
  if (!chosenOptions.isAsked)
    return;
  func->walk([&](Operation *op) {
    if (!chosenOptions.isAsked(op))
      return;
    for (Operation *outer = op->getParentOp();
         outer != func && holders.insert(outer).second;)
      outer = outer->getParentOp();
  });
}

/// Whether nobody asks about what is in `op`, or what comes out of it.
bool FunctionShapes::isLeftOut(Operation *op) const {
  return chosenOptions.isAsked && op->getNumResults() == 0 &&
         !holders.contains(op);
}

void FunctionShapes::visitRegion(Region &region, const Formula &given,
                                 llvm::function_ref<void()> atEnd) {
  if (isLeftOut(region.getParentOp()))
    return;
  bool isEntered = region.empty() || reached.contains(&region.front());
  const Formula &premise = isEntered ? given : Formula::truth(false);
  if (isEmptyBody(region) && !atEnd) { // it is only asked about
    regionEntries[&region] = {premise, pendingIterations,
                              learnedIn(current->getBlock()).size()};
    return;
  }
  openScope(premise, std::exchange(pendingIterations, {}));
  regionEntries[&region] = {premise, scopes.back().iterations,
                            learnedIn(current->getBlock()).size()};
  assumeEntry(set, regionEntries[&region]);
  Operation *owner = current;
  visitBlocks(region);
  current = owner;
  if (atEnd)
    atEnd();
  closeScope();
}

void FunctionShapes::openScope(const Formula &premise,
                               SmallVector<IterationVar, 0> iterations) {
  scopes.push_back({premise, std::move(iterations), symbols.size(),
                    alternatives.size(), elementCounts.size()});
  set.push();
}

void FunctionShapes::closeScope() {
  set.pop();
  alternatives.resize(scopes.back().firstAlternative);
  elementCounts.truncate(scopes.back().firstCount);
  pendingIterations = std::move(scopes.back().iterations);
  size_t first = scopes.back().firstSymbol;
  scopes.pop_back();
  for (const auto &[symbol, info] : ArrayRef(symbols).drop_front(first))
    set.declare(symbol, info);
}

/// Visits the blocks in reverse post-order. The facts of the entry block hold
/// in all of them, since it dominates them; those of another block only in
/// itself, and its requirements are reached under an unknown condition. A
/// scalar argument of a block is in the range of what is passed to it, unless
/// a branch comes from a block that is visited later.
void FunctionShapes::visitBlocks(Region &region) {
  if (region.empty())
    return;
  if (region.hasOneBlock()) {
    for (Operation &op : region.front())
      visitOp(&op);
    return;
  }
  llvm::ReversePostOrderTraversal<Block *> order(&region.front());
  PassedRanges passed;
  for (Block *block : order) {
    bool isEntry = block == &region.front();
    if (!isEntry)
      openScope(Formula::opaque(), {});
    for (BlockArgument argument : block->getArguments())
      if (auto info = isEntry ? std::nullopt : passed.infoOf(argument)) {
        info->range =
            symshape::Range::intersect(info->range, rangeOf(argument));
        values.try_emplace(
            argument,
            newSymbol("%v", {SymbolDef::Scalar, argument, -1, Expr(), false},
                      *info));
      }
    for (Operation &op : *block)
      visitOp(&op);
    passed.note(*block, [&](Value given) {
      Expr e = value(given);
      SymbolInfo info{symshape::Range::intersect(set.bounds(e, Effort::Quick),
                                                 rangeOfType(given.getType()))};
      info.residue = set.residue(e);
      return info;
    });
    if (!isEntry)
      closeScope();
  }
}

/// Whether the op is about tensors or buffers.
static bool isShaped(Operation *op) {
  auto isShapedType = [](Type type) { return isa<ShapedType>(type); };
  return llvm::any_of(op->getOperandTypes(), isShapedType) ||
         llvm::any_of(op->getResultTypes(), isShapedType);
}

void FunctionShapes::visitOp(Operation *op) {
  current = op;
  tellPlace(set, op);
  if (Progress *progress = Progress::current())
    progress->step();
  budget.add(isShaped(op) ? kStepsPerOp : kStepsPerScalarOp);
  pendingIterations.clear();
  if (auto rule = dyn_cast<ShapeFactsOpInterface>(op)) {
    rule.populateShapeFacts(*this);
    if (isRangeUnknown(op))
      applyIntegerRanges(op);
    else if (op->getNumRegions() > 0)
      applyCarriedRanges(op);
  } else if (isa<func::CallOp>(op))
    visitCall(op);
  else if (isa<func::ReturnOp>(op))
    visitReturn(op);
  else
    applyDefaults(op);
  noteElements(op);
  pendingIterations.clear();
}

void FunctionShapes::run(CalleeLookup lookup) {
  calleeLookup = lookup;
  budget.add(kStepsPerFunction);
  tellPlace(set, func);
  tellPlace(entry, func);
  readSignature(*this);
  findHolders();
  IntegerRanges found = findIntegerRanges(
      func, [&](OpResult result) { return rangeOfResult(result); });
  integerRanges = std::move(found.ofValues);
  reached = std::move(found.reached);
  current = func;
  visitBlocks(func.getBody());
  calleeLookup = nullptr;
  tellPlace(set, func);
}

Formula FunctionShapes::firstPremise(Region *region) {
  const RegionEntry *entry = entryOf(region);
  if (!entry)
    return Formula::truth(true);
  auto loop = dyn_cast<scf::WhileOp>(region->getParentOp());
  if (!loop)
    return entry->premise;
  return entry->premise.substitute([&](Expr symbol) {
    const SymbolDef *def = definition(symbol);
    auto carried = dyn_cast_or_null<BlockArgument>(def ? def->value : Value());
    if (!carried || carried.getOwner() != loop.getBeforeBody())
      return Expr();
    Value init = loop.getInits()[carried.getArgNumber()];
    return def->kind == SymbolDef::Dim ? dim(init, def->dim) : value(init);
  });
}
