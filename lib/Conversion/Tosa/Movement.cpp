//===- Movement.cpp - Ops of tosa that move elements ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reshapes, slices, pads, tiles, concatenation, gather, scatter and reversal,
// with sizes that are values.
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"
#include "TosaLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "symshape/IR/Slices.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

Value TosaLowering::reshape(tosa::ReshapeOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = shapes.elementsOf(op.getShape());
  auto type = cast<RankedTensorType>(op.getType());
  if (static_cast<int64_t>(sizes.size()) != type.getRank())
    return Value();
  std::optional<int64_t> open;
  OpFoldResult known = b.getIndexAttr(1);
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (getConstantIntValue(size) == -1)
      open = d;
    else
      known = mulIndices(b, loc, known, size);
  }
  if (open && !type.isDynamicDim(*open)) {
    sizes[*open] = b.getIndexAttr(type.getDimSize(*open));
  } else if (open) {
    OpFoldResult count = b.getIndexAttr(1);
    for (OpFoldResult extent : tensor::getMixedSizes(b, loc, op.getInput1()))
      count = mulIndices(b, loc, count, extent);
    sizes[*open] = divIndices(b, loc, count, known);
  }
  return symshape::ReshapeOp::create(b, loc, op.getInput1(), sizes);
}

Value TosaLowering::slice(tosa::SliceOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> starts = shapes.elementsOf(op.getStart());
  SmallVector<OpFoldResult> sizes = shapes.elementsOf(op.getSize());
  auto type = cast<RankedTensorType>(op.getType());
  if (static_cast<int64_t>(starts.size()) != type.getRank() ||
      static_cast<int64_t>(sizes.size()) != type.getRank())
    return Value();
  for (auto [d, start, size] : llvm::enumerate(starts, sizes)) {
    OpFoldResult extent = tensor::getMixedSize(b, loc, op.getInput1(), d);
    if (getConstantIntValue(size) == -1)
      size = subIndices(b, loc, extent, start);
    if (!type.isDynamicDim(d))
      size = b.getIndexAttr(type.getDimSize(d));
  }
  SmallVector<OpFoldResult> steps(type.getRank(), b.getIndexAttr(1));
  return extractSlice(b, loc, op.getInput1(), {starts, sizes, steps});
}

Value TosaLowering::pad(tosa::PadOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> padding = shapes.elementsOf(op.getPadding());
  auto type = cast<RankedTensorType>(op.getType());
  if (static_cast<int64_t>(padding.size()) != 2 * type.getRank())
    return Value();
  SmallVector<OpFoldResult> low, high;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    low.push_back(padding[2 * d]);
    high.push_back(padding[2 * d + 1]);
  }
  Value value = readScalar(b, loc, op.getPadConst());
  return tensor::PadOp::create(b, loc, Type(), op.getInput1(), low, high,
                               value);
}

/// Each dimension becomes one of copies and one of elements, then one again.
Value TosaLowering::tile(tosa::TileOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> times = shapes.elementsOf(op.getMultiples());
  auto type = cast<RankedTensorType>(op.getType());
  int64_t rank = type.getRank();
  if (static_cast<int64_t>(times.size()) != rank)
    return Value();
  SmallVector<OpFoldResult> apart, together;
  SmallVector<AffineExpr> at;
  for (int64_t d = 0; d < rank; ++d) {
    OpFoldResult extent = tensor::getMixedSize(b, loc, op.getInput1(), d);
    apart.append({times[d], extent});
    together.push_back(mulIndices(b, loc, times[d], extent));
    at.push_back(b.getAffineDimExpr(2 * d + 1));
  }
  AffineMap maps[] = {AffineMap::get(2 * rank, 0, at, b.getContext()),
                      b.getMultiDimIdentityMap(2 * rank)};
  Value init = tensor::EmptyOp::create(b, loc, apart, type.getElementType());
  SmallVector<utils::IteratorType> loops(2 * rank,
                                         utils::IteratorType::parallel);
  auto copies = linalg::GenericOp::create(
      b, loc, init.getType(), op.getInput1(), init, maps, loops,
      [](OpBuilder &b, Location loc, ValueRange args) {
        linalg::YieldOp::create(b, loc, args[0]);
      });
  return symshape::ReshapeOp::create(b, loc, copies.getResult(0), together);
}

/// Other dimensions get the extents of the result, which all operands have.
Value TosaLowering::concat(tosa::ConcatOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Location loc = op.getLoc();
  int64_t axis = op.getAxis();
  SmallVector<Value> parts;
  for (Value part : op.getInput1()) {
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = cast<ShapedType>(part.getType()).getDimSize(axis);
    auto wanted = RankedTensorType::get(shape, type.getElementType());
    parts.push_back(b.createOrFold<tensor::CastOp>(loc, wanted, part));
  }
  return tensor::ConcatOp::create(b, loc, axis, parts);
}

/// Batch by batch, the rows that the indices say; an index out of range ends
/// the call.
Value TosaLowering::gather(tosa::GatherOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> values =
      tensor::getMixedSizes(b, loc, op.getValues());
  SmallVector<OpFoldResult> indices =
      tensor::getMixedSizes(b, loc, op.getIndices());
  SmallVector<Value> dynamic, rest;
  SmallVector<int64_t> fixed, shape;
  dispatchIndexOpFoldResults({indices[0], indices[1], values[2]}, rest, shape);
  auto result =
      RankedTensorType::get(shape, getElementTypeOrSelf(op.getValues()));
  dispatchIndexOpFoldResults({b.getIndexAttr(1), b.getIndexAttr(1), values[2]},
                             dynamic, fixed);
  return symshape::GatherOp::create(
      b, loc, result, op.getValues(), op.getIndices(), dynamic, fixed,
      GatherMode::PromiseInBounds, /*fill_value=*/TypedAttr(),
      /*offset_dims=*/{2}, /*collapsed_slice_dims=*/{1},
      /*operand_batching_dims=*/{0}, /*start_indices_batching_dims=*/{0},
      /*start_index_map=*/{1}, /*index_vector_dim=*/2);
}

/// As gather; no row is written twice.
Value TosaLowering::scatter(tosa::ScatterOp op) {
  return symshape::ScatterOp::create(
      b, op.getLoc(), op.getValuesIn().getType(), op.getValuesIn(),
      op.getIndices(), op.getInput(), Combiner::Update,
      ScatterMode::PromiseInBounds, /*unique_indices=*/true,
      /*update_window_dims=*/{2}, /*inserted_window_dims=*/{1},
      /*operand_batching_dims=*/{0}, /*scatter_indices_batching_dims=*/{0},
      /*scatter_dims_to_operand_dims=*/{1}, /*index_vector_dim=*/2);
}

/// Not upstream's loop over elements, which has no derivative.
Value TosaLowering::reverse(tosa::ReverseOp op) {
  return symshape::ReverseOp::create(b, op.getLoc(), op.getInput1().getType(),
                                     op.getInput1(),
                                     static_cast<int64_t>(op.getAxis()));
}

bool TosaLowering::lowerMovement(Operation *op) {
  Value result = TypeSwitch<Operation *, Value>(op)
                     .Case([&](tosa::ReshapeOp op) { return reshape(op); })
                     .Case([&](tosa::SliceOp op) { return slice(op); })
                     .Case([&](tosa::PadOp op) { return pad(op); })
                     .Case([&](tosa::TileOp op) { return tile(op); })
                     .Case([&](tosa::ConcatOp op) { return concat(op); })
                     .Case([&](tosa::GatherOp op) { return gather(op); })
                     .Case([&](tosa::ScatterOp op) { return scatter(op); })
                     .Case([&](tosa::ReverseOp op) { return reverse(op); })
                     .Default([](Operation *) { return Value(); });
  if (result)
    replace(op, result);
  return bool(result);
}
