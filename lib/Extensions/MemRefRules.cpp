//===- MemRefRules.cpp - Shape rules of memref ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that make, view and access memrefs.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Extensions/RuleHelpers.h"
#include "symshape/IR/ElementBytes.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::memref;

namespace {
template <typename OpTy>
void allocRule(OpTy op, ShapeFacts &facts) {
  setDynamicSizes(facts, op.getResult(), op.getDynamicSizes());
}

void reallocRule(ReallocOp op, ShapeFacts &facts) {
  if (Value size = op.getDynamicResultSize())
    setDynamicSizes(facts, op.getResult(), ValueRange(size));
}

void dimRule(DimOp op, ShapeFacts &facts) {
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  if (!type)
    return;
  Expr index = facts.value(op.getIndex());
  std::optional<int64_t> d = index.asInt64();
  if (d && *d >= 0 && *d < type.getRank())
    return facts.setValue(op.getResult(), facts.dim(op.getSource(), *d));
  facts.require(
      Formula::conj(Formula::literal(Relation::ge(index, facts.constant(0))),
                    Formula::literal(
                        Relation::lt(index, facts.constant(type.getRank())))),
      "dimension");
  facts.imply(Relation::ge(facts.value(op.getResult()), facts.constant(0)));
}

void rankRule(RankOp op, ShapeFacts &facts) {
  if (auto type = dyn_cast<MemRefType>(op.getMemref().getType()))
    facts.setValue(op.getResult(), facts.constant(type.getRank()));
}

/// The result has the dimensions of the source; a static one requires them.
template <typename OpTy>
void sameDimsRule(OpTy op, ShapeFacts &facts) {
  Value source = op->getOperand(0), result = op->getResult(0);
  if (!isa<MemRefType>(source.getType()) || !isa<MemRefType>(result.getType()))
    return;
  for (int64_t d = 0, e = cast<MemRefType>(result.getType()).getRank(); d < e;
       ++d)
    setOrRequire(facts, result, d, facts.dim(source, d),
                 "dimension " + Twine(d));
}

void subViewRule(SubViewOp op, ShapeFacts &facts) {
  requireSliceInBounds(facts, op.getSource(), op);
  visitSliceSizes(op.getResult(), op, [&](int64_t d, Value size) {
    facts.setExact(op.getResult(), d, facts.value(size));
  });
}

void reinterpretCastRule(ReinterpretCastOp op, ShapeFacts &facts) {
  for (auto [d, size] : llvm::enumerate(op.getMixedSizes()))
    facts.setExact(op.getResult(), d, facts.value(size));
}

/// All of the result lies in the bytes of the source.
void viewRule(ViewOp op, ShapeFacts &facts) {
  setDynamicSizes(facts, op.getResult(), op.getSizes());
  Expr shift = facts.value(op.getByteShift());
  facts.require(Relation::ge(shift, facts.constant(0)), "byte shift");
  if (int64_t bytes = bytesOfElement(op, op.getType()))
    facts.require(
        Relation::le(shift + product(facts, facts.dims(op.getResult())) * bytes,
                     facts.dim(op.getSource(), 0)),
        "bytes of the view");
}

void collapseRule(CollapseShapeOp op, ShapeFacts &facts) {
  for (auto [d, group] : llvm::enumerate(op.getReassociationIndices())) {
    SmallVector<Expr> factors;
    for (int64_t source : group)
      factors.push_back(facts.dim(op.getSrc(), source));
    setOrRequire(facts, op.getResult(), d, product(facts, factors),
                 "collapsed dimension " + Twine(d));
  }
}

void expandRule(ExpandShapeOp op, ShapeFacts &facts) {
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  for (auto [d, group] : llvm::enumerate(op.getReassociationIndices())) {
    SmallVector<Expr> factors;
    for (int64_t result : group) {
      Expr size = facts.value(sizes[result]);
      if (!size.isConstant())
        facts.require(Relation::ge(size, facts.constant(0)),
                      "size of dimension " + Twine(result));
      factors.push_back(size);
    }
    requireProduct(facts, factors, facts.dim(op.getSrc(), d),
                   "expanded dimension " + Twine(d));
    for (auto [result, factor] : llvm::zip(group, factors))
      facts.setExact(op.getResult(), result, factor);
  }
}

void transposeRule(TransposeOp op, ShapeFacts &facts) {
  AffineMap map = op.getPermutation();
  for (unsigned d = 0; d < map.getNumResults(); ++d)
    facts.setExact(op.getResult(), d,
                   facts.dim(op.getIn(), map.getDimPosition(d)));
}

template <typename OpTy>
void accessRule(OpTy op, ShapeFacts &facts) {
  requireInBounds(facts, op.getMemref(), op.getIndices());
}

void genericAtomicRule(GenericAtomicRMWOp op, ShapeFacts &facts) {
  requireInBounds(facts, op.getMemref(), op.getIndices());
  facts.visitRegion(op.getAtomicBody(), Formula::truth(true));
}

void copyRule(CopyOp op, ShapeFacts &facts) {
  if (isa<MemRefType>(op.getSource().getType()) &&
      isa<MemRefType>(op.getTarget().getType()))
    requireSameExtents(facts, op.getSource(), op.getTarget(), "target");
}

/// The target extents are read from a buffer that may change: unknown, except
/// for the element count of the source.
void reshapeRule(memref::ReshapeOp op, ShapeFacts &facts) {
  if (!isa<MemRefType>(op.getSource().getType()) ||
      !isa<MemRefType>(op.getType()))
    return;
  facts.require(Relation::eq(product(facts, facts.dims(op.getSource())),
                             product(facts, facts.dims(op.getResult()))),
                "element count");
}
} // namespace

void symshape::registerMemRefRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MemRefDialect *) {
    attachRule<AllocOp, allocRule<AllocOp>>(context);
    attachRule<AllocaOp, allocRule<AllocaOp>>(context);
    attachRule<AssumeAlignmentOp, sameDimsRule<AssumeAlignmentOp>>(context);
    attachRule<AtomicRMWOp, accessRule<AtomicRMWOp>>(context);
    attachRule<CastOp, sameDimsRule<CastOp>>(context);
    attachRule<CollapseShapeOp, collapseRule>(context);
    attachRule<CopyOp, copyRule>(context);
    attachRule<DimOp, dimRule>(context);
    attachRule<ExpandShapeOp, expandRule>(context);
    attachRule<GenericAtomicRMWOp, genericAtomicRule>(context);
    attachRule<LoadOp, accessRule<LoadOp>>(context);
    attachRule<MemorySpaceCastOp, sameDimsRule<MemorySpaceCastOp>>(context);
    attachRule<RankOp, rankRule>(context);
    attachRule<ReallocOp, reallocRule>(context);
    attachRule<ReinterpretCastOp, reinterpretCastRule>(context);
    attachRule<memref::ReshapeOp, reshapeRule>(context);
    attachRule<StoreOp, accessRule<StoreOp>>(context);
    attachRule<SubViewOp, subViewRule>(context);
    attachRule<TransposeOp, transposeRule>(context);
    attachRule<ViewOp, viewRule>(context);
  });
}
