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

void dimRule(DimOp op, ShapeFacts &facts) { setQueriedDim(facts, op); }

void rankRule(RankOp op, ShapeFacts &facts) {
  if (auto type = dyn_cast<MemRefType>(op.getMemref().getType()))
    facts.setValue(op.getResult(), facts.constant(type.getRank()));
}

template <typename OpTy>
void sameDimsRule(OpTy op, ShapeFacts &facts) {
  (void)setSameExtents(facts, op->getOperand(0), op->getResult(0));
}

void distinctRule(DistinctObjectsOp op, ShapeFacts &facts) {
  for (auto [operand, result] : llvm::zip(op.getOperands(), op.getResults()))
    (void)setSameExtents(facts, operand, result);
}

void allocaScopeRule(AllocaScopeOp op, ShapeFacts &facts) {
  visitYielding(facts, op.getBodyRegion(), op.getResults());
}

/// The first op before `op` in its block that reads the same strides; null:
/// none does.
ExtractStridedMetadataOp findEarlierMetadata(ExtractStridedMetadataOp op) {
  ExtractStridedMetadataOp first;
  for (Operation *user : op.getSource().getUsers())
    if (auto other = dyn_cast<ExtractStridedMetadataOp>(user);
        other && other->getBlock() == op->getBlock() &&
        other->isBeforeInBlock(op) && (!first || other->isBeforeInBlock(first)))
      first = other;
  return first;
}

/// Strides and offset are known as far as the type has them; those of an array
/// in row-major order follow from its extents. What is said of the stride of a
/// view holds wherever it is read again.
void metadataRule(ExtractStridedMetadataOp op, ShapeFacts &facts) {
  auto type = cast<MemRefType>(op.getSource().getType());
  for (auto [d, size] : llvm::enumerate(op.getSizes()))
    facts.setValue(size, facts.dim(op.getSource(), d));
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return;
  ExtractStridedMetadataOp earlier = findEarlierMetadata(op);
  if (ShapedType::isStatic(offset))
    facts.setValue(op.getOffset(), facts.constant(offset));
  else if (earlier)
    facts.setValue(op.getOffset(), facts.value(earlier.getOffset()));
  bool isRowMajor = type.getLayout().isIdentity();
  Expr rowMajor = facts.constant(1);
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    Value result = op.getStrides()[d];
    if (ShapedType::isStatic(strides[d]))
      facts.setValue(result, facts.constant(strides[d]));
    else if (isRowMajor)
      facts.setWrapped(result, rowMajor);
    else if (earlier)
      facts.setValue(result, facts.value(earlier.getStrides()[d]));
    rowMajor = rowMajor * facts.dim(op.getSource(), d);
  }
}

void subViewRule(SubViewOp op, ShapeFacts &facts) {
  setSlice(facts, op.getSource(), op.getResult(), op);
}

/// The array that a view is of; null if it is not known, or has gaps. A
/// `memref.view` is an array of elements of its own.
Value arrayOf(Value view) {
  while (auto inner = view.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<ViewOp>(inner))
      break;
    view = inner.getViewSource();
  }
  auto type = dyn_cast<MemRefType>(view.getType());
  return type && type.getLayout().isIdentity() ? view : Value();
}

/// The elements of the result lie in the array that the source is a view of:
/// from the first, with each negative step, to the last, with each positive
/// one.
void reinterpretCastRule(ReinterpretCastOp op, ShapeFacts &facts) {
  Expr zero = facts.constant(0), first = facts.value(op.getMixedOffsets()[0]);
  Expr last = first;
  Formula isEmpty = Formula::truth(false);
  for (auto [d, s, t] :
       llvm::enumerate(op.getMixedSizes(), op.getMixedStrides())) {
    Expr size = facts.value(s), reach = (size - 1) * facts.value(t);
    if (!size.isConstant())
      facts.require(Relation::ge(size, zero), "size of dimension " + Twine(d));
    facts.setExact(op.getResult(), d, size);
    if (!isAtLeast(facts, size, 1))
      isEmpty = Formula::disj(isEmpty, Relation::le(size, zero));
    first = first + facts.arena().min(reach, zero);
    last = last + facts.arena().max(reach, zero);
  }
  Value array = arrayOf(op.getSource());
  if (!array)
    return;
  facts.require(Formula::disj(isEmpty, Relation::ge(first, zero)),
                "first element");
  facts.require(
      Formula::disj(isEmpty,
                    Relation::lt(last, product(facts, facts.dims(array)))),
      "last element");
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
  setCollapsed(facts, op.getSrc(), op.getResult(),
               op.getReassociationIndices());
}

void expandRule(ExpandShapeOp op, ShapeFacts &facts) {
  setExpanded(facts, op.getSrc(), op.getResult(), op.getReassociationIndices(),
              op.getMixedOutputShape());
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
    attachRule<AllocaScopeOp, allocaScopeRule>(context);
    attachRule<AssumeAlignmentOp, sameDimsRule<AssumeAlignmentOp>>(context);
    attachRule<AtomicRMWOp, accessRule<AtomicRMWOp>>(context);
    attachRule<CastOp, sameDimsRule<CastOp>>(context);
    attachRule<CollapseShapeOp, collapseRule>(context);
    attachRule<CopyOp, copyRule>(context);
    attachRule<DimOp, dimRule>(context);
    attachRule<DistinctObjectsOp, distinctRule>(context);
    attachRule<ExpandShapeOp, expandRule>(context);
    attachRule<ExtractStridedMetadataOp, metadataRule>(context);
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
