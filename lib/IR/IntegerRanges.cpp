//===- IntegerRanges.cpp - Ranges of the integers of our ops --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's integer range analysis learns from `assume` and `size`.
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

/// Bounds of `e` when the symbol of each of `names` lies in the range beside
/// it.
static ConstantIntRanges boundExpression(ExprArena &arena, Expr e,
                                         ArrayRef<StringRef> names,
                                         ArrayRef<ConstantIntRanges> ranges,
                                         ArrayRef<Relation> facts,
                                         unsigned width) {
  ConstraintSet set(arena);
  for (auto [name, range] : llvm::zip(names, ranges)) {
    SymbolInfo info;
    info.range = symshape::Range::all();
    if (range.smin().getBitWidth() <= 64)
      info.range = symshape::Range::between(range.smin().getSExtValue(),
                                            range.smax().getSExtValue());
    set.declare(arena.symbol(name), info);
  }
  for (const Relation &fact : facts)
    set.assume(fact);
  ConstantIntRanges all = ConstantIntRanges::maxRange(width);
  if (width > 64 || set.isContradictory())
    return all;
  // Without facts, the affine tier seldom finds more, and takes long.
  symshape::Range bounds =
      set.bounds(e, facts.empty() ? Effort::Quick : Effort::Full);
  APInt lo = all.smin(), hi = all.smax();
  llvm::DynamicAPInt least(lo.getSExtValue()), greatest(hi.getSExtValue());
  if (bounds.isEmpty() || (bounds.min && *bounds.min > greatest) ||
      (bounds.max && *bounds.max < least))
    return all;
  if (bounds.min && *bounds.min > least)
    lo = APInt(width, int64_t(*bounds.min), /*isSigned=*/true);
  if (bounds.max && *bounds.max < greatest)
    hi = APInt(width, int64_t(*bounds.max), /*isSigned=*/true);
  return ConstantIntRanges::fromSigned(lo, hi);
}

void AssumeOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                 SetIntRangeFn setResultRange) {
  ExprArena arena;
  SmallVector<StringRef> names(getNames().getAsValueRange<StringAttr>());
  SmallVector<Relation> relations = getRelations(arena);
  // Facts that mention symbols of the function say nothing of ranges here.
  llvm::erase_if(relations, [&](const Relation &r) {
    return llvm::any_of(r.symbols(), [&](Expr s) {
      return !llvm::is_contained(names, *s.asSymbol());
    });
  });
  for (auto [name, range, result] : llvm::zip(names, ranges, getResults())) {
    ConstantIntRanges bound =
        boundExpression(arena, arena.symbol(name), names, ranges, relations,
                        range.smin().getBitWidth());
    setResultRange(result, range.intersection(bound));
  }
}

void SizeOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                               SetIntRangeFn setResultRange) {
  ExprArena arena;
  Expr e = getParsedExpression(arena);
  SmallVector<StringRef> names = getNames();
  // Symbols of the function may hold any integer here.
  SmallVector<ConstantIntRanges> all(ranges.begin(), ranges.end());
  while (all.size() < names.size())
    all.push_back(ConstantIntRanges::maxRange(64));
  setResultRange(getResult(), boundExpression(arena, e, names, all, {}, 64));
}
