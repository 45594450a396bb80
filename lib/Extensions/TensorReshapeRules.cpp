//===- TensorReshapeRules.cpp - Shape rules of reshapes of tensors --------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Casts and reshapes: what keeps the elements and changes the dimensions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::tensor;

namespace {
/// A cast changes no extent; to a static type it requires that they fit.
void castRule(CastOp op, ShapeFacts &facts) {
  Value source = beforeCasts(op.getSource());
  ShapeFacts *all = &facts;
  if (setSameExtents(facts, source, op) &&
      hasIntegerValue(op.getType().getElementType()))
    facts.setElements(op.getResult(), [all, source](ArrayRef<Expr> position) {
      return all->element(source, position);
    });
}

void bitcastRule(BitcastOp op, ShapeFacts &facts) {
  (void)setSameExtents(facts, op.getSource(), op);
}

/// The position in a tensor of these groups of sizes, in row-major order.
SmallVector<Expr> linearize(ArrayRef<ReassociationIndices> groups,
                            ArrayRef<Expr> sizes, ArrayRef<Expr> position) {
  SmallVector<Expr> result;
  for (const ReassociationIndices &group : groups) {
    Expr linear = position[group.front()];
    for (int64_t d : llvm::drop_begin(group))
      linear = linear * sizes[d] + position[d];
    result.push_back(linear);
  }
  return result;
}

void collapseRule(CollapseShapeOp op, ShapeFacts &facts) {
  // To rank 0, each dimension of the source has extent 1.
  if (op.getResultType().getRank() == 0)
    for (Expr e : facts.dims(op.getSrc()))
      facts.require(Relation::eq(e, facts.constant(1)), "collapsed dimension");
  setCollapsed(facts, op.getSrc(), op.getResult(),
               op.getReassociationIndices());
  // Elements keep a plain position if a group has one dimension besides ones.
  SmallVector<int64_t> groupOfDim(op.getSrcType().getRank(), -1);
  for (auto [d, group] : llvm::enumerate(op.getReassociationIndices())) {
    SmallVector<int64_t> wide;
    for (int64_t source : group)
      if (!facts.dim(op.getSrc(), source).isConstant(1))
        wide.push_back(source);
    if (wide.size() > 1)
      return;
    for (int64_t source : wide)
      groupOfDim[source] = d;
  }
  if (hasIntegerElements(op.getSrc())) {
    ShapeFacts *all = &facts;
    Value source = op.getSrc();
    facts.setElements(
        op.getResult(), [all, source, groupOfDim](ArrayRef<Expr> position) {
          SmallVector<Expr> at;
          for (int64_t group : groupOfDim)
            at.push_back(group < 0 ? all->constant(0) : position[group]);
          return all->element(source, at);
        });
  }
}

void expandRule(ExpandShapeOp op, ShapeFacts &facts) {
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  setExpanded(facts, op.getSrc(), op.getResult(), op.getReassociationIndices(),
              sizes);
  if (op.getSrcType().getRank() == 0)
    for (auto [d, size] : llvm::enumerate(sizes)) {
      facts.require(Relation::eq(facts.value(size), facts.constant(1)),
                    "size of dimension " + Twine(d));
      facts.setExact(op.getResult(), d, facts.constant(1));
    }
  if (!hasIntegerElements(op.getSrc()))
    return;
  ShapeFacts *all = &facts;
  Value source = op.getSrc();
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  SmallVector<Expr> extents = facts.dims(op.getResult());
  facts.setElements(
      op.getResult(), [all, source, groups, extents](ArrayRef<Expr> position) {
        return all->element(source, linearize(groups, extents, position));
      });
}

/// The target extents are the elements of the shape operand. They are >= 0 and
/// have the element count of the source.
void reshapeRule(tensor::ReshapeOp op, ShapeFacts &facts) {
  auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
  auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!type || !source)
    return;
  SmallVector<Expr> target;
  for (int64_t d = 0, rank = type.getRank(); d < rank; ++d) {
    Expr e = facts.element(op.getShape(), {facts.constant(d)});
    if (!e) {
      target.push_back(facts.dim(op.getResult(), d));
      continue;
    }
    if (type.isDynamicDim(d))
      facts.require(Relation::ge(e, facts.constant(0)),
                    "target extent of dimension " + Twine(d));
    setOrRequire(facts, op.getResult(), d, e,
                 "target extent of dimension " + Twine(d));
    target.push_back(facts.dim(op.getResult(), d));
  }
  facts.require(Relation::eq(product(facts, facts.dims(op.getSource())),
                             product(facts, target)),
                "element count");
}
} // namespace

void symshape::registerTensorReshapeRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TensorDialect *) {
    attachRule<BitcastOp, bitcastRule>(context);
    attachRule<CastOp, castRule>(context);
    attachRule<CollapseShapeOp, collapseRule>(context);
    attachRule<ExpandShapeOp, expandRule>(context);
    attachRule<tensor::ReshapeOp, reshapeRule>(context);
  });
}
