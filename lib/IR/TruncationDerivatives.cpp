//===- TruncationDerivatives.cpp - Derivatives of truncation --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tangent of a truncation is the truncated tangent; its transpose fills
// what was cut off with zeros.
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/SymShape.h"

#include "TruncationOps.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

/// The extent of a tensor along an axis, as a value.
static Value extentOf(OpBuilder &builder, Value tensor, int64_t axis) {
  return tensor::DimOp::create(builder, tensor.getLoc(), tensor, axis);
}

static Value makeIndex(OpBuilder &builder, Location loc, OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(builder, loc, size);
}

//===----------------------------------------------------------------------===//
// DynamicTruncateOp
//===----------------------------------------------------------------------===//

LogicalResult DynamicTruncateOp::buildJvp(Tangents &tangents) {
  Value tangent = tangents.of(getSource());
  if (!tangent) // the size has no derivative
    return success();
  OpBuilder &b = tangents.builder();
  // As canonicalisation names the size of the primal: it makes no guard.
  Value size = roundedSize(b, getLoc(), getSize());
  tangents.set(getResult(),
               DynamicTruncateOp::create(b, getLoc(), getType(), tangent, size,
                                         getAxis()));
  return success();
}

LogicalResult DynamicTruncateOp::buildTranspose(Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  Value extent =
      makeIndex(b, getLoc(), cotangents.extents(getSource())[getAxis()]);
  cotangents.add(getSource(),
                 PadToMatchOp::create(b, getLoc(), getSource().getType(),
                                      cotangents.of(getResult()), extent,
                                      getAxis()));
  return success();
}

//===----------------------------------------------------------------------===//
// PadToMatchOp
//===----------------------------------------------------------------------===//

LogicalResult PadToMatchOp::buildJvp(Tangents &tangents) {
  Value tangent = tangents.of(getSource());
  if (!tangent) // of the reference only the extent counts
    return success();
  OpBuilder &b = tangents.builder();
  Value size = getSize();
  if (!size.getType().isIndex())
    size = extentOf(b, size, getAxis());
  tangents.set(getResult(), PadToMatchOp::create(b, getLoc(), getType(),
                                                 tangent, size, getAxis()));
  return success();
}

LogicalResult PadToMatchOp::buildTranspose(Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  OpFoldResult extent = cotangents.extents(getSource())[getAxis()];
  cotangents.add(getSource(), DynamicTruncateOp::create(
                                  b, getLoc(), getSource().getType(),
                                  cotangents.of(getResult()),
                                  makeIndex(b, getLoc(), extent), getAxis()));
  return success();
}
