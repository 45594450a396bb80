//===- Derivatives.cpp - What derivative rules share ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Zeros and sums, what uses what and what nothing needs. Not for: rules of ops.
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/Derivatives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::symshape;

bool symshape::hasTangent(Type type) {
  return isa<FloatType, RankedTensorType>(type) &&
         isa<FloatType>(getElementTypeOrSelf(type));
}

bool symshape::usesAny(Operation *op, function_ref<bool(Value)> isOne) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(), isOne)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

// Users come before what they use. Not Block::walk, which visits the ops of the
// block itself in their order, whatever it is asked for.
void symshape::eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        eraseDeadOps(inner);
    if (isOpTriviallyDead(&op))
      op.erase();
  }
}

Value symshape::makeFilled(OpBuilder &builder, Location loc, double value,
                           Type type, ArrayRef<OpFoldResult> extents) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr number;
  if (isa<FloatType>(element))
    number = builder.getFloatAttr(element, value);
  else
    number = builder.getIntegerAttr(element, static_cast<int64_t>(value));
  Value scalar = arith::ConstantOp::create(builder, loc, number);
  if (!isa<RankedTensorType>(type))
    return scalar;
  Value filled = tensor::EmptyOp::create(builder, loc, extents, element);
  filled = linalg::FillOp::create(builder, loc, scalar, filled).getResult(0);
  // Constant extents of a dynamic type, or the other way round.
  if (filled.getType() != type)
    filled = tensor::CastOp::create(builder, loc, type, filled);
  return filled;
}

SmallVector<OpFoldResult> symshape::extentsOf(OpBuilder &builder, Location loc,
                                              Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return {};
  return tensor::getMixedSizes(builder, loc, value);
}

Value symshape::makeZero(OpBuilder &builder, Location loc, Type type,
                         ArrayRef<OpFoldResult> extents) {
  return makeFilled(builder, loc, 0, type, extents);
}

Value symshape::makeConstant(OpBuilder &builder, Location loc, double value,
                             Value like) {
  return makeFilled(builder, loc, value, like.getType(),
                    extentsOf(builder, loc, like));
}

Value symshape::convertTensor(OpBuilder &builder, Location loc, Value tensor,
                              RankedTensorType type) {
  auto own = cast<RankedTensorType>(tensor.getType());
  Type element = type.getElementType();
  unsigned width = own.getElementType().getIntOrFloatBitWidth();
  if (width > element.getIntOrFloatBitWidth())
    tensor = arith::TruncFOp::create(builder, loc, own.clone(element), tensor);
  else if (own.getElementType() != element)
    tensor = arith::ExtFOp::create(builder, loc, own.clone(element), tensor);
  if (tensor.getType() != type)
    tensor = tensor::CastOp::create(builder, loc, type, tensor);
  return tensor;
}

Value symshape::makeSum(OpBuilder &builder, Location loc, Value a, Value b) {
  return arith::AddFOp::create(builder, loc, a, b);
}

Value symshape::sumOver(OpBuilder &builder, Location loc, Value tensor,
                        ArrayRef<int64_t> kept) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(builder, loc, tensor);
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> places;
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::reduction);
  SmallVector<int64_t> shape;
  for (int64_t axis : kept) {
    sizes.push_back(extents[axis]);
    shape.push_back(type.getDimSize(axis));
    places.push_back(builder.getAffineDimExpr(axis));
    loops[axis] = utils::IteratorType::parallel;
  }
  Value zeros = makeZero(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), sizes);
  SmallVector<AffineMap> maps{
      builder.getMultiDimIdentityMap(type.getRank()),
      AffineMap::get(type.getRank(), 0, places, builder.getContext())};
  return linalg::GenericOp::create(
             builder, loc, zeros.getType(), tensor, zeros, maps, loops,
             [](OpBuilder &b, Location where, ValueRange args) {
               Value sum = arith::AddFOp::create(b, where, args[1], args[0]);
               linalg::YieldOp::create(b, where, sum);
             })
      .getResult(0);
}

LogicalResult Tangents::differentiate(Block &block) {
  // Rules build further ops.
  SmallVector<Operation *> ops =
      llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Operation *op : ops)
    if (failed(differentiate(op)))
      return failure();
  return success();
}

Value Tangents::orZero(Value primal) {
  if (Value tangent = of(primal))
    return tangent;
  return makeConstant(builder(), primal.getLoc(), 0, primal);
}

OpFoldResult Cotangents::residual(OpFoldResult value) {
  if (auto v = dyn_cast<Value>(value))
    return residual(v);
  return value;
}

SmallVector<Value> Cotangents::residuals(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value v) { return residual(v); });
}

SmallVector<OpFoldResult> Cotangents::residuals(ArrayRef<OpFoldResult> values) {
  return llvm::map_to_vector(values,
                             [&](OpFoldResult v) { return residual(v); });
}

Value Cotangents::zeros(Value value) {
  SmallVector<OpFoldResult> sizes;
  if (isa<RankedTensorType>(value.getType()))
    sizes = extents(value);
  return makeZero(builder(), value.getLoc(), value.getType(), sizes);
}

Value Cotangents::sumOf(Value value) {
  Value sum = of(value);
  return sum ? sum : zeros(value);
}
