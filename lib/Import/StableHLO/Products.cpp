//===- Products.cpp - Sums of products ------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `dot_general`, and `dot`: a nest over batch axes, free axes of either side,
// and contracting axes. `einsum` has a loop per letter. Elements are converted
// to the type of the result.
//
//===----------------------------------------------------------------------===//

#include "Products.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

Value mlir::symshape::stablehlo::addProduct(Node &n, Value sum, Value x,
                                            Type xType, Value y, Type yType,
                                            Type resultType) {
  Scalars s(n.b, n.loc);
  Value left = s.convert(x, xType, resultType);
  Value right = s.convert(y, yType, resultType);
  if (!left || !right) {
    (void)n.fail("elements of type " + llvm::to_string(xType) +
                 " are not supported");
    return sum;
  }
  Type types[] = {resultType, resultType};
  DictionaryAttr none = n.b.getDictionaryAttr({});
  Value product =
      s.compute(ScalarOp{"multiply", types, resultType, none}, {left, right});
  Value added = product ? s.compute(ScalarOp{"add", types, resultType, none},
                                    {sum, product})
                        : Value();
  if (!added)
    (void)n.fail("elements of type " + llvm::to_string(resultType) +
                 " are not supported");
  return added ? added : sum;
}

/// The sum over all that `out` does not have, of products of elements of the
/// operands at `places`, added to `init`. Null after an error.
static Value sumProducts(Node &n, ValueRange operands, Value init,
                         ArrayRef<SmallVector<AffineExpr>> places,
                         ArrayRef<AffineExpr> out, unsigned numLoops) {
  if (n.hasFailed())
    return Value();
  Type element = n.resultElement();
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> each : places)
    maps.push_back(AffineMap::get(numLoops, 0, each, n.b.getContext()));
  maps.push_back(AffineMap::get(numLoops, 0, out, n.b.getContext()));
  SmallVector<bool> isReduction(numLoops, true);
  for (AffineExpr expr : out)
    isReduction[cast<AffineDimExpr>(expr).getPosition()] = false;
  SmallVector<Value> sums = n.generic(
      operands, init, maps, isReduction,
      [&](OpBuilder &, Location, ValueRange v) -> SmallVector<Value> {
        if (v.size() == 3)
          return {addProduct(n, v[2], v[0], n.element(0), v[1], n.element(1),
                             element)};
        Type types[] = {element, element};
        Value sum = Scalars(n.b, n.loc)
                        .compute(ScalarOp{"add", types, element,
                                          n.b.getDictionaryAttr({})},
                                 {v[1], v[0]});
        if (!sum)
          (void)n.fail("elements of type " + llvm::to_string(element) +
                       " are not supported");
        return {sum ? sum : v[1]};
      });
  return n.hasFailed() ? Value() : sums.front();
}

/// Zeros, to which products are added.
static Value makeInit(Node &n, ArrayRef<OpFoldResult> sizes) {
  return n.fill(sizes, n.zero(signless(n.resultElement())));
}

Value mlir::symshape::stablehlo::dotOver(Node &n, Value x, Value y,
                                         const DotAxes &axes, Value init) {
  if (!x || !y || n.hasFailed())
    return Value();
  auto rankOf = [](Value v) {
    return cast<RankedTensorType>(v.getType()).getRank();
  };
  SmallVector<AffineExpr> left(rankOf(x)), right(rankOf(y)), out;
  SmallVector<OpFoldResult> sizes;
  unsigned next = 0;
  auto bind = [&](SmallVectorImpl<AffineExpr> &places, int64_t axis) {
    if (places[axis])
      (void)n.fail("expected no axis twice");
    places[axis] = n.b.getAffineDimExpr(next);
  };
  for (auto [i, j] : llvm::zip(axes.leftBatch, axes.rightBatch)) {
    sizes.push_back(n.extent(x, i));
    bind(left, i);
    bind(right, j);
    out.push_back(n.b.getAffineDimExpr(next++));
  }
  // Free axes: those that are neither batch nor sum.
  auto addFree = [&](Value tensor, SmallVectorImpl<AffineExpr> &places,
                     ArrayRef<int64_t> sum) {
    for (size_t axis = 0; axis < places.size(); ++axis) {
      if (places[axis] || llvm::is_contained(sum, axis))
        continue;
      sizes.push_back(n.extent(tensor, axis));
      bind(places, axis);
      out.push_back(n.b.getAffineDimExpr(next++));
    }
  };
  addFree(x, left, axes.leftSum);
  addFree(y, right, axes.rightSum);
  for (auto [i, j] : llvm::zip(axes.leftSum, axes.rightSum)) {
    bind(left, i);
    bind(right, j);
    ++next;
  }
  return sumProducts(n, {x, y}, init ? init : makeInit(n, sizes), {left, right},
                     out, next);
}

DotAxes mlir::symshape::stablehlo::readDotAxes(Node &n) {
  int64_t left = n.rank(0), right = n.rank(1);
  DotAxes axes{n.axes("lhs_batching_dimensions", left),
               n.axes("rhs_batching_dimensions", right),
               n.axes("lhs_contracting_dimensions", left),
               n.axes("rhs_contracting_dimensions", right)};
  if (axes.leftBatch.size() != axes.rightBatch.size() ||
      axes.leftSum.size() != axes.rightSum.size())
    (void)n.fail("expected as many axes of either side");
  return axes;
}

/// Sets the result; a failure if there is none.
static LogicalResult setOrFail(Node &n, Value result) {
  return result ? n.set(0, result) : failure();
}

static LogicalResult dotGeneral(Node &n) {
  return setOrFail(n, dotOver(n, n.tensor(0), n.tensor(1), readDotAxes(n)));
}

/// The last axis of the left side and the first of the right one.
static LogicalResult dot(Node &n) {
  if (n.rank(0) < 1 || n.rank(1) < 1)
    return n.fail("expected vectors or matrices");
  return setOrFail(
      n, dotOver(n, n.tensor(0), n.tensor(1), {{}, {}, {n.rank(0) - 1}, {0}}));
}

/// One letter per axis: `...` is that of numbers, the last axis 0.
static std::optional<std::string> lettersOf(StringRef term, int64_t rank) {
  auto [before, behind] = term.split("...");
  std::string letters = before.str();
  int64_t hidden = rank - static_cast<int64_t>(before.size() + behind.size());
  if (term.contains("..."))
    for (int64_t i = hidden; i > 0 && hidden <= 10; --i)
      letters += static_cast<char>('0' + i - 1);
  letters += behind;
  if (static_cast<int64_t>(letters.size()) != rank ||
      !llvm::all_of((before + behind).str(),
                    [](char c) { return llvm::isAlpha(c); }))
    return std::nullopt;
  return letters;
}

/// Of one operand or two, whose terms an arrow ends.
static LogicalResult einsum(Node &n) {
  std::string equation =
      llvm::join(llvm::split(n.word("einsum_config"), ' '), "");
  auto [left, right] = StringRef(equation).split("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  auto refuse = [&] {
    return n.fail("expected an equation of the operands, but got '" +
                  n.word("einsum_config") + "'");
  };
  auto declared = n.resultType();
  if (!declared || terms.size() != n.count())
    return refuse();
  std::string loops; ///< the letter of each
  SmallVector<OpFoldResult> sizes;
  SmallVector<Value> operands;
  SmallVector<SmallVector<AffineExpr>> places(n.count());
  for (auto [i, term] : llvm::enumerate(terms)) {
    operands.push_back(n.tensor(i));
    auto letters = lettersOf(term, n.rank(i));
    if (!operands.back() || !letters)
      return refuse();
    for (auto [axis, letter] : llvm::enumerate(*letters)) {
      size_t loop = loops.find(letter);
      if (loop == std::string::npos) {
        loop = loops.size();
        loops += letter;
        sizes.push_back(n.extent(operands[i], axis));
      }
      AffineExpr place = n.b.getAffineDimExpr(loop);
      if (llvm::is_contained(places[i], place))
        return n.fail("expected no axis twice in one operand, but got '" +
                      n.word("einsum_config") + "'");
      places[i].push_back(place);
    }
  }
  auto letters = lettersOf(right, declared.getRank());
  if (!letters)
    return refuse();
  SmallVector<AffineExpr> out;
  SmallVector<OpFoldResult> outSizes;
  for (char letter : *letters) {
    size_t loop = loops.find(letter);
    AffineExpr place = n.b.getAffineDimExpr(loop);
    if (loop == std::string::npos || llvm::is_contained(out, place))
      return refuse();
    out.push_back(place);
    outSizes.push_back(sizes[loop]);
  }
  return setOrFail(n, sumProducts(n, operands, makeInit(n, outSizes), places,
                                  out, loops.size()));
}

void mlir::symshape::stablehlo::addProductOps(Registry &registry) {
  registry["dot"] = Definition{dot, 2, 1};
  registry["dot_general"] = Definition{dotGeneral, 2, 1};
  registry["einsum"] = Definition{einsum, 2, 1};
  registry["unary_einsum"] = Definition{einsum, 1, 1};
  addRaggedDotOps(registry);
  addConvolutionOps(registry);
}
