//===- AxisDerivatives.cpp - Derivatives along an axis --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reverse and cumsum are linear. The tangents of what is sorted follow the
// permutation: a gather.
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// ReverseOp
//===----------------------------------------------------------------------===//

LogicalResult ReverseOp::buildJvp(Tangents &tangents) {
  tangents.set(getResult(),
               ReverseOp::create(tangents.builder(), getLoc(), getType(),
                                 tangents.of(getSource()), getAxes()));
  return success();
}

LogicalResult ReverseOp::buildTranspose(Cotangents &cotangents) {
  cotangents.add(getSource(),
                 ReverseOp::create(cotangents.builder(), getLoc(), getType(),
                                   cotangents.of(getResult()), getAxes()));
  return success();
}

//===----------------------------------------------------------------------===//
// CumsumOp
//===----------------------------------------------------------------------===//

LogicalResult CumsumOp::buildJvp(Tangents &tangents) {
  tangents.set(getResult(),
               CumsumOp::create(tangents.builder(), getLoc(), getType(),
                                tangents.of(getSource()), getAxis(),
                                getReverse()));
  return success();
}

LogicalResult CumsumOp::buildTranspose(Cotangents &cotangents) {
  cotangents.add(getSource(),
                 CumsumOp::create(cotangents.builder(), getLoc(), getType(),
                                  cotangents.of(getResult()), getAxis(),
                                  !getReverse()));
  return success();
}

//===----------------------------------------------------------------------===//
// SortOp and TopKOp
//===----------------------------------------------------------------------===//

/// The elements of `tensor` at these positions along one axis. An axis without
/// elements is padded to one, which is not read.
static Value gatherAlong(OpBuilder &b, Location loc, RankedTensorType result,
                         Value tensor, Value positions, int64_t axis) {
  auto type = tensorTypeOf(tensor);
  int64_t rank = type.getRank(), extent = type.getDimSize(axis);
  if (ShapedType::isDynamic(extent) || extent == 0) {
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = ShapedType::kDynamic;
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    tensor = PadToMatchOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), tensor,
        one, axis);
  }
  SmallVector<int64_t> others = otherAxes(rank, axis), ones(rank, 1);
  return GatherOp::create(b, loc, result, tensor, positions, ValueRange{}, ones,
                          GatherMode::Clip, /*fill_value=*/TypedAttr(),
                          /*offset_dims=*/ArrayRef<int64_t>{}, axis, others,
                          others, axis, /*index_vector_dim=*/rank);
}

LogicalResult SortOp::buildJvp(Tangents &tangents) {
  tangents.set(getValues(),
               gatherAlong(tangents.builder(), getLoc(),
                           tensorTypeOf(getValues()), tangents.of(getSource()),
                           getPermutation(), getAxis()));
  return success();
}

LogicalResult TopKOp::buildJvp(Tangents &tangents) {
  tangents.set(getValues(),
               gatherAlong(tangents.builder(), getLoc(),
                           tensorTypeOf(getValues()), tangents.of(getSource()),
                           getPositions(), getAxis()));
  return success();
}
