//===- UpstreamTensors.cpp - Rewrites of tensors and memrefs -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See UpstreamConditions.cpp.
//
//===----------------------------------------------------------------------===//

#include "UpstreamConditions.h"

#include "CastSources.h"
#include "PlainSlices.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "symshape/IR/SymShape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::symshape;

/// Whether it is plain which dims a slice drops, even once constant sizes have
/// become part of its type: all of size 1, or none; or of tensors as many of
/// size 1 as upstream takes from the front, if the same sizes are kept, and no
/// value becomes a 1 among them.
template <typename OpTy>
static bool dropsPlainDims(OpTy op, int64_t reducedRank) {
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  int64_t dropped = sizes.size() - reducedRank;
  auto isOne = [](OpFoldResult size) { return isConstantIntValue(size, 1); };
  if (dropped == 0 || llvm::count_if(sizes, isOne) == dropped)
    return true;
  if constexpr (std::is_same_v<OpTy, memref::SubViewOp>) {
    return false;
  } else {
    SmallVector<OpFoldResult> kept, front;
    llvm::SmallBitVector isDropped = op.getDroppedDims();
    for (auto [d, size] : llvm::enumerate(sizes)) {
      if (isa<Value>(size) && isOne(size))
        return false;
      if (!isDropped.test(d))
        kept.push_back(size);
      if (dropped > 0 && isOne(size))
        --dropped;
      else
        front.push_back(size);
    }
    return kept == front;
  }
}

/// Whether a constant operand would stand for "a value" as an attribute.
static bool hasSentinel(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    return getConstantIntValue(operand) == ShapedType::kDynamic;
  });
}

static bool slicesPlainly(Operation *op) {
  if (hasSentinel(op))
    return false;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return dropsPlainDims(slice, slice.getType().getRank());
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return dropsPlainDims(slice, slice.getSourceType().getRank());
  if (auto slice = dyn_cast<tensor::ParallelInsertSliceOp>(op))
    return dropsPlainDims(slice, slice.getSourceType().getRank());
  auto view = cast<memref::SubViewOp>(op);
  return dropsPlainDims(view, view.getType().getRank());
}

/// A cast of a slice becomes part of its type: sizes that it says are 1 must
/// not be mistaken for dropped ones, and must lie in the source, even where a
/// check has ended the call before.
static bool castsPlainSlice(Operation *op) {
  auto slice = op->getOperand(0).getDefiningOp<tensor::ExtractSliceOp>();
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!slice || !type)
    return true;
  if (type.getRank() != slice.getSourceType().getRank() &&
      (!slicesPlainly(slice) || llvm::count(type.getShape(), 1) !=
                                    llvm::count(slice.getType().getShape(), 1)))
    return false;
  SmallVector<int64_t> sizes(slice.getStaticSizes());
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  int64_t kept = 0;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (!dropped.test(d))
      if (int64_t said = type.getDimSize(kept++); ShapedType::isDynamic(size))
        size = said;
  return verifyInBoundsSlice(slice.getSourceType().getShape(),
                             slice.getStaticOffsets(), sizes,
                             slice.getStaticStrides())
      .isValid;
}

/// The same if what is inserted is a cast.
static bool insertsPlainSlice(Operation *op) {
  auto cast = op->getOperand(0).getDefiningOp<tensor::CastOp>();
  auto [source, dest] =
      std::pair(op->getOperand(0).getType(), op->getOperand(1).getType());
  return llvm::cast<ShapedType>(source).getRank() ==
             llvm::cast<ShapedType>(dest).getRank() ||
         (!cast && slicesPlainly(op));
}

/// A padding takes the type of a cast of it, which may be in a branch that is
/// not reached.
static bool isCastBeside(Operation *op) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    return user->getBlock() == op->getBlock();
  });
}

/// Upstream joins what three types say, and crashes where the first two
/// contradict each other: behind a check that always fails, folds make casts
/// that do not verify.
static bool agreesWithSource(Operation *op) {
  auto inner = op->getOperand(0).getDefiningOp<tensor::CastOp>();
  return !inner || succeeded(verifyCompatibleShape(inner.getSource().getType(),
                                                   inner.getType()));
}

/// Some verifiers refuse a static extent beside an open one, which
/// InferStaticShapeOfOperands makes static next.
static bool isValidOnceInferred(Operation *op) {
  if (!isa<linalg::TransposeOp, linalg::BroadcastOp, linalg::ReduceOp,
           linalg::MapOp>(op))
    return false;
  auto structured = cast<linalg::LinalgOp>(op);
  SmallVector<int64_t> loops(structured.getNumLoops(), ShapedType::kDynamic);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [expr, extent] :
         llvm::zip(structured.getMatchingIndexingMap(&operand).getResults(),
                   structured.getShape(&operand))) {
      int64_t &loop = loops[cast<AffineDimExpr>(expr).getPosition()];
      if (ShapedType::isStatic(loop) && ShapedType::isStatic(extent) &&
          loop != extent)
        return false;
      loop = ShapedType::isStatic(extent) ? extent : loop;
    }
  return structured.hasPureTensorSemantics();
}

/// What is read from all of a tensor, and written over all of another, becomes
/// the first, although masks may leave some of it.
static bool copiesAll(Operation *op) {
  auto write = cast<vector::TransferWriteOp>(op);
  auto read = write.getVector().getDefiningOp<vector::TransferReadOp>();
  return !read || (!read.getMask() && !write.getMask());
}

/// Upstream reads what casts are of instead of the casts, whose static extents
/// may contradict those of other operands where the op is not reached.
static bool agreesWithCasts(Operation *op) {
  if (!isUnmasked(op))
    return false;
  if (!readsCasts(op))
    return true;
  OwningOpRef<Operation *> copy = cloneReadingSources(op);
  return isValidAlone(*copy) || isValidOnceInferred(*copy);
}

/// A structured op takes the type of a cast of its result, which may contradict
/// those of its operands.
static bool agreesWithProducer(Operation *op) {
  auto linalgOp = op->getOperand(0).getDefiningOp<linalg::LinalgOp>();
  if (!linalgOp)
    return true;
  unsigned init = linalgOp.getTiedOpOperand(cast<OpResult>(op->getOperand(0)))
                      ->getOperandNumber();
  return isValidAlone(*cloneReading(linalgOp, [&](OpOperand &operand) {
    return operand.getOperandNumber() == init ? op->getResult(0)
                                              : operand.get();
  }));
}

/// A padding of a cast becomes one of its source.
static bool padsAsDeclared(Operation *op) {
  auto pad = cast<tensor::PadOp>(op);
  auto source = cast<RankedTensorType>(skipCast(pad.getSource()).getType());
  return succeeded(verifyCompatibleShape(
      tensor::PadOp::inferResultType(source, pad.getStaticLow(),
                                     pad.getStaticHigh()),
      pad.getResultType()));
}

/// A padding of a padding becomes one by the sum of both. If the first one is
/// used otherwise, as where each of a chain rounds up the extent of the one
/// before, it is computed all the same, and each sum is longer than the last.
static bool padsForItsOnlyUser(Operation *op) {
  return cast<tensor::PadOp>(op).getSource().hasOneUse();
}

static bool readsPlainView(Operation *op) {
  auto view =
      cast<memref::DimOp>(op).getSource().getDefiningOp<memref::SubViewOp>();
  return !view || slicesPlainly(view);
}

/// Upstream replaces a view with the type of its source by the source, even if
/// its strides are values: see keepStrides.
static bool hasKnownStrides(Operation *op) {
  return !mayLoseStrides(cast<memref::ReinterpretCastOp>(op));
}

/// Upstream computes the type of a collapsed source of known type, and crashes
/// if its elements do not lie side by side.
static bool collapsesPlainly(Operation *op) {
  auto collapse = cast<memref::CollapseShapeOp>(op);
  auto cast = collapse.getSrc().getDefiningOp<memref::CastOp>();
  auto source =
      cast ? dyn_cast<MemRefType>(cast.getSource().getType()) : MemRefType();
  return !source || memref::CollapseShapeOp::isGuaranteedCollapsible(
                        source, collapse.getReassociationIndices());
}

/// Upstream reads an element of a buffer from the tensor that it was made from,
/// even if the buffer has been written to in between.
static bool readsOnly(Operation *op) {
  auto buffer = op->getOperand(0).getDefiningOp<bufferization::ToBufferOp>();
  return !buffer || buffer.getReadOnly();
}

/// If the product of a group is 0, it does not determine the other dims.
static bool hasNoZero(Operation *op) {
  auto isZero = [](Type type) {
    auto shaped = cast<ShapedType>(type);
    return !shaped.hasStaticShape() && llvm::is_contained(shaped.getShape(), 0);
  };
  Operation *inner = op->getOperand(0).getDefiningOp();
  return !isZero(op->getResult(0).getType()) &&
         (!inner || inner->getNumOperands() == 0 ||
          !isa<ShapedType>(inner->getOperand(0).getType()) ||
          !isZero(inner->getOperand(0).getType()));
}

/// Upstream multiplies the sizes that a collapse joins, and takes what comes
/// out, which may have wrapped, for the size of an expansion.
static bool multipliesNoSize(Operation *op) {
  Operation *expand = op->getOperand(0).getDefiningOp();
  if (!expand || expand->getNumOperands() == 0)
    return true;
  auto type = cast<ShapedType>(op->getOperand(0).getType());
  auto source = dyn_cast<ShapedType>(expand->getOperand(0).getType());
  auto result = cast<ShapedType>(op->getResult(0).getType());
  if (!source || !source.hasRank() || source.getRank() >= result.getRank())
    return true;
  auto groups =
      isa<tensor::CollapseShapeOp>(op)
          ? cast<tensor::CollapseShapeOp>(op).getReassociationIndices()
          : cast<memref::CollapseShapeOp>(op).getReassociationIndices();
  return llvm::all_of(groups, [&](const ReassociationIndices &group) {
    auto isOne = [&](int64_t dim) { return type.getDimSize(dim) == 1; };
    return llvm::none_of(group,
                         [&](int64_t dim) { return type.isDynamicDim(dim); }) ||
           llvm::count_if(group, isOne) + 1 >= int64_t(group.size());
  });
}

/// Constant sizes become extents of a type, which must not be negative.
static bool hasPlainSizes(Operation *op) {
  int64_t product = 1;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    APInt value;
    if (!isa<IndexType>(operand.getType()) ||
        !matchPattern(operand, m_ConstantInt(&value)))
      return true;
    return !value.isNegative() &&
           !llvm::MulOverflow(
               product, std::max<int64_t>(value.getSExtValue(), 1), product);
  });
}

/// The same of an expansion, whose sizes are taken for those of the dynamic
/// dims of its type; but a static one may have a size as well.
static bool expandsPlainly(Operation *op) {
  auto expand = cast<tensor::ExpandShapeOp>(op);
  return hasPlainSizes(op) &&
         expand.getStaticOutputShape() == expand.getResultType().getShape();
}

static bool expandsCast(Operation *op) {
  return hasPlainSizes(op) && agreesWithCasts(op);
}

/// A view of a cast becomes a view of its source, which must be one that a view
/// can have.
static bool viewsPlainSource(Operation *op) {
  auto cast = op->getOperand(0).getDefiningOp<memref::CastOp>();
  if (!cast)
    return true;
  auto source = dyn_cast<MemRefType>(cast.getSource().getType());
  return source && source.getLayout().isIdentity();
}

/// A view of a cast becomes a view of its source, whose static extents may show
/// that it is out of bounds: the op is not reached then.
static bool viewsPartOfSource(Operation *op) {
  if (!slicesPlainly(op))
    return false;
  auto view = cast<memref::SubViewOp>(op);
  auto cast = view.getSource().getDefiningOp<memref::CastOp>();
  auto source =
      cast ? dyn_cast<MemRefType>(cast.getSource().getType()) : MemRefType();
  return !source ||
         verifyInBoundsSlice(source.getShape(), view.getStaticOffsets(),
                             view.getStaticSizes(), view.getStaticStrides())
             .isValid;
}

/// An insertion of a padded tensor becomes one of the unpadded tensor, at an
/// offset computed for a step of 1.
static bool hasUnitStrides(Operation *op) {
  return cast<tensor::InsertSliceOp>(op).hasUnitStride();
}

static bool hasInferredType(Operation *op) {
  auto concat = cast<tensor::ConcatOp>(op);
  return concat.getType() == tensor::ConcatOp::inferResultType(
                                 concat.getDim(), concat->getOperandTypes());
}

/// A pack and an unpack cancel if types say that nothing was cut off.
static bool isWholeTiles(Operation *op) {
  auto isWhole = [](auto inner) {
    RankedTensorType type = isa<linalg::PackOp>(inner.getOperation())
                                ? inner.getSourceType()
                                : inner.getDestType();
    return type.hasStaticShape() && inner.getSourceType().hasStaticShape() &&
           inner.getDestType().hasStaticShape() &&
           llvm::all_of(
               llvm::zip(inner.getInnerDimsPos(), inner.getStaticTiles()),
               [&](auto pair) {
                 auto [dim, tile] = pair;
                 return tile > 0 && type.getDimSize(dim) % tile == 0;
               });
  };
  Operation *inner = op->getOperand(0).getDefiningOp();
  if (auto pack = dyn_cast_or_null<linalg::PackOp>(inner))
    return !isa<linalg::UnPackOp>(op) || isWhole(pack);
  if (auto unpack = dyn_cast_or_null<linalg::UnPackOp>(inner))
    return !isa<linalg::PackOp>(op) || isWhole(unpack);
  return true;
}

/// A transposition that changes no order is its operand, if the types agree.
static bool keepsType(Operation *transpose) {
  auto order = transpose->getAttrOfType<DenseI32ArrayAttr>("perms");
  return !order || !llvm::is_sorted(order.asArrayRef()) ||
         transpose->getOperand(0).getType() ==
             transpose->getResult(0).getType();
}

void symshape::addUpstreamTensors(UpstreamConditions &conditions) {
  addAll(conditions.names,
         {{"OpWithOffsetSizesAndStridesConstantArgumentFolder", slicesPlainly},
          {"InsertSliceOpConstantArgumentFolder", slicesPlainly},
          {"SubViewOpMemRefCastFolder", viewsPartOfSource},
          {"TensorCastExtractSlice", castsPlainSlice},
          {"ChainedTensorCast", agreesWithSource},
          {"FoldSourceTensorCast", padsAsDeclared},
          {"FoldConsecutiveConstantPadding", padsForItsOnlyUser},
          {"FoldTensorCastConsumerOp", agreesWithProducer},
          {"FoldTensorCastPackOp", agreesWithCasts},
          {"FoldTensorCastProducerOp", agreesWithCasts},
          {"FoldTensorCastUnPackOp", agreesWithCasts},
          {"InsertSliceOpCastFolder", insertsPlainSlice},
          {"ReinterpretCastOpExtractStridedMetadataFolder", hasKnownStrides},
          {"ReinterpretCastOpConstantFolder", hasPlainSizes},
          {"CollapseShapeOpMemRefCastFolder", collapsesPlainly},
          {"LoadOfToBuffer", readsOnly},
          {"ComposeExpandOfCollapseOp", hasNoZero},
          {"ComposeCollapseOfExpandOp", multipliesNoSize},
          {"FoldStaticPadding", hasPlainSizes},
          {"FoldTargetTensorCast", isCastBeside},
          {"ConvertToStaticExpandShape", expandsPlainly},
          {"ExpandShapeOpMemRefCastFolder", expandsCast},
          {"ViewOpShapeFolder", hasPlainSizes},
          {"ViewOpMemrefCastFolder", viewsPlainSource},
          {"FoldInsertPadIntoFill", hasUnitStrides},
          {"FoldConcatsOfFill", hasInferredType}});
  addAll(conditions.roots,
         {{"linalg.pack", isWholeTiles}, {"linalg.unpack", isWholeTiles}});
  addAll(conditions.folders, {{"linalg", agreesWithCasts},
                              {"memref.cast", agreesWithCasts},
                              {"memref.copy", agreesWithCasts},
                              {"memref.dim", readsPlainView},
                              {"memref.expand_shape", hasNoZero},
                              {"memref.reinterpret_cast", hasKnownStrides},
                              {"tensor.expand_shape", hasNoZero},
                              {"tosa.transpose", keepsType},
                              {"vector.transfer_write", copiesAll}});
}
