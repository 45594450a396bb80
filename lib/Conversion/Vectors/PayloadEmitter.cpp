//===- PayloadEmitter.cpp - Bodies of structured ops at one point ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header. Uniform values stay scalar, so that an index computed from
// another tensor addresses memory without a gather.
//
//===----------------------------------------------------------------------===//

#include "PayloadEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::symshape;

/// True if neighbouring lanes of a vector of this type are neighbouring bytes
/// in memory: not so for i1, of which a memref holds one per byte.
static bool hasByteLanes(Type type) {
  if (type.isIndex())
    return true;
  if (!type.isIntOrFloat())
    return false;
  unsigned width = type.getIntOrFloatBitWidth();
  return width >= 8 && width <= 64 && llvm::isPowerOf2_32(width);
}

/// True if the last index grows by one with loop `dim`.
static bool hasUnitStep(AffineExpr expr, unsigned dim) {
  if (auto dimExpr = dyn_cast<AffineDimExpr>(expr))
    return dimExpr.getPosition() == dim;
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return false;
  AffineExpr lhs = sum.getLHS(), rhs = sum.getRHS();
  return (hasUnitStep(lhs, dim) && !rhs.isFunctionOfDim(dim)) ||
         (hasUnitStep(rhs, dim) && !lhs.isFunctionOfDim(dim));
}

static bool hasUnitInnerStride(Type type) {
  if (isa<RankedTensorType>(type))
    return true;
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getRank() > 0 && memref.isLastDimUnitStride();
}

Access mlir::symshape::getAccess(linalg::LinalgOp op, OpOperand &operand,
                                 unsigned dim) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!isa<ShapedType>(operand.get().getType()) || !map.isFunctionOfDim(dim))
    return Access::Uniform;
  if (!hasUnitStep(map.getResults().back(), dim) ||
      !hasUnitInnerStride(operand.get().getType()) ||
      !hasByteLanes(getElementTypeOrSelf(operand.get().getType())))
    return Access::Lanes;
  for (AffineExpr expr : map.getResults().drop_back())
    if (expr.isFunctionOfDim(dim))
      return Access::Lanes;
  return Access::Contiguous;
}

std::optional<int64_t> mlir::symshape::getStepOfVector(linalg::LinalgOp op,
                                                       OpOperand &operand,
                                                       unsigned dim) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Type type = operand.get().getType();
  if (!isa<ShapedType>(type) || !map.isFunctionOfDim(dim))
    return 0;
  if (!hasUnitInnerStride(type) || !hasByteLanes(getElementTypeOrSelf(type)))
    return std::nullopt;
  for (AffineExpr expr : map.getResults().drop_back())
    if (expr.isFunctionOfDim(dim))
      return std::nullopt;
  AffineExpr here = getAffineDimExpr(dim, op.getContext());
  AffineExpr last = map.getResults().back();
  AffineExpr step = simplifyAffineExpr(last.replace(here, here + 1) - last,
                                       map.getNumDims(), map.getNumSymbols());
  if (auto constant = dyn_cast<AffineConstantExpr>(step))
    return constant.getValue();
  return std::nullopt;
}

bool mlir::symshape::isVectorizableBody(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  for (Type type : body.getArgumentTypes())
    if (!VectorType::isValidElementType(type))
      return false;
  for (Operation &inner : body.without_terminator()) {
    if (isa<linalg::IndexOp>(inner))
      continue;
    if (inner.getNumResults() != 1 || inner.getNumRegions() != 0 ||
        !VectorType::isValidElementType(inner.getResult(0).getType()))
      return false;
    if (isa<memref::LoadOp, tensor::ExtractOp>(inner))
      continue;
    if (!OpTrait::hasElementwiseMappableTraits(&inner))
      if (!inner.hasTrait<OpTrait::ConstantLike>())
        return false;
  }
  return true;
}

bool mlir::symshape::hasElementOutside(linalg::LinalgOp op,
                                       OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto type = dyn_cast<ShapedType>(operand.get().getType());
  for (auto [d, expr] : llvm::enumerate(map.getResults())) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (isa<AffineDimExpr>(expr) || (constant && !type.isDynamicDim(d) &&
                                     constant.getValue() < type.getDimSize(d)))
      continue;
    return false;
  }
  return true;
}

bool mlir::symshape::needsScalarTail(linalg::LinalgOp op, unsigned dim) {
  for (OpOperand &operand : op->getOpOperands())
    if (getAccess(op, operand, dim) == Access::Lanes)
      return true;
  for (Operation &inner : op.getBlock()->without_terminator())
    if (!isSpeculatable(&inner) ||
        isa<memref::LoadOp, tensor::ExtractOp>(inner))
      return true;
  return false;
}

SmallVector<Value> PayloadEmitter::getIndices(AffineMap map, int64_t lane) {
  SmallVector<OpFoldResult> operands(place.ivs.size());
  for (auto [operand, iv] : llvm::zip(operands, place.ivs))
    operand = iv ? OpFoldResult(iv) : OpFoldResult(builder.getIndexAttr(0));
  AffineExpr shift = builder.getAffineConstantExpr(lane);
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults()) {
    if (lane != 0)
      expr = expr.replace(builder.getAffineDimExpr(place.vectorDim),
                          builder.getAffineDimExpr(place.vectorDim) + shift);
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      indices.push_back(place.ivs[dim.getPosition()]);
      continue;
    }
    auto single = AffineMap::get(map.getNumDims(), 0, expr);
    OpFoldResult index =
        affine::makeComposedFoldedAffineApply(builder, loc, single, operands);
    indices.push_back(getValueOrCreateConstantIndexOp(builder, loc, index));
  }
  return indices;
}

static Value loadElement(OpBuilder &builder, Location loc, Value base,
                         ValueRange indices) {
  if (isa<MemRefType>(base.getType()))
    return memref::LoadOp::create(builder, loc, base, indices);
  return tensor::ExtractOp::create(builder, loc, base, indices);
}

Value PayloadEmitter::getMask() {
  SmallVector<int32_t> steps =
      llvm::to_vector(llvm::seq<int32_t>(0, static_cast<int32_t>(place.width)));
  auto type = VectorType::get({place.width}, builder.getI32Type());
  Value step = arith::ConstantOp::create(
      builder, loc, DenseIntElementsAttr::get(type, steps));
  Value count = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                           place.count);
  count = vector::BroadcastOp::create(builder, loc, type, count);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, step,
                               count);
}

Value PayloadEmitter::loadVector(Value base, ValueRange indices,
                                 Type elementType) {
  auto type = VectorType::get({place.width}, elementType);
  if (isa<RankedTensorType>(base.getType()))
    return vector::TransferReadOp::create(
        builder, loc, type, base, indices,
        arith::ConstantOp::create(builder, loc,
                                  builder.getZeroAttr(elementType)),
        ArrayRef<bool>{!place.count});
  if (!place.count)
    return vector::LoadOp::create(builder, loc, type, base, indices);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return vector::MaskedLoadOp::create(builder, loc, type, base, indices,
                                      getMask(), zero);
}

Value PayloadEmitter::load(OpOperand &operand) {
  if (!isa<ShapedType>(operand.get().getType()))
    return operand.get();
  AffineMap map = place.op.getMatchingIndexingMap(&operand);
  Access access = place.width == 0
                      ? Access::Uniform
                      : getAccess(place.op, operand, place.vectorDim);
  Value base = operand.get();
  if (access == Access::Uniform)
    return loadElement(builder, loc, base, getIndices(map, /*lane=*/0));
  Type elementType = getElementTypeOrSelf(base.getType());
  if (access == Access::Contiguous)
    return loadVector(base, getIndices(map, /*lane=*/0), elementType);
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < place.width; ++lane)
    lanes.push_back(loadElement(builder, loc, base, getIndices(map, lane)));
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get({place.width}, elementType), lanes);
}

void PayloadEmitter::prefetch(OpOperand &operand, Value base) {
  AffineMap map = place.op.getMatchingIndexingMap(&operand);
  memref::PrefetchOp::create(builder, loc, base, getIndices(map, /*lane=*/0),
                             /*isWrite=*/false, /*localityHint=*/3,
                             /*isDataCache=*/true);
}

void PayloadEmitter::store(OpOperand &operand, Value value) {
  AffineMap map = place.op.getMatchingIndexingMap(&operand);
  Value base = operand.get();
  Access access = place.width == 0
                      ? Access::Uniform
                      : getAccess(place.op, operand, place.vectorDim);
  if (access == Access::Uniform) {
    memref::StoreOp::create(builder, loc, value, base, getIndices(map, 0));
    return;
  }
  value = broadcast(value);
  if (access == Access::Contiguous) {
    if (place.count)
      vector::MaskedStoreOp::create(builder, loc, base, getIndices(map, 0),
                                    getMask(), value);
    else
      vector::StoreOp::create(builder, loc, value, base, getIndices(map, 0));
    return;
  }
  for (int64_t lane = 0; lane < place.width; ++lane) {
    Value element = vector::ExtractOp::create(builder, loc, value, lane);
    memref::StoreOp::create(builder, loc, element, base, getIndices(map, lane));
  }
}

Value PayloadEmitter::broadcast(Value value) {
  if (place.width == 0 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get({place.width}, value.getType()), value);
}

static bool hasReciprocals(Value divisor) {
  return divisor.getType().isF32() || divisor.getType().isF64();
}

/// Whether the last bit of a number can decide a whole step of another one: ops
/// of the same body lead from it to one that rounds or compares.
static bool reachesStep(Value value) {
  SmallVector<Value> open{value};
  llvm::SmallDenseSet<Operation *> seen;
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (isa<math::RoundEvenOp, math::RoundOp, math::FloorOp, math::CeilOp,
              math::TruncOp, arith::FPToSIOp, arith::FPToUIOp, arith::CmpFOp,
              arith::BitcastOp>(user))
        return true;
      if (seen.insert(user).second)
        llvm::append_range(open, user->getResults());
    }
  return false;
}

/// x * scale * (1 / (y * scale)), where only the products are vectors. The
/// scale is 1, unless y or its reciprocal is not a normal number: then it is
/// the power of two that makes both normal. So 0, infinity and NaN give what
/// the division gives, and any other quotient is within one unit and a half in
/// the last place at most.
Value PayloadEmitter::divideByUniform(Value dividend, Value divisor) {
  auto type = cast<FloatType>(divisor.getType());
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  auto constant = [&](int exponent) -> Value {
    APFloat one = APFloat::getOne(semantics);
    return arith::ConstantOp::create(
        builder, loc,
        builder.getFloatAttr(
            type, scalbn(one, exponent, APFloat::rmNearestTiesToEven)));
  };
  int precision = static_cast<int>(APFloat::semanticsPrecision(semantics));
  int least = APFloat::semanticsMinExponent(semantics);
  Value magnitude = math::AbsFOp::create(builder, loc, divisor);
  Value isSmall = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                        magnitude, constant(least));
  Value isLarge = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                        magnitude, constant(-least));
  Value scale = arith::SelectOp::create(builder, loc, isLarge,
                                        constant(-precision), constant(0));
  scale = arith::SelectOp::create(builder, loc, isSmall, constant(precision),
                                  scale);
  Value scaled = arith::MulFOp::create(builder, loc, divisor, scale);
  Value reciprocal = arith::DivFOp::create(builder, loc, constant(0), scaled);
  Value first = arith::MulFOp::create(builder, loc, dividend, broadcast(scale));
  return arith::MulFOp::create(builder, loc, first, broadcast(reciprocal));
}

/// Maps the results of `op` to those of its clone.
void PayloadEmitter::cloneElementwise(Operation *op, IRMapping &mapping) {
  bool isVector = llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<VectorType>(mapping.lookupOrDefault(operand).getType());
  });
  if (!isVector) {
    builder.clone(*op, mapping);
    return;
  }
  if (auto division = dyn_cast<arith::DivFOp>(op)) {
    Value divisor = mapping.lookupOrDefault(division.getRhs());
    if (!isa<VectorType>(divisor.getType()) && hasReciprocals(divisor) &&
        !reachesStep(division.getResult())) {
      Value dividend = mapping.lookupOrDefault(division.getLhs());
      mapping.map(division.getResult(), divideByUniform(dividend, divisor));
      return;
    }
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(broadcast(mapping.lookupOrDefault(operand)));
  auto type = VectorType::get({place.width}, op->getResult(0).getType());
  OperationState state(loc, op->getName(), operands, TypeRange(type),
                       op->getAttrs());
  Operation *clone = builder.create(state);
  mapping.map(op->getResult(0), clone->getResult(0));
}

/// A read inside the body. Neighbouring lanes are one vector where the last
/// index is the loop index itself; otherwise each lane is read alone.
Value PayloadEmitter::emitMemoryRead(Operation *op, IRMapping &mapping) {
  Value base = op->getOperand(0);
  SmallVector<Value> indices;
  for (Value index : op->getOperands().drop_front())
    indices.push_back(mapping.lookupOrDefault(index));
  auto isVector = [](Value value) { return isa<VectorType>(value.getType()); };
  if (llvm::none_of(indices, isVector))
    return loadElement(builder, loc, base, indices);

  Type elementType = op->getResult(0).getType();
  auto last = op->getOperands().back().getDefiningOp<linalg::IndexOp>();
  if (last && last.getDim() == place.vectorDim && !place.count &&
      llvm::none_of(ArrayRef(indices).drop_back(), isVector) &&
      hasUnitInnerStride(base.getType()) && hasByteLanes(elementType)) {
    indices.back() = place.ivs[place.vectorDim];
    return loadVector(base, indices, elementType);
  }
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < place.width; ++lane) {
    SmallVector<Value> point;
    for (Value index : indices)
      point.push_back(isVector(index)
                          ? vector::ExtractOp::create(builder, loc, index, lane)
                          : index);
    lanes.push_back(loadElement(builder, loc, base, point));
  }
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get({place.width}, elementType), lanes);
}

void PayloadEmitter::emitUniform(IRMapping &mapping,
                                 ArrayRef<unsigned> otherDims) {
  linalg::LinalgOp op = place.op;
  auto varies = [&](AffineMap map) {
    return map.isFunctionOfDim(place.vectorDim) ||
           llvm::any_of(otherDims,
                        [&](unsigned dim) { return map.isFunctionOfDim(dim); });
  };
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (!argument.use_empty() && !varies(op.getMatchingIndexingMap(operand)) &&
        hasElementOutside(op, *operand))
      mapping.map(argument, load(*operand));
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      if (index.getDim() != place.vectorDim &&
          !llvm::is_contained(otherDims, index.getDim()))
        mapping.map(index.getResult(), place.ivs[index.getDim()]);
      continue;
    }
    bool known = llvm::all_of(inner.getOperands(), [&](Value operand) {
      return mapping.contains(operand) ||
             operand.getParentBlock() != op.getBlock();
    });
    if (known && isPure(&inner))
      builder.clone(inner, mapping);
  }
}

SmallVector<Value> PayloadEmitter::emitBody(IRMapping &mapping) {
  linalg::LinalgOp op = place.op;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!argument.use_empty() && !mapping.contains(argument))
      mapping.map(argument, load(operand));
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (inner.getNumResults() == 1 && mapping.contains(inner.getResult(0)))
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      Value iv = place.ivs[index.getDim()];
      if (place.width > 0 && index.getDim() == place.vectorDim) {
        auto type = VectorType::get({place.width}, builder.getIndexType());
        Value step = vector::StepOp::create(builder, loc, type);
        iv = arith::AddIOp::create(builder, loc, broadcast(iv), step);
      }
      mapping.map(index.getResult(), iv);
      continue;
    }
    if (isa<memref::LoadOp, tensor::ExtractOp>(inner) && place.width > 0) {
      mapping.map(inner.getResult(0), emitMemoryRead(&inner, mapping));
      continue;
    }
    if (place.width == 0)
      builder.clone(inner, mapping);
    else
      cloneElementwise(&inner, mapping);
  }
  SmallVector<Value> results;
  for (Value value : op.getBlock()->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}
