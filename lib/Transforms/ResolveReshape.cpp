//===- ResolveReshape.cpp - Reshapes with a proved target -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResolveReshape.h"
#include "StaticTypes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Dims [sourceBegin, sourceEnd) of the source become [targetBegin, targetEnd).
struct Group {
  int64_t sourceBegin, sourceEnd, targetBegin, targetEnd;
};
} // namespace

static Expr product(ExprArena &arena, ArrayRef<Expr> exprs) {
  Expr result = arena.one();
  for (Expr e : exprs)
    result = result * e;
  return result;
}

/// Whether a group of these dims may have no elements and a dim that the others
/// do not determine. Upstream folds assume such a dim to be that of the source.
static bool isAmbiguous(Expr product, ArrayRef<Expr> source,
                        ArrayRef<Expr> target) {
  auto isDynamic = [](Expr e) { return !e.isConstant(); };
  return product.isConstant(0) &&
         (llvm::any_of(source, isDynamic) || llvm::any_of(target, isDynamic));
}

/// The split of both shapes into the most groups with provably equal products;
/// empty when even the totals are not proved equal. Cost: at most the product
/// of the squared ranks questions.
static SmallVector<Group> splitIntoGroups(ConstraintSet &facts,
                                          ArrayRef<Expr> source,
                                          ArrayRef<Expr> target) {
  ExprArena &arena = facts.arena();
  int64_t n = source.size(), m = target.size();
  struct Best {
    int64_t groups = -1;
    Group last{};
  };
  SmallVector<Best> best((n + 1) * (m + 1));
  auto at = [&](int64_t i, int64_t j) -> Best & {
    return best[i * (m + 1) + j];
  };
  at(0, 0).groups = 0;
  for (int64_t i = 1; i <= n; ++i)
    for (int64_t j = 1; j <= m; ++j)
      for (int64_t a = i - 1; a >= 0; --a)
        for (int64_t b = j - 1; b >= 0; --b) {
          int64_t groups = at(a, b).groups;
          if (groups < 0 || groups + 1 <= at(i, j).groups)
            continue;
          Expr from = product(arena, source.slice(a, i - a));
          Expr to = product(arena, target.slice(b, j - b));
          if (isAmbiguous(from, source.slice(a, i - a), target.slice(b, j - b)))
            continue;
          if (facts.isProvably(Relation::eq(from, to)))
            at(i, j) = {groups + 1, {a, i, b, j}};
        }
  SmallVector<Group> groups;
  if (at(n, m).groups < 0)
    return groups;
  for (int64_t i = n, j = m; i > 0;) {
    Group last = at(i, j).last;
    groups.insert(groups.begin(), last);
    i = last.sourceBegin;
    j = last.targetBegin;
  }
  return groups;
}

/// The size of dims [begin, end) as one dimension.
static int64_t mergedSize(ArrayRef<int64_t> shape, int64_t begin, int64_t end) {
  int64_t size = 1;
  for (int64_t d : shape.slice(begin, end - begin)) {
    if (ShapedType::isDynamic(d) || llvm::MulOverflow(size, d, size))
      return ShapedType::kDynamic;
  }
  return size;
}

static SmallVector<ReassociationIndices> reassociation(ArrayRef<Group> groups,
                                                       bool ofTarget) {
  SmallVector<ReassociationIndices> result;
  for (const Group &g : groups) {
    auto [begin, end] = ofTarget ? std::pair(g.targetBegin, g.targetEnd)
                                 : std::pair(g.sourceBegin, g.sourceEnd);
    result.emplace_back(llvm::to_vector(llvm::seq(begin, end)));
  }
  return result;
}

/// The target extent of dimension `d`, which types do not say.
static Value targetSize(OpBuilder &builder, Operation *op, int64_t d) {
  Location loc = op->getLoc();
  if (auto reshape = dyn_cast<symshape::ReshapeOp>(op))
    return getValueOrCreateConstantIndexOp(builder, loc,
                                           reshape.getMixedSizes()[d]);
  Value shape = cast<tensor::ReshapeOp>(op).getShape();
  Value size;
  if (auto elements = shape.getDefiningOp<tensor::FromElementsOp>())
    size = elements.getElements()[d];
  else
    size = tensor::ExtractOp::create(
        builder, loc, shape,
        arith::ConstantIndexOp::create(builder, loc, d).getResult());
  if (!size.getType().isIndex())
    size =
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), size);
  return size;
}

static SmallVector<OpFoldResult> targetSizes(OpBuilder &builder,
                                             Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpFoldResult> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(targetSize(builder, op, d));
    else
      sizes.push_back(builder.getIndexAttr(type.getDimSize(d)));
  return sizes;
}

LogicalResult mlir::symshape::resolveReshape(FunctionShapes &shapes,
                                             Operation *op) {
  Value value = op->getOperand(0);
  auto source = dyn_cast<RankedTensorType>(value.getType());
  auto target = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!source || !target)
    return failure();
  // Facts of the entry only: a fact that an op states later does not hold yet.
  SmallVector<Expr> from, to;
  for (int64_t d = 0; d < source.getRank(); ++d)
    from.push_back(shapes.dim(value, d));
  for (int64_t d = 0; d < target.getRank(); ++d)
    to.push_back(shapes.dim(op->getResult(0), d));
  SmallVector<Group> groups = splitIntoGroups(shapes.entryFacts(), from, to);
  if (groups.empty())
    return failure();

  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type element = source.getElementType();
  SmallVector<int64_t> collapsed, expandable;
  for (const Group &g : groups) {
    collapsed.push_back(
        mergedSize(source.getShape(), g.sourceBegin, g.sourceEnd));
    expandable.push_back(
        mergedSize(target.getShape(), g.targetBegin, g.targetEnd));
  }
  int64_t numGroups = groups.size();
  if (numGroups != source.getRank())
    value = tensor::CollapseShapeOp::create(
        builder, loc, RankedTensorType::get(collapsed, element), value,
        reassociation(groups, /*ofTarget=*/false));
  value =
      castTo(builder, loc, value, RankedTensorType::get(expandable, element));
  if (numGroups != target.getRank())
    value = tensor::ExpandShapeOp::create(
        builder, loc, target, value, reassociation(groups, /*ofTarget=*/true),
        targetSizes(builder, op));
  op->getResult(0).replaceAllUsesWith(castTo(builder, loc, value, target));
  op->erase();
  return success();
}
