//===- NamedExtents.cpp - Extents in the user's names ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What attributes, reports and the editor say of a dimension. An extent that
// data determine has a symbol that only the analysis knows: what bounds it in
// names travels with it, through `tensor.dim` and arithmetic.
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/FunctionShapes.h"
#include "symshape/Constraints/BoundSearch.h"

using namespace mlir;
using namespace mlir::symshape;

/// Whether a bound says something: not that a number fits its type, or what
/// follows from that.
static bool isTelling(Expr bound, bool isOfDims) {
  constexpr int64_t endOfType = INT32_MAX;
  if (std::optional<llvm::DynamicAPInt> number = bound.asConstant()) {
    if (isOfDims)
      return *number < kMaxExtent;
    return *number < endOfType && *number != INT8_MAX && *number != UINT8_MAX &&
           *number != INT16_MAX && *number != UINT16_MAX;
  }
  return llvm::all_of(bound.terms(), [](const Expr::Term &term) {
    return llvm::abs(term.coefficient) < endOfType;
  });
}

Expr FunctionShapes::namedBound(Expr e) {
  auto [it, isNew] = namedBounds.try_emplace(e, Expr(), set.numFacts());
  if (!isNew && it->second.second == set.numFacts())
    return it->second.first;
  // Of a number that only its type bounds, nothing is known.
  Range range = set.bounds(e, Effort::Quick);
  bool isOpen = e.asSymbol() && (!range.max || *range.max >= INT64_MAX);
  bool isOfDims = llvm::all_of(e.symbols(), [&](Expr symbol) {
    const SymbolDef *def = definition(symbol);
    return def && def->value && def->dim >= 0;
  });
  SmallVector<Expr, 2> bounds;
  if (!isOpen)
    bounds =
        BoundSearch(set, [&](Expr symbol) { return isNamed(symbol); }).upper(e);
  llvm::erase_if(bounds,
                 [&](Expr bound) { return !isTelling(bound, isOfDims); });
  Expr bound = bounds.empty() ? Expr() : exprs.min(bounds);
  if (Expr simple = bound ? set.simplify(bound) : Expr();
      simple && isNamed(simple))
    bound = simple;
  namedBounds[e] = {bound, set.numFacts()};
  return bound;
}

Extent FunctionShapes::namedExtent(Value shaped, int64_t dim) {
  Extent known = extent(shaped, dim);
  // No rule says what it is, but facts may.
  if (known.kind == Extent::Unknown)
    if (Expr own = dimSymbols.lookup({shaped, dim})) {
      BoundSearch search(set, [&](Expr symbol) { return isNamed(symbol); });
      Expr equal = search.exact(own);
      known = Extent::exact(equal ? equal : own);
    }
  if (known.kind == Extent::Unknown)
    return known;
  if (!isNamed(known.expr)) {
    Expr bound = namedBound(known.expr);
    known = bound ? Extent::upperBound(bound) : Extent::unknown();
  }
  // A size of -1 is refused when it is reached, and has no words here.
  if (auto number = known.expr ? known.expr.asConstant() : std::nullopt;
      number && *number < 0)
    return Extent::unknown();
  return known;
}

std::string FunctionShapes::printExtent(Value shaped, int64_t dim) {
  Extent known = namedExtent(shaped, dim);
  if (known.kind == Extent::Unknown)
    return "?";
  return (known.kind == Extent::UpperBound ? "<= " : "") + known.expr.str();
}
