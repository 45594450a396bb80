//===- ResampleOps.cpp - Sums of elements at places -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification, shapes and derivatives of a resampled tensor. Not for: lowering
// (Conversion).
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/ResampleOps.h"
#include "TensorOpChecks.h"
#include "symshape/IR/Slices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::symshape;

#define GET_OP_CLASSES
#include "symshape/IR/ResampleOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static std::string entry(StringRef field, size_t number) {
  return (field + "[" + Twine(number) + "]").str();
}

LogicalResult ResampleOp::verify() {
  // C1
  ArrayRef<int64_t> axes = getAxes();
  if (axes.empty())
    return emitFieldError(*this, "axes", "to have at least 1 entry", "0");
  if (failed(verifyAxes(*this, "axes", axes, rankOf(getSource()),
                        /*sorted=*/false)))
    return failure();
  // C3
  bool isWeighted = !getWeights().empty();
  for (auto [field, tables] :
       {std::pair<StringRef, ValueRange>{"places", getPlaces()},
        {"weights", isWeighted ? getWeights() : getPlaces()}})
    if (tables.size() != axes.size())
      return emitFieldError(*this, field,
                            "to have " + Twine(axes.size()) + " entries",
                            Twine(tables.size()));
  RankedTensorType source = tensorTypeOf(getSource()), result = getType();
  for (auto [i, places] : llvm::enumerate(getPlaces())) {
    Value table = getTables(i).back();
    if (failed(verifySameShape(*this, entry("weights", i), table, places)))
      return failure();
    // C4
    int64_t taps = getNumTaps(i);
    bool isLate = ShapedType::isDynamic(taps);
    if (isWeighted ? (isLate ? axes.size() > 1 : taps < 1) : taps != 1)
      return emitFieldError(*this, entry("places", i) + ".shape[0]",
                            isWeighted ? "to be a constant from 1" : "to be 1",
                            isLate ? "?" : Twine(taps));
    // C5
    if (isWeighted && failed(verifyElementType(*this, entry("weights", i),
                                               table, getResult())))
      return failure();
  }
  Type sum = result.getElementType(), element = source.getElementType();
  if (element != sum &&
      (!isWeighted || !element.isSignlessIntOrFloat() ||
       isa<FloatType>(element) != isa<FloatType>(sum) ||
       element.getIntOrFloatBitWidth() >= sum.getIntOrFloatBitWidth()))
    return emitFieldError(*this, "source.element_type",
                          "to be " + llvm::to_string(sum) +
                              (isWeighted ? " or narrower" : ""),
                          llvm::to_string(element));
  // C6
  if (result.getRank() != source.getRank())
    return emitFieldError(*this, "result.rank",
                          "to be " + Twine(source.getRank()),
                          Twine(result.getRank()));
  SmallVector<int64_t> shape(source.getShape());
  for (auto [axis, places] : llvm::zip_equal(axes, getPlaces()))
    shape[axis] = tensorTypeOf(places).getDimSize(1);
  for (auto [d, extent] : llvm::enumerate(shape))
    if (failed(verifyExtent(*this, entry("result.shape", d),
                            result.getDimSize(d), extent)))
      return failure();
  // C7
  for (int64_t axis : axes)
    if (source.getDimSize(axis) == 0 && result.getDimSize(axis) > 0)
      return emitFieldError(*this, entry("source.shape", axis),
                            "to be at least 1", "0");
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

void ResampleOp::populateShapeFacts(ShapeFacts &facts) {
  SmallVector<Expr> extents;
  for (int64_t d = 0; d < getType().getRank(); ++d)
    extents.push_back(facts.dim(getSource(), d));
  for (auto [i, axis] : llvm::enumerate(getAxes())) {
    Expr size = facts.dim(getPlaces()[i], 1);
    if (!getWeights().empty())
      for (int64_t d = 0; d < 2; ++d)
        facts.require(Relation::eq(facts.dim(getWeights()[i], d),
                                   facts.dim(getPlaces()[i], d)),
                      entry("weights", i) + entry(".shape", d));
    facts.require(
        Relation::le(facts.arena().min(size, facts.constant(1)), extents[axis]),
        entry("source.shape", axis));
    extents[axis] = size;
  }
  for (auto [d, extent] : llvm::enumerate(extents))
    setOrRequireExtent(facts, getResult(), d, extent);
}

LogicalResult
ResampleOp::reifyResultShapes(OpBuilder &b,
                              ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, getLoc(), getSource());
  for (auto [axis, places] : llvm::zip_equal(getAxes(), getPlaces()))
    sizes[axis] = tensor::getMixedSize(b, getLoc(), places, 1);
  shapes.push_back(sizesOfResult(b, getResult(), sizes));
  return success();
}

void ResampleOp::populateBoundsForShapedValueDim(
    Value value, int64_t dim, ValueBoundsConstraintSet &cstr) {
  auto axis = llvm::find(getAxes(), dim);
  cstr.bound(value)[dim] ==
      (axis == getAxes().end()
           ? cstr.getExpr(getSource(), dim)
           : cstr.getExpr(getPlaces()[axis - getAxes().begin()], 1));
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

LogicalResult ResampleOp::buildJvp(Tangents &tangents) {
  for (Value weights : getWeights())
    if (tangents.of(weights))
      return emitMissingRule(*this, "a derivative rule for the weights",
                             "compute the weights from extents and constants");
  OpBuilder &b = tangents.builder();
  auto tangent = cast<ResampleOp>(b.clone(*getOperation()));
  tangent.getSourceMutable().assign(tangents.of(getSource()));
  tangents.set(getResult(), tangent.getResult());
  return success();
}

/// What each tap adds to the element that it has read: (taps, axes of the
/// cotangent).
static Value makeUpdates(OpBuilder &b, Location loc, Value cotangent,
                         Value weights, int64_t axis,
                         ArrayRef<OpFoldResult> sizes) {
  unsigned rank = sizes.size();
  AffineMap all = b.getMultiDimIdentityMap(rank), image = all.dropResult(0);
  AffineMap ofTaps = AffineMap::get(
      rank, 0, {all.getResult(0), all.getResult(1 + axis)}, b.getContext());
  SmallVector<AffineMap> maps{image, weights ? ofTaps : image, all};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  Value init =
      tensor::EmptyOp::create(b, loc, sizes, getElementTypeOrSelf(cotangent));
  return linalg::GenericOp::create(
             b, loc, init.getType(),
             ValueRange{cotangent, weights ? weights : cotangent}, init, maps,
             loops,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(
                   b, loc,
                   weights ? ArithBuilder(b, loc).mul(args[0], args[1])
                           : args[0]);
             })
      .getResult(0);
}

/// The sums along the first axis are made last, so it is undone first.
LogicalResult ResampleOp::buildTranspose(Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  Location loc = getLoc();
  Value cotangent = cotangents.of(getResult());
  SmallVector<OpFoldResult> sizes = cotangents.extents(getResult()),
                            source = cotangents.extents(getSource());
  for (auto [i, axis] : llvm::enumerate(getAxes())) {
    SmallVector<Value> tables = cotangents.residuals(getTables(i));
    SmallVector<OpFoldResult> ofTaps(sizes);
    ofTaps.insert(ofTaps.begin(), cotangents.extents(getPlaces()[i]).front());
    Value updates =
        makeUpdates(b, loc, cotangent, tables.size() > 1 ? tables[1] : Value(),
                    axis, ofTaps);
    // A scatter asks for an element also where nothing is written.
    auto extent = dyn_cast<Value>(source[axis]);
    sizes[axis] = source[axis];
    if (extent)
      sizes[axis] =
          arith::MaxSIOp::create(b, loc, extent,
                                 arith::ConstantIndexOp::create(b, loc, 1))
              .getResult();
    SmallVector<int64_t> shape, indexed{0, 1 + axis};
    SmallVector<Value> dynamic;
    dispatchIndexOpFoldResults(sizes, dynamic, shape);
    RankedTensorType type = getType().clone(shape);
    cotangent = ScatterOp::create(
        b, loc, type, makeZero(b, loc, type, sizes), tables.front(), updates,
        Combiner::Add, ScatterMode::Clip, /*unique_indices=*/false,
        /*update_window_dims=*/otherAxes(ofTaps.size(), indexed),
        /*inserted_window_dims=*/axis, /*operand_batching_dims=*/{},
        /*scatter_indices_batching_dims=*/{},
        /*scatter_dims_to_operand_dims=*/axis, /*index_vector_dim=*/2);
    if (!extent)
      continue;
    sizes[axis] = extent;
    SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0)),
        ones(sizes.size(), b.getIndexAttr(1));
    cotangent = extractSlice(b, loc, cotangent, {zeros, sizes, ones});
  }
  cotangent = convertTensor(b, loc, cotangent, getSource().getType());
  cotangents.add(getSource(), cotangent);
  return success();
}
