//===- PlainSlices.cpp - Slices and views that stay what they are ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice of sizes [1, %n, 1] may have the type 1x? or ?x1. Its elements are
// the same, whichever dimension is kept: the other has no position but 0.
// Upstream infers from strides which it is (SubViewOp::getDroppedDims): if they
// are equal or dynamic, it takes the first, so that sizes and types no longer
// match; and if steps have changed them, it finds none, and crashes.
//
//===----------------------------------------------------------------------===//

#include "PlainSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::symshape;

/// Whether upstream cannot be wrong about what a slice to `rank` dimensions
/// drops: all of size 1, or some of adjacent ones, with steps of 1, so that
/// strides are those of the source.
static bool isPlainSlice(OffsetSizeAndStrideOpInterface slice, int64_t rank) {
  ArrayRef<int64_t> sizes = slice.getStaticSizes();
  int64_t numUnits = llvm::count(sizes, 1);
  int64_t numDropped = int64_t(sizes.size()) - rank;
  if (numDropped == 0 || numDropped == numUnits)
    return true;
  const int64_t *first = llvm::find(sizes, 1);
  bool areTogether =
      llvm::all_of(ArrayRef(first, sizes.end()).take_front(numUnits),
                   [](int64_t size) { return size == 1; });
  return areTogether && llvm::all_of(slice.getStaticStrides(),
                                     [](int64_t step) { return step == 1; });
}

namespace {
/// The type of a slice: what is left without its dimensions of size 1, and how
/// these are added. No other dimension has this extent in the type: as
/// verified, those are the sizes that are dynamic, or static and not 1, in
/// their order.
struct UnitDims {
  UnitDims(ShapedType type, OffsetSizeAndStrideOpInterface slice);

  SmallVector<int64_t> otherShape;
  /// One per other dimension: it and those of size 1 beside it.
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> sizes; ///< of all dimensions of the type
};
} // namespace

UnitDims::UnitDims(ShapedType type, OffsetSizeAndStrideOpInterface slice) {
  SmallVector<OpFoldResult> others = slice.getMixedSizes();
  llvm::erase_if(others, [](OpFoldResult size) {
    return isa<Attribute>(size) && isConstantIntValue(size, 1);
  });
  Builder builder(slice->getContext());
  ReassociationIndices leading;
  for (auto [d, extent] : llvm::enumerate(type.getShape())) {
    bool isUnit = extent == 1;
    sizes.push_back(isUnit ? OpFoldResult(builder.getIndexAttr(1))
                           : others[otherShape.size()]);
    if (!isUnit) {
      otherShape.push_back(extent);
      groups.push_back(std::move(leading));
      leading.clear();
    }
    (groups.empty() ? leading : groups.back()).push_back(d);
  }
}

static void split(OpBuilder &b, tensor::ExtractSliceOp op) {
  UnitDims dims(op.getType(), op);
  Value part = tensor::ExtractSliceOp::create(
      b, op.getLoc(), op.getType().clone(dims.otherShape), op.getSource(),
      op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides());
  op.replaceAllUsesWith(Value(tensor::ExpandShapeOp::create(
      b, op.getLoc(), op.getType(), part, dims.groups, dims.sizes)));
  op.erase();
}

/// For an insertion, the source loses its dimensions of size 1.
template <typename OpTy>
static void splitInsertion(OpBuilder &b, OpTy op) {
  UnitDims dims(op.getSourceType(), op);
  op.getSourceMutable().assign(tensor::CollapseShapeOp::create(
      b, op.getLoc(), op.getSourceType().clone(dims.otherShape), op.getSource(),
      dims.groups));
}

/// Strides along added dimensions are those of the type, or any.
static void split(OpBuilder &b, memref::SubViewOp op) {
  UnitDims dims(op.getType(), op);
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            sizes = op.getMixedSizes(),
                            steps = op.getMixedStrides();
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      dims.otherShape, op.getSourceType(), offsets, sizes, steps));
  Value part = memref::SubViewOp::create(b, op.getLoc(), type, op.getSource(),
                                         offsets, sizes, steps);
  auto layout = memref::ExtractStridedMetadataOp::create(b, op.getLoc(), part);
  auto [known, knownOffset] = op.getType().getStridesAndOffset();
  OpFoldResult offset = ShapedType::isDynamic(knownOffset)
                            ? OpFoldResult(layout.getOffset())
                            : OpFoldResult(b.getIndexAttr(knownOffset));
  SmallVector<OpFoldResult> strides;
  size_t next = 0;
  for (auto [extent, stride] : llvm::zip(op.getType().getShape(), known)) {
    bool isUnit = extent == 1;
    if (!ShapedType::isDynamic(stride))
      strides.push_back(b.getIndexAttr(stride));
    else if (isUnit)
      strides.push_back(
          Value(arith::ConstantIndexOp::create(b, op.getLoc(), 1)));
    else
      strides.push_back(layout.getStrides()[next]);
    next += !isUnit;
  }
  op.replaceAllUsesWith(Value(memref::ReinterpretCastOp::create(
      b, op.getLoc(), op.getType(), part, offset, dims.sizes, strides)));
  op.erase();
}

void symshape::splitUnitSlices(Operation *root) {
  SmallVector<Operation *> slices;
  root->walk([&](OffsetSizeAndStrideOpInterface slice) {
    ShapedType part;
    if (isa<tensor::ExtractSliceOp, memref::SubViewOp>(slice))
      part = cast<ShapedType>(slice->getResult(0).getType());
    else if (isa<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>(slice))
      part = cast<ShapedType>(slice->getOperand(0).getType());
    if (part && !isPlainSlice(slice, part.getRank()))
      slices.push_back(slice);
  });
  for (Operation *op : slices) {
    OpBuilder b(op);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      split(b, slice);
    else if (auto view = dyn_cast<memref::SubViewOp>(op))
      split(b, view);
    else if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op))
      splitInsertion(b, insertion);
    else {
      b.setInsertionPoint(op->getParentOp());
      splitInsertion(b, cast<tensor::ParallelInsertSliceOp>(op));
    }
  }
}

bool symshape::mayLoseStrides(memref::ReinterpretCastOp op) {
  auto [strides, offset] = op.getType().getStridesAndOffset();
  return op.getType().hasStaticShape() && offset == 0 &&
         llvm::is_contained(strides, ShapedType::kDynamic);
}

void symshape::keepStrides(Operation *root) {
  root->walk([](memref::ReinterpretCastOp op) {
    Value source = op.getSource();
    if (!mayLoseStrides(op) || !isa<MemRefType>(source.getType()) ||
        source.getDefiningOp<memref::ExtractStridedMetadataOp>())
      return;
    OpBuilder b(op);
    op.getSourceMutable().assign(
        memref::ExtractStridedMetadataOp::create(b, op.getLoc(), source)
            .getBaseBuffer());
  });
}
