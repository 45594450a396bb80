//===- RuleHelpers.cpp - What rules of several families share -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RuleHelpers.h.
//
//===----------------------------------------------------------------------===//

#include "symshape/Extensions/RuleHelpers.h"
#include "symshape/Extensions/AllExtensions.h"

#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;
using namespace mlir::symshape;

bool symshape::hasIntegerValue(Type type) {
  return type.isIndex() ||
         (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
}

bool symshape::hasIntegerElements(Value shaped) {
  Type type = getElementTypeOrSelf(shaped);
  return hasIntegerValue(type) && !type.isInteger(1);
}

bool symshape::isRankedShaped(Type type) {
  return isa<RankedTensorType, MemRefType>(type);
}

void symshape::setConstantElements(ShapeFacts &facts, Value constant,
                                   Attribute value) {
  auto elements = dyn_cast<DenseIntElementsAttr>(value);
  if (!elements || !isa<RankedTensorType>(constant.getType()) ||
      !hasIntegerValue(elements.getElementType()))
    return;
  ExprArena *arena = &facts.arena();
  facts.setElements(
      constant, [arena, elements](ArrayRef<Expr> position) -> Expr {
        auto toExpr = [&](const APInt &v) {
          return arena->constant(
              llvm::DynamicAPInt(v.getBitWidth() == 1 ? v.zext(64) : v));
        };
        if (elements.isSplat())
          return toExpr(elements.getSplatValue<APInt>());
        int64_t linear = 0;
        for (auto [e, size] :
             llvm::zip(position, elements.getType().getShape())) {
          std::optional<int64_t> i = e.asInt64();
          if (!i || *i < 0 || *i >= size)
            return Expr();
          linear = linear * size + *i;
        }
        return toExpr(*(elements.value_begin<APInt>() + linear));
      });
}

bool symshape::elementwiseRule(Operation *op, ShapeFacts &facts) {
  if (op->getNumResults() == 0 ||
      !llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return false;
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  Value first;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.getRank() != rank)
      continue; // a scalar that applies to every element
    if (first)
      requireSameExtents(facts, first, operand, "elementwise operand");
    else
      first = operand;
  }
  if (first)
    for (Value result : op->getResults())
      for (int64_t d = 0; d < rank; ++d)
        setOrRequire(facts, result, d, facts.dim(first, d),
                     "elementwise result");
  return true;
}

void symshape::requireInBounds(ShapeFacts &facts, Value shaped,
                               ValueRange indices) {
  for (auto [d, index] : llvm::enumerate(indices)) {
    Expr i = facts.value(index);
    facts.require(Formula::conj(Relation::ge(i, facts.constant(0)),
                                Relation::lt(i, facts.dim(shaped, d))),
                  "index of dimension " + Twine(d));
  }
}

void symshape::requireSliceInBounds(ShapeFacts &facts, Value shaped,
                                    OffsetSizeAndStrideOpInterface slice) {
  Expr zero = facts.constant(0);
  for (auto [d, o, s, t] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides())) {
    Expr offset = facts.value(o), size = facts.value(s),
         stride = facts.value(t);
    Expr extent = facts.dim(shaped, d);
    if (!stride.isConstant(1))
      facts.require(Formula::disj(Relation::le(size, facts.constant(1)),
                                  Relation::ne(stride, zero)),
                    "step of dimension " + Twine(d));
    facts.require(Relation::ge(offset, zero),
                  "offset of dimension " + Twine(d));
    facts.require(Relation::ge(size, zero), "size of dimension " + Twine(d));
    if (stride.isConstant(1)) {
      facts.require(Relation::le(offset + size, extent),
                    "slice of dimension " + Twine(d));
      continue;
    }
    // The last element read; with a negative stride it is the first in memory.
    Expr last = offset + (size - 1) * stride;
    Formula inside = Relation::lt(last, extent);
    if (!isAtLeast(facts, stride, 0)) {
      inside = Formula::conj(inside, Relation::ge(last, zero));
      inside = Formula::conj(inside, Relation::lt(offset, extent));
    }
    facts.require(Formula::disj(Relation::le(size, zero), inside),
                  "slice of dimension " + Twine(d));
  }
}

// Proof: as verified, the shape of the type is that of the static sizes,
// dynamic where a size is a value, less any of those that are static and 1. So
// its dynamic dimensions are those of the dynamic sizes, in their order, even
// if one of these is the constant 1.
void symshape::visitSliceSizes(
    Value part, OffsetSizeAndStrideOpInterface slice,
    llvm::function_ref<void(int64_t d, Value size)> visit) {
  auto type = cast<ShapedType>(part.getType());
  OperandRange sizes = slice.getSizes();
  size_t next = 0;
  for (int64_t d = 0; d < type.getRank() && next < sizes.size(); ++d)
    if (type.isDynamicDim(d))
      visit(d, sizes[next++]);
}

void symshape::setOrRequire(ShapeFacts &facts, Value result, int64_t d, Expr e,
                            const Twine &field) {
  auto type = cast<ShapedType>(result.getType());
  if (!type.isDynamicDim(d)) {
    facts.require(Relation::eq(e, facts.constant(type.getDimSize(d))), field);
    return;
  }
  // A tensor with elements has room for them; but an extent beside one of 0, or
  // one that takes values of the program, may be anything.
  if (!e.asSymbol() && !facts.fitsType(e, IndexType::get(result.getContext())))
    facts.require(Relation::le(e, facts.constant(INT64_MAX)), field);
  facts.setExact(result, d, e);
}

Value symshape::beforeCasts(Value value) {
  while (!isRankedShaped(value.getType())) {
    auto cast = value.getDefiningOp<CastOpInterface>();
    if (!cast || cast->getNumOperands() != 1)
      break;
    value = cast->getOperand(0);
  }
  return value;
}

bool symshape::setSameExtents(ShapeFacts &facts, Value source, Value result) {
  source = beforeCasts(source);
  if (!isRankedShaped(source.getType()) || !isRankedShaped(result.getType()))
    return false;
  auto rankOf = [&](Value v) {
    return facts.constant(cast<ShapedType>(v.getType()).getRank());
  };
  if (rankOf(source) != rankOf(result)) {
    facts.require(Relation::eq(rankOf(source), rankOf(result)), "rank");
    return false;
  }
  for (int64_t d = 0, e = cast<ShapedType>(result.getType()).getRank(); d < e;
       ++d)
    setOrRequire(facts, result, d, facts.dim(source, d),
                 "dimension " + Twine(d));
  return true;
}

void symshape::setQueriedDim(ShapeFacts &facts, ShapedDimOpInterface op) {
  Value source = op.getShapedValue(), result = op->getResult(0);
  if (!isRankedShaped(source.getType()))
    return facts.imply(Relation::ge(facts.value(result), facts.constant(0)));
  int64_t rank = cast<ShapedType>(source.getType()).getRank();
  Expr index = facts.value(op.getDimension());
  std::optional<int64_t> d = index.asInt64();
  if (d && *d >= 0 && *d < rank)
    return facts.setValue(result, facts.dim(source, *d));
  facts.require(Formula::conj(Relation::ge(index, facts.constant(0)),
                              Relation::lt(index, facts.constant(rank))),
                "dimension");
  facts.imply(Relation::ge(facts.value(result), facts.constant(0)));
  // It is one of those that the index may stand for.
  symshape::Range range = facts.constraints().bounds(index, Effort::Quick);
  int64_t first = 0, last = rank - 1;
  if (range.min && *range.min > first && *range.min <= last)
    first = int64_t(*range.min);
  if (range.max && *range.max < last && *range.max >= first)
    last = int64_t(*range.max);
  SmallVector<Expr> extents;
  for (int64_t dim = first; dim <= last; ++dim)
    extents.push_back(facts.dim(source, dim));
  if (extents.empty())
    return;
  facts.imply(Relation::le(facts.arena().min(extents), facts.value(result)));
  facts.imply(Relation::le(facts.value(result), facts.arena().max(extents)));
}

void symshape::setSlice(ShapeFacts &facts, Value source, Value result,
                        OffsetSizeAndStrideOpInterface slice) {
  requireSliceInBounds(facts, source, slice);
  visitSliceSizes(result, slice, [&](int64_t d, Value size) {
    facts.setExact(result, d, facts.value(size));
  });
}

void symshape::setCollapsed(ShapeFacts &facts, Value source, Value result,
                            ArrayRef<SmallVector<int64_t, 2>> groups) {
  for (auto [d, group] : llvm::enumerate(groups)) {
    SmallVector<Expr> factors = llvm::map_to_vector(
        group, [&](int64_t part) { return facts.dim(source, part); });
    setOrRequire(facts, result, d, product(facts, factors),
                 "collapsed dimension " + Twine(d));
  }
}

void symshape::setExpanded(ShapeFacts &facts, Value source, Value result,
                           ArrayRef<SmallVector<int64_t, 2>> groups,
                           ArrayRef<OpFoldResult> sizes) {
  for (auto [d, group] : llvm::enumerate(groups)) {
    SmallVector<Expr> factors;
    for (int64_t part : group) {
      Expr size = facts.value(sizes[part]);
      if (!size.isConstant())
        facts.require(Relation::ge(size, facts.constant(0)),
                      "size of dimension " + Twine(part));
      factors.push_back(size);
    }
    requireProduct(facts, factors, facts.dim(source, d),
                   "expanded dimension " + Twine(d));
    for (auto [part, factor] : llvm::zip(group, factors))
      facts.setExact(result, part, factor);
  }
}

void symshape::setDynamicSizes(ShapeFacts &facts, Value result,
                               ValueRange sizes) {
  auto type = cast<ShapedType>(result.getType());
  unsigned next = 0;
  for (int64_t d = 0, rank = type.getRank(); d < rank && next < sizes.size();
       ++d) {
    if (!type.isDynamicDim(d))
      continue;
    Expr size = facts.value(sizes[next++]);
    facts.require(Relation::ge(size, facts.constant(0)),
                  "size of dimension " + Twine(d));
    facts.setExact(result, d, size);
  }
}

void symshape::copyFacts(ShapeFacts &facts, ValueRange sources,
                         ValueRange values) {
  for (auto [source, value] : llvm::zip(sources, values)) {
    if (isRankedShaped(value.getType()))
      facts.copyExtents(source, value);
    else if (value.getType().isInteger(1))
      facts.setCondition(value, facts.condition(source));
    else if (hasIntegerValue(value.getType()))
      facts.setValue(value, facts.value(source));
  }
}

void symshape::visitYielding(ShapeFacts &facts, Region &region,
                             ValueRange results) {
  facts.visitRegion(region, Formula::truth(true));
  if (region.hasOneBlock())
    copyFacts(facts, region.front().getTerminator()->getOperands(), results);
}

void symshape::requireSameExtents(ShapeFacts &facts, Value a, Value b,
                                  const Twine &field) {
  for (int64_t d = 0, rank = cast<ShapedType>(a.getType()).getRank(); d < rank;
       ++d) {
    Expr lhs = facts.dim(a, d), rhs = facts.dim(b, d);
    if (lhs != rhs)
      facts.require(Relation::eq(lhs, rhs), field + ", dimension " + Twine(d));
  }
}

void symshape::requireProduct(ShapeFacts &facts, ArrayRef<Expr> factors,
                              Expr whole, const Twine &field) {
  for (auto [i, factor] : llvm::enumerate(factors)) {
    SmallVector<Expr> others(factors);
    others.erase(others.begin() + i);
    Expr rest = product(facts, others);
    if (rest.isConstant(0) || rest.isConstant(1) || !rest.isConstant() ||
        factor != facts.arena().floorDiv(whole, rest))
      continue;
    facts.require(Relation::divides(rest, whole), field);
    return facts.imply(Relation::eq(product(facts, factors), whole));
  }
  facts.require(Relation::eq(product(facts, factors), whole), field);
}

Expr symshape::product(ShapeFacts &facts, ArrayRef<Expr> factors) {
  Expr result = facts.constant(1);
  for (Expr factor : factors)
    result = result * factor;
  return result;
}

bool symshape::isAtLeast(ShapeFacts &facts, Expr e, int64_t bound) {
  return facts.constraints().isProvably(Relation::ge(e, facts.constant(bound)));
}

//===----------------------------------------------------------------------===//
// IterationSpace
//===----------------------------------------------------------------------===//

IterationSpace::IterationSpace(ShapeFacts &facts, ArrayRef<Expr> extents)
    : facts(facts), arena(facts.arena()) {
  marker = arena.freshSymbol("%mark").id();
  for (Expr extent : extents) {
    symbols.push_back(facts.iterationSymbol(facts.constant(0), extent - 1));
    std::optional<int64_t> constant = extent.asInt64();
    if (!constant || *constant < 1)
      isReached =
          Formula::conj(isReached, Relation::ge(extent, facts.constant(1)));
  }
}

// A symbol made before the region was visited means the same in every
// iteration, unless it is a name that was bound inside. One made later may
// stand for a value inside. What a name stands for uses earlier symbols only,
// so this ends.
bool symshape::isInvariant(ShapeFacts &facts, Expr symbol, unsigned marker) {
  SmallVector<Expr> work{symbol};
  while (!work.empty()) {
    Expr next = work.pop_back_val();
    if (next.id() > marker)
      return false;
    if (Expr value = facts.boundValue(next))
      facts.arena().collectSymbols(value, work);
  }
  return true;
}

ElementFn
IterationSpace::functionOf(Expr e, ArrayRef<unsigned> positionOfCounter) const {
  for (Expr symbol : e.symbols())
    if (!llvm::is_contained(symbols, symbol) &&
        !isInvariant(facts, symbol, marker))
      return nullptr;
  ExprArena *exprs = &arena;
  return [exprs, e, counters = symbols,
          places = SmallVector<unsigned>(positionOfCounter)](
             ArrayRef<Expr> position) {
    return exprs->substitute(e, [&](Expr symbol) -> Expr {
      size_t i = llvm::find(counters, symbol) - counters.begin();
      return i < counters.size() && places[i] < position.size()
                 ? position[places[i]]
                 : Expr();
    });
  };
}
