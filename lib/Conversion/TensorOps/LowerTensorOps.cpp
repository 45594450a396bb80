//===- LowerTensorOps.cpp - Tensor ops of symshape ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites the ops of the dialect on tensors as linalg, tensor and scf: views
// if the elements stay in place, else copies. Not for: gather and scatter
// (GatherLoops.h), what runs along an axis (AxisLoops.h).
//
//===----------------------------------------------------------------------===//

#include "AxisLoops.h"
#include "DequantizeLoops.h"
#include "GatherLoops.h"
#include "GatherWindows.h"
#include "NonzeroLoops.h"
#include "Points.h"
#include "ResampleLoops.h"
#include "ScatterLoops.h"
#include "SortLoops.h"
#include "Structure/Loops.h"
#include "WindowLoops.h"
#include "symshape/Conversion/Passes.h"
#include "symshape/IR/SignlessOperands.h"
#include "symshape/IR/Slices.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERTENSOROPSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static SmallVector<OpFoldResult> repeat(OpBuilder &b, int64_t rank,
                                        int64_t value) {
  return SmallVector<OpFoldResult>(rank, b.getIndexAttr(value));
}

//===----------------------------------------------------------------------===//
// Truncation
//===----------------------------------------------------------------------===//

/// A float as an integer: rounded half away from zero, and at most 2^62, a
/// power of two, which both types of floats hold exactly. Clamped before it is
/// converted, since converting what does not fit is poison.
static Value roundSize(OpBuilder &b, Operation *op, Value size,
                       bool isChecked) {
  Location loc = op->getLoc();
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc,
                                     b.getFloatAttr(size.getType(), value));
  };
  if (isChecked) {
    // False for NaN too.
    Value magnitude = math::AbsFOp::create(b, loc, size);
    Value isFinite = arith::CmpFOp::create(
        b, loc, arith::CmpFPredicate::OLT, magnitude,
        constant(std::numeric_limits<double>::infinity()));
    Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    failIf(b, op, arith::XOrIOp::create(b, loc, isFinite, yes),
           FailMessage() << "expected a finite size", "dynamic_truncate",
           "size", FailMessage() << "non-finite");
  }
  Value rounded = math::RoundOp::create(b, loc, size);
  rounded = arith::MaxNumFOp::create(b, loc, rounded, constant(0));
  rounded = arith::MinNumFOp::create(b, loc, rounded, constant(0x1p62));
  return arith::FPToSIOp::create(b, loc, b.getI64Type(), rounded);
}

static Value lowerTruncateSize(OpBuilder &b, Operation *op, Value size,
                               Value extent, bool isChecked) {
  Location loc = op->getLoc();
  if (isa<RankedTensorType>(size.getType()))
    size = tensor::ExtractOp::create(b, loc, size, ValueRange{});
  if (isa<FloatType>(size.getType()))
    size = roundSize(b, op, size, isChecked);
  if (!size.getType().isIndex())
    size = arith::IndexCastOp::create(b, loc, b.getIndexType(), size);
  size = arith::MaxSIOp::create(b, loc, size, makeIndex(b, loc, 0));
  return arith::MinSIOp::create(b, loc, size, extent);
}

static void lower(RewriterBase &b, TruncateSizeOp op, bool isChecked) {
  b.replaceOp(
      op, lowerTruncateSize(b, op, op.getSize(), op.getExtent(), isChecked));
}

static void lower(RewriterBase &b, DynamicTruncateOp op, bool isChecked) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, op.getSource());
  OpFoldResult &size = sizes[op.getAxis()];
  size = lowerTruncateSize(b, op, op.getSize(), makeIndex(b, loc, size),
                           isChecked);
  for (auto [d, extent] : llvm::enumerate(op.getType().getShape()))
    if (!ShapedType::isDynamic(extent))
      sizes[d] = b.getIndexAttr(extent);
  SliceBounds bounds{repeat(b, sizes.size(), 0), sizes,
                     repeat(b, sizes.size(), 1)};
  replaceCast(b, op, extractSlice(b, loc, op.getSource(), bounds));
}

static void lower(RewriterBase &b, PadToMatchOp op, bool) {
  Location loc = op.getLoc();
  int64_t rank = op.getType().getRank(), axis = op.getAxis();
  Value size = op.getSize();
  if (!size.getType().isIndex())
    size = tensor::DimOp::create(b, loc, size, axis);
  Value extent = tensor::DimOp::create(b, loc, op.getSource(), axis);
  Value missing = arith::SubIOp::create(b, loc, size, extent);
  missing = arith::MaxSIOp::create(b, loc, missing, makeIndex(b, loc, 0));
  SmallVector<OpFoldResult> low = repeat(b, rank, 0), high = low;
  high[axis] = missing;
  Value zero = arith::ConstantOp::create(
      b, loc, b.getZeroAttr(op.getType().getElementType()));
  b.replaceOp(op, tensor::PadOp::create(b, loc, op.getType(), op.getSource(),
                                        low, high, zero)
                      .getResult());
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Each start moved to where a slice of these sizes fits.
static SmallVector<OpFoldResult> clampStarts(OpBuilder &b, Location loc,
                                             ValueRange starts, Value source,
                                             ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> clamped;
  for (auto [d, start] : llvm::enumerate(starts)) {
    Value extent = tensor::DimOp::create(b, loc, source, d);
    Value most =
        arith::SubIOp::create(b, loc, extent, makeIndex(b, loc, sizes[d]));
    clamped.push_back(clampStart(b, loc, start, most));
  }
  return clamped;
}

static void lower(RewriterBase &b, DynamicSliceOp op, bool) {
  Location loc = op.getLoc();
  ReifiedRankedShapedTypeDims shapes;
  (void)op.reifyResultShapes(b, shapes); // never fails
  ArrayRef<OpFoldResult> sizes = shapes.front();
  SliceBounds bounds{clampStarts(b, loc, op.getStarts(), op.getSource(), sizes),
                     SmallVector<OpFoldResult>(sizes),
                     repeat(b, sizes.size(), 1)};
  replaceCast(b, op, extractSlice(b, loc, op.getSource(), bounds));
}

static void lower(RewriterBase &b, DynamicUpdateSliceOp op, bool) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, op.getUpdate());
  SliceBounds bounds{clampStarts(b, loc, op.getStarts(), op.getSource(), sizes),
                     sizes, repeat(b, sizes.size(), 1)};
  b.replaceOp(op, insertSlice(b, loc, op.getUpdate(), op.getSource(), bounds));
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

namespace {
/// The lowering of one pad. The elements of the source, spread by the interior
/// padding, occupy [0, extent) of an axis; those in [begin, begin + count) are
/// not cropped, and go to `place` of the result.
class PadLowering {
public:
  PadLowering(RewriterBase &b, symshape::PadOp op)
      : b(b), op(op), loc(op.getLoc()), rank(op.getType().getRank()),
        low(op.getMixedLow()), high(op.getMixedHigh()) {}
  void run();

private:
  OpFoldResult compute(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(b, loc, expr, operands);
  }
  OpFoldResult most(ArrayRef<AffineExpr> exprs,
                    ArrayRef<OpFoldResult> operands) {
    auto map = AffineMap::get(operands.size(), 0, exprs, b.getContext());
    return affine::makeComposedFoldedAffineMax(b, loc, map, operands);
  }
  OpFoldResult least(ArrayRef<AffineExpr> exprs,
                     ArrayRef<OpFoldResult> operands) {
    auto map = AffineMap::get(operands.size(), 0, exprs, b.getContext());
    return affine::makeComposedFoldedAffineMin(b, loc, map, operands);
  }
  Value makeFilled(ArrayRef<OpFoldResult> sizes);
  Value spread();
  void placeAxis(int64_t d);

  RewriterBase &b;
  symshape::PadOp op;
  Location loc;
  int64_t rank;
  SmallVector<OpFoldResult> low, high, extents, begins, counts, places, sizes;
};
} // namespace

Value PadLowering::makeFilled(ArrayRef<OpFoldResult> sizes) {
  Value empty =
      tensor::EmptyOp::create(b, loc, sizes, op.getType().getElementType());
  return linalg::FillOp::create(b, loc, op.getValue(), empty).getResult(0);
}

/// The source with the interior padding; sets its extents.
Value PadLowering::spread() {
  extents = tensor::getMixedSizes(b, loc, op.getSource());
  if (llvm::all_of(op.getInterior(), [](int64_t n) { return n == 0; }))
    return op.getSource();
  SmallVector<OpFoldResult> sizes = extents, strides;
  AffineExpr d0 = b.getAffineDimExpr(0), zero = b.getAffineConstantExpr(0);
  for (int64_t d = 0; d < rank; ++d) {
    int64_t stride = op.getInterior()[d] + 1;
    strides.push_back(b.getIndexAttr(stride));
    extents[d] = most({(d0 - 1) * stride + 1, zero}, {sizes[d]});
  }
  return insertSlice(b, loc, op.getSource(), makeFilled(extents),
                     SliceBounds{repeat(b, rank, 0), sizes, strides});
}

/// Only the sum of both paddings and the extent is known to fit: each padding
/// is cut off before anything is added to it, so that nothing else wraps.
void PadLowering::placeAxis(int64_t d) {
  AffineExpr x, y, z, zero = b.getAffineConstantExpr(0);
  bindDims(b.getContext(), x, y, z);
  sizes[d] = compute(x + y + z, {low[d], high[d], extents[d]});
  begins[d] = most({x, -y}, {low[d], extents[d]});
  begins[d] = most({-x, zero}, {begins[d]});
  OpFoldResult end = least({x, zero}, {high[d]});
  end = compute(x + y, {extents[d], end});
  counts[d] = most({y - x, zero}, {begins[d], end});
  places[d] = most({x, zero}, {low[d]});
  places[d] = least({x, y - z}, {places[d], sizes[d], counts[d]});
}

void PadLowering::run() {
  auto isAtLeastZero = [](OpFoldResult value) {
    std::optional<int64_t> constant = getConstantIntValue(value);
    return constant && *constant >= 0;
  };
  Value source = spread();
  if (llvm::all_of(low, isAtLeastZero) && llvm::all_of(high, isAtLeastZero)) {
    auto pad =
        tensor::PadOp::create(b, loc, Type(), source, low, high, op.getValue());
    return replaceCast(b, op, pad);
  }
  begins = counts = places = sizes = extents;
  for (int64_t d = 0; d < rank; ++d)
    placeAxis(d);
  SmallVector<OpFoldResult> ones = repeat(b, rank, 1);
  Value kept = extractSlice(b, loc, source, SliceBounds{begins, counts, ones});
  replaceCast(b, op,
              insertSlice(b, loc, kept, makeFilled(sizes),
                          SliceBounds{places, counts, ones}));
}

static void lower(RewriterBase &b, symshape::PadOp op, bool) {
  PadLowering(b, op).run();
}

//===----------------------------------------------------------------------===//
// Broadcast and reshape
//===----------------------------------------------------------------------===//

static void lower(RewriterBase &b, BroadcastOp op, bool) {
  Location loc = op.getLoc();
  int64_t rank = op.getType().getRank();
  auto sourceType = cast<RankedTensorType>(op.getSource().getType());
  // Axes that expand have the extent 1, and are left out.
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> places;
  for (auto [axis, result] : llvm::enumerate(op.getDims())) {
    if (llvm::is_contained(op.getExpanding(), static_cast<int64_t>(axis)))
      continue;
    shape.push_back(sourceType.getDimSize(axis));
    places.push_back(b.getAffineDimExpr(result));
  }
  Value source = op.getSource();
  if (!op.getExpanding().empty())
    source =
        extractSlice(b, loc, source,
                     SliceBounds{repeat(b, sourceType.getRank(), 0),
                                 tensor::getMixedSizes(b, loc, source),
                                 repeat(b, sourceType.getRank(), 1)},
                     RankedTensorType::get(shape, sourceType.getElementType()));
  ReifiedRankedShapedTypeDims shapes;
  (void)op.reifyResultShapes(b, shapes); // never fails
  Value empty = tensor::EmptyOp::create(b, loc, shapes.front(),
                                        sourceType.getElementType());
  SmallVector<AffineMap> maps{AffineMap::get(rank, 0, places, b.getContext()),
                              b.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      b, loc, empty.getType(), source, empty, maps, loops,
      [](OpBuilder &inner, Location where, ValueRange args) {
        linalg::YieldOp::create(inner, where, args.front());
      });
  replaceCast(b, op, copy.getResult(0));
}

/// The target of a reshape as indices: nothing later takes other integers.
static void lower(RewriterBase &b, tensor::ReshapeOp op, bool) {
  auto shape = cast<RankedTensorType>(op.getShape().getType());
  if (!shape.getElementType().isIndex())
    op.getShapeMutable().assign(arith::IndexCastOp::create(
        b, op.getLoc(), shape.clone(b.getIndexType()), op.getShape()));
}

static void lower(RewriterBase &b, symshape::ReshapeOp op, bool) {
  Location loc = op.getLoc();
  auto sourceType = cast<RankedTensorType>(op.getSource().getType());
  if (op.getType().getRank() == 0) {
    SmallVector<Value> origin(sourceType.getRank(), makeIndex(b, loc, 0));
    Value element = tensor::ExtractOp::create(b, loc, op.getSource(), origin);
    b.replaceOpWithNewOp<tensor::FromElementsOp>(op, op.getType(), element);
    return;
  }
  SmallVector<Value> sizes;
  for (OpFoldResult size : op.getMixedSizes())
    sizes.push_back(makeIndex(b, loc, size));
  Value shape = tensor::FromElementsOp::create(b, loc, sizes);
  b.replaceOpWithNewOp<tensor::ReshapeOp>(op, op.getType(), op.getSource(),
                                          shape);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void lower(RewriterBase &b, WithExtentsOp op, bool) {
  b.replaceOp(op, op.getSource());
}

static void lower(RewriterBase &b, StopGradientOp op, bool) {
  b.replaceOp(op, op.getSource());
}

/// Replaces an op of ours whose static type says that it has no elements: there
/// is nothing to compute, and slices of such a tensor are refused. Not a
/// truncation, whose size is checked in any case.
static LogicalResult replaceEmpty(RewriterBase &b, Operation *op) {
  auto hasNoElements = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && llvm::is_contained(tensor.getShape(), 0);
  };
  ReifiedRankedShapedTypeDims shapes;
  if (!isa_and_nonnull<SymShapeDialect>(op->getDialect()) ||
      isa<BindShapeOp, DynamicTruncateOp, WithExtentsOp>(op) ||
      llvm::none_of(op->getResultTypes(), hasNoElements) ||
      failed(reifyResultShapes(b, op, shapes)))
    return failure();
  SmallVector<Value> empty;
  for (auto [result, sizes] : llvm::zip(op->getResults(), shapes)) {
    auto type = cast<RankedTensorType>(result.getType());
    Value tensor =
        tensor::EmptyOp::create(b, op->getLoc(), sizes, type.getElementType());
    if (tensor.getType() != type)
      tensor = tensor::CastOp::create(b, op->getLoc(), type, tensor);
    empty.push_back(tensor);
  }
  b.replaceOp(op, empty);
  return success();
}

/// Makes a dense resource of rank 0 a plain constant: upstream makes a global
/// of it, and crashes on reading its element.
static void inlineResource(arith::ConstantOp op) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
  if (!resource || resource.getType().getRank() != 0)
    return;
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  bool isSplat = false;
  if (blob && DenseElementsAttr::isValidRawBuffer(resource.getType(),
                                                  blob->getData(), isSplat))
    op.setValueAttr(DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                                        blob->getData()));
}

namespace {
struct LowerTensorOpsPass
    : symshape::impl::LowerTensorOpsPassBase<LowerTensorOpsPass> {
  using LowerTensorOpsPassBase::LowerTensorOpsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      if (succeeded(replaceEmpty(rewriter, op)))
        continue;
      if (std::string wanted = describeSignlessOperands(op); !wanted.empty()) {
        op->emitOpError("expected " + wanted);
        return signalPassFailure();
      }
      if (points && lowerAxisOpToPoints(rewriter, op))
        continue;
      if (isa<DequantizeOp>(op) && !dequantize)
        continue;
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        inlineResource(constant);
      llvm::TypeSwitch<Operation *>(op)
          .Case<BroadcastOp, CumsumOp, DequantizeOp, DynamicSliceOp,
                DynamicTruncateOp, DynamicUpdateSliceOp, GatherOp, IotaOp,
                NonzeroOp, symshape::PadOp, PadToMatchOp, symshape::ReshapeOp,
                ResampleOp, ReverseOp, ScatterOp, SortOp, StopGradientOp,
                tensor::ReshapeOp, TopKOp, TruncateSizeOp, WindowsOp,
                WithExtentsOp>(
              [&](auto known) { lower(rewriter, known, checks); });
    }
  }
};
} // namespace
