//===- WindowDerivatives.cpp - Derivatives of windows ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows are linear in the image and in what stands around it.
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"
#include "symshape/IR/WindowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::symshape;

LogicalResult WindowsOp::buildJvp(Tangents &tangents) {
  auto tangent = cast<WindowsOp>(tangents.builder().clone(*getOperation()));
  OpBuilder::InsertionGuard guard(tangents.builder());
  tangents.builder().setInsertionPoint(tangent);
  tangent.getSourceMutable().assign(tangents.orZero(getSource()));
  tangent.getValueMutable().assign(tangents.orZero(getValue()));
  tangents.set(getResult(), tangent);
  return success();
}

/// The place in the image that an element of a window shows, along one axis, as
/// an index; -1 for one that is no element of the image.
static Value placeInImage(OpBuilder &b, Location loc,
                          const WindowsOp::Axis &axis, Value window,
                          Value element) {
  auto value = [&](OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(b, loc, v);
  };
  ArithBuilder numbers(b, loc);
  Value place = numbers.add(numbers.mul(window, value(axis.stride)),
                            numbers.mul(element, value(axis.dilation)));
  place = arith::SubIOp::create(b, loc, place, value(axis.low));
  if (getConstantIntValue(axis.spread) == 1)
    return place;
  Value spread = value(axis.spread);
  Value quotient = arith::FloorDivSIOp::create(b, loc, place, spread);
  Value isOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      numbers.mul(quotient, spread), place);
  return arith::SelectOp::create(b, loc, isOne, quotient,
                                 arith::ConstantIndexOp::create(b, loc, -1));
}

/// For each element of each window, its place in the image.
static Value makePlaces(OpBuilder &b, Location loc,
                        ArrayRef<WindowsOp::Axis> axes,
                        ArrayRef<OpFoldResult> extents) {
  size_t n = axes.size();
  SmallVector<OpFoldResult> sizes(extents.slice(1, 2 * n));
  sizes.push_back(b.getIndexAttr(n));
  SmallVector<Value> dynamic;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  return tensor::GenerateOp::create(
      b, loc, RankedTensorType::get(shape, b.getIndexType()), dynamic,
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Value place = placeInImage(b, loc, axes[0], at[0], at[n]);
        for (size_t i = 1; i < n; ++i) {
          Value isThis =
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, at.back(),
                                    arith::ConstantIndexOp::create(b, loc, i));
          place = arith::SelectOp::create(
              b, loc, isThis, placeInImage(b, loc, axes[i], at[i], at[n + i]),
              place);
        }
        tensor::YieldOp::create(b, loc, place);
      });
}

LogicalResult WindowsOp::buildTranspose(Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  Location loc = getLoc();
  SmallVector<Axis> axes = getAxes();
  for (Axis &axis : axes)
    for (OpFoldResult Axis::*field :
         {&Axis::kernel, &Axis::low, &Axis::high, &Axis::stride,
          &Axis::dilation, &Axis::spread})
      axis.*field = cotangents.residual(axis.*field);
  int64_t n = axes.size();
  Value cotangent = cotangents.of(getResult());
  Value places = makePlaces(b, loc, axes, cotangents.extents(getResult()));
  SmallVector<int64_t> spatial = llvm::to_vector(llvm::seq<int64_t>(1, n + 1));
  Value ofSource = ScatterOp::create(
      b, loc, getSource().getType(), cotangents.zeros(getSource()), places,
      cotangent, Combiner::Add, ScatterMode::Drop, /*unique_indices=*/false,
      /*update_window_dims=*/{0, 2 * n + 1}, /*inserted_window_dims=*/spatial,
      /*operand_batching_dims=*/{}, /*scatter_indices_batching_dims=*/{},
      /*scatter_dims_to_operand_dims=*/spatial, /*index_vector_dim=*/2 * n);
  if (cotangents.isLinear(getSource()))
    cotangents.add(getSource(), ofSource);
  if (cotangents.isLinear(getValue())) {
    Value all = sumOver(b, loc, cotangent, {});
    Value inside = sumOver(b, loc, ofSource, {});
    all = tensor::ExtractOp::create(b, loc, all, ValueRange{});
    inside = tensor::ExtractOp::create(b, loc, inside, ValueRange{});
    cotangents.add(getValue(), arith::SubFOp::create(b, loc, all, inside));
  }
  return success();
}
