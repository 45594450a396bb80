//===- GatherDerivatives.cpp - Derivatives of gather and scatter ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transposition of modes is exact for every index, in range or not: gather
// `clip` and scatter add `clip` are transposes, and so are gather `fill` and
// scatter add `drop`. Each op that a rule builds has the dimension numbers and
// the mode of the op it comes from.
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::symshape;

static ScatterMode transposeMode(GatherMode mode) {
  switch (mode) {
  case GatherMode::Clip:
    return ScatterMode::Clip;
  case GatherMode::Fill:
    return ScatterMode::Drop;
  case GatherMode::PromiseInBounds:
    return ScatterMode::PromiseInBounds;
  }
  llvm_unreachable("a mode of gather");
}

static GatherMode transposeMode(ScatterMode mode) {
  switch (mode) {
  case ScatterMode::Clip:
    return GatherMode::Clip;
  case ScatterMode::Drop:
    return GatherMode::Fill;
  case ScatterMode::PromiseInBounds:
    return GatherMode::PromiseInBounds;
  }
  llvm_unreachable("a mode of scatter");
}

/// The gather, from `source`, of the places that `scatter` writes to: as large
/// as the updates, which have these extents. Dropped updates read `filler`.
static Value gatherBack(OpBuilder &b, ScatterOp scatter, Value source,
                        Value indices, ArrayRef<OpFoldResult> extents,
                        TypedAttr filler) {
  SmallVector<OpFoldResult> sizes(rankOf(source), b.getIndexAttr(1));
  for (auto [update, axis] :
       llvm::zip(scatter.getUpdateWindowDims(), scatter.getWindowAxes()))
    sizes[axis] = extents[update];
  auto [staticSizes, dynamicSizes] = decomposeMixedValues(sizes);
  GatherMode mode = transposeMode(scatter.getMode());
  auto type = RankedTensorType::get(
      tensorTypeOf(scatter.getUpdates()).getShape(), filler.getType());
  return GatherOp::create(
      b, scatter.getLoc(), type, source, indices, dynamicSizes, staticSizes,
      mode, mode == GatherMode::Fill ? filler : TypedAttr(),
      scatter.getUpdateWindowDims(), scatter.getInsertedWindowDims(),
      scatter.getOperandBatchingDims(), scatter.getScatterIndicesBatchingDims(),
      scatter.getScatterDimsToOperandDims(), scatter.getIndexVectorDim());
}

/// The same scatter of other tensors with another combiner.
static Value scatterLike(OpBuilder &b, ScatterOp op, Combiner combiner,
                         Value source, Value indices, Value updates) {
  return ScatterOp::create(
      b, op.getLoc(), source.getType(), source, indices, updates, combiner,
      op.getMode(), op.getUniqueIndices(), op.getUpdateWindowDims(),
      op.getInsertedWindowDims(), op.getOperandBatchingDims(),
      op.getScatterIndicesBatchingDims(), op.getScatterDimsToOperandDims(),
      op.getIndexVectorDim());
}

static TypedAttr zeroOf(OpBuilder &b, Value tensor) {
  return b.getZeroAttr(getElementTypeOrSelf(tensor));
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::buildJvp(Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  auto tangent = cast<GatherOp>(b.clone(*getOperation()));
  tangent.getSourceMutable().assign(tangents.of(getSource()));
  if (getMode() == GatherMode::Fill)
    tangent.setFillValueAttr(zeroOf(b, getSource()));
  tangents.set(getResult(), tangent.getResult());
  return success();
}

LogicalResult GatherOp::buildTranspose(Cotangents &cotangents) {
  Value scattered = ScatterOp::create(
      cotangents.builder(), getLoc(), getSource().getType(),
      cotangents.sumOf(getSource()), cotangents.residual(getIndices()),
      cotangents.of(getResult()), Combiner::Add, transposeMode(getMode()),
      /*unique_indices=*/false, getOffsetDims(), getCollapsedSliceDims(),
      getOperandBatchingDims(), getStartIndicesBatchingDims(),
      getStartIndexMap(), getIndexVectorDim());
  cotangents.replace(getSource(), scattered);
  return success();
}

//===----------------------------------------------------------------------===//
// ScatterOp, forward
//===----------------------------------------------------------------------===//

/// For each update of a product, the product of the other factors of its
/// element. If no element has two updates, that is the element of the source;
/// else the product of the non-zero others times that of the zero others: their
/// sum for one zero, and half of (square of the sum - sum of squares) for two.
/// For more zeros, the value 0 and the first two derivatives are right. For a
/// dropped update, some finite number.
static Value productOfOthers(ScatterOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value updates = op.getUpdates(), indices = op.getIndices();
  SmallVector<OpFoldResult> extents = tensor::getMixedSizes(b, loc, updates);
  auto read = [&](Value tensor) {
    return gatherBack(b, op, tensor, indices, extents, zeroOf(b, updates));
  };
  if (op.getUniqueIndices())
    return read(op.getSource());
  Value zeros = makeZero(b, loc, updates.getType(), extents);
  Value ones = makeConstant(b, loc, 1, updates);
  Value isZero =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, updates, zeros);
  Value nonzero = arith::SelectOp::create(b, loc, isZero, ones, updates);
  Value product =
      read(scatterLike(b, op, Combiner::Mul, op.getSource(), indices, nonzero));
  Value isOne = arith::SelectOp::create(b, loc, isZero, ones, zeros);
  product = arith::DivFOp::create(b, loc, product, nonzero);
  Value none = makeConstant(b, loc, 0, op.getSource());
  auto sumOfOthers = [&](Value values) {
    Value sum = read(scatterLike(b, op, Combiner::Add, none, indices, values));
    return arith::SubFOp::create(b, loc, sum, values).getResult();
  };
  Value count = sumOfOthers(isOne);
  auto isCount = [&](int64_t number) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, count,
                                 makeConstant(b, loc, number, updates));
  };
  Value zero = arith::SelectOp::create(b, loc, isZero, updates, zeros);
  Value square = arith::MulFOp::create(b, loc, zero, zero);
  Value one = sumOfOthers(zero);
  Value two = arith::MulFOp::create(b, loc, one, one);
  two = arith::SubFOp::create(b, loc, two, sumOfOthers(square));
  two = arith::DivFOp::create(b, loc, two, makeConstant(b, loc, 2, updates));
  Value ofZeros = arith::SelectOp::create(b, loc, isCount(2), two, zeros);
  ofZeros = arith::SelectOp::create(b, loc, isCount(1), one, ofZeros);
  ofZeros = arith::MulFOp::create(b, loc, ofZeros, product);
  Value hasZero =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, count, zeros);
  return arith::SelectOp::create(b, loc, hasZero, ofZeros, product);
}

/// The derivative of a product: each factor's tangent times the other factor.
static LogicalResult buildMulJvp(ScatterOp op, Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  Location loc = op.getLoc();
  Value result;
  if (Value tangent = tangents.of(op.getSource()))
    result = scatterLike(b, op, Combiner::Mul, tangent, op.getIndices(),
                         op.getUpdates());
  if (Value tangent = tangents.of(op.getUpdates())) {
    Value zeros = makeConstant(b, loc, 0, op.getSource());
    Value part = arith::MulFOp::create(b, loc, productOfOthers(op, b), tangent);
    part = scatterLike(b, op, Combiner::Add, zeros, op.getIndices(), part);
    result = result ? makeSum(b, loc, result, part) : part;
  }
  tangents.set(op.getResult(), result);
  return success();
}

/// `value` if `a` and `c` are equal, else zero.
static Value selectEqual(OpBuilder &b, Location loc, Value a, Value c,
                         Value value, Value zeros) {
  Value equal = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, a, c);
  return arith::SelectOp::create(b, loc, equal, value, zeros);
}

/// All candidates at the extremum share, the element of the source included:
/// the sum of their tangents divided by their number.
static LogicalResult buildExtremumJvp(ScatterOp op, Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  Location loc = op.getLoc();
  Value source = op.getSource(), updates = op.getUpdates();
  SmallVector<OpFoldResult> extents = tensor::getMixedSizes(b, loc, updates);
  Value reached = gatherBack(b, op, op.getResult(), op.getIndices(), extents,
                             zeroOf(b, updates));
  Value sourceZeros = makeConstant(b, loc, 0, source);
  Value updateZeros = makeZero(b, loc, updates.getType(), extents);
  auto share = [&](Value ofSource, Value ofUpdates) {
    Value kept =
        selectEqual(b, loc, source, op.getResult(), ofSource, sourceZeros);
    Value put = selectEqual(b, loc, updates, reached, ofUpdates, updateZeros);
    return scatterLike(b, op, Combiner::Add, kept, op.getIndices(), put);
  };
  Value count =
      share(makeConstant(b, loc, 1, source), makeConstant(b, loc, 1, updates));
  Value sum = share(tangents.orZero(source), tangents.orZero(updates));
  tangents.set(op.getResult(), arith::DivFOp::create(b, loc, sum, count));
  return success();
}

LogicalResult ScatterOp::buildJvp(Tangents &tangents) {
  switch (getCombiner()) {
  case Combiner::Mul:
    return buildMulJvp(*this, tangents);
  case Combiner::Max:
  case Combiner::Min:
    return buildExtremumJvp(*this, tangents);
  case Combiner::Add:
  case Combiner::Sub:
    if (!tangents.of(getUpdates())) {
      tangents.set(getResult(), tangents.of(getSource()));
      return success();
    }
    break;
  case Combiner::Update:
    break;
  }
  tangents.set(getResult(),
               scatterLike(tangents.builder(), *this, getCombiner(),
                           tangents.orZero(getSource()), getIndices(),
                           tangents.orZero(getUpdates())));
  return success();
}

//===----------------------------------------------------------------------===//
// ScatterOp, transposed
//===----------------------------------------------------------------------===//

/// The position of each element in row-major order.
static Value makeOrdinals(OpBuilder &b, Location loc,
                          ArrayRef<OpFoldResult> extents) {
  Type i64 = b.getI64Type();
  Value empty = tensor::EmptyOp::create(b, loc, extents, i64);
  int64_t rank = extents.size();
  SmallVector<Value> sizes;
  for (OpFoldResult extent : extents)
    sizes.push_back(getValueOrCreateConstantIndexOp(b, loc, extent));
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, empty.getType(), ValueRange{}, empty, maps, loops,
             [&](OpBuilder &inner, Location where, ValueRange) {
               Value ordinal = arith::ConstantIndexOp::create(inner, where, 0);
               for (int64_t d = 0; d < rank; ++d) {
                 ordinal =
                     arith::MulIOp::create(inner, where, ordinal, sizes[d]);
                 Value here = linalg::IndexOp::create(inner, where, d);
                 ordinal = arith::AddIOp::create(inner, where, ordinal, here);
               }
               ordinal = arith::IndexCastOp::create(inner, where, i64, ordinal);
               linalg::YieldOp::create(inner, where, ordinal);
             })
      .getResult(0);
}

/// Which elements of the updates are the last ones written to their places.
static Value findWinners(ScatterOp op, Cotangents &cotangents, Value indices,
                         ArrayRef<OpFoldResult> extents) {
  OpBuilder &b = cotangents.builder();
  Location loc = op.getLoc();
  Value ordinals = makeOrdinals(b, loc, extents);
  TypedAttr none = b.getI64IntegerAttr(-1);
  Value nobody = arith::ConstantOp::create(b, loc, none);
  Value written = tensor::EmptyOp::create(
      b, loc, cotangents.extents(op.getSource()), b.getI64Type());
  written = linalg::FillOp::create(b, loc, nobody, written).getResult(0);
  written = scatterLike(b, op, Combiner::Update, written, indices, ordinals);
  Value winners = gatherBack(b, op, written, indices, extents, none);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, winners,
                               ordinals);
}

static void transposeUpdates(ScatterOp op, Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  Location loc = op.getLoc();
  Value indices = cotangents.residual(op.getIndices());
  SmallVector<OpFoldResult> extents = cotangents.extents(op.getUpdates());
  Value cotangent = gatherBack(b, op, cotangents.of(op.getResult()), indices,
                               extents, zeroOf(b, op.getUpdates()));
  if (op.getCombiner() == Combiner::Sub)
    cotangent = arith::NegFOp::create(b, loc, cotangent);
  // An update that was overwritten had no effect.
  if (op.getCombiner() == Combiner::Update && !op.getUniqueIndices())
    cotangent = arith::SelectOp::create(
        b, loc, findWinners(op, cotangents, indices, extents), cotangent,
        cotangents.zeros(op.getUpdates()));
  cotangents.add(op.getUpdates(), cotangent);
}

static void transposeSource(ScatterOp op, Cotangents &cotangents) {
  Value cotangent = cotangents.of(op.getResult());
  OpBuilder &b = cotangents.builder();
  Value indices = cotangents.residual(op.getIndices());
  if (op.getCombiner() == Combiner::Update) // what is replaced had no effect
    cotangent = scatterLike(b, op, Combiner::Update, cotangent, indices,
                            cotangents.zeros(op.getUpdates()));
  if (op.getCombiner() == Combiner::Mul)
    cotangent = scatterLike(b, op, Combiner::Mul, cotangent, indices,
                            cotangents.residual(op.getUpdates()));
  cotangents.add(op.getSource(), cotangent);
}

LogicalResult ScatterOp::buildTranspose(Cotangents &cotangents) {
  bool ofSource = cotangents.isLinear(getSource());
  bool ofUpdates = cotangents.isLinear(getUpdates());
  Combiner combiner = getCombiner();
  bool isLinear = combiner == Combiner::Add || combiner == Combiner::Sub ||
                  combiner == Combiner::Update ||
                  (combiner == Combiner::Mul && !ofUpdates);
  if (!isLinear)
    return emitFieldError(*this, "combiner", "to be linear in its operands",
                          stringifyCombiner(combiner));
  if (ofUpdates)
    transposeUpdates(*this, cotangents);
  if (ofSource)
    transposeSource(*this, cotangents);
  return success();
}
