//===- FormDotProducts.cpp - Products of bytes as such --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of (a - za) * (b - zb), of bytes a and b, become sums of a * b and what
// the zeros contribute: the sum of (a - za) * (b - zb) is that of a * b, less
// za times the sum of b - zb, less zb times the sum of a. All of it is exact
// modulo 2^32, as the sums themselves are. Not for: how products of bytes are
// tiled (FormContractions).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "ByteOperands.h"
#include "Structure/Contraction.h"
#include "Windows/ChannelsLast.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_FORMDOTPRODUCTSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// Sums in i32 that start from zero, of `shape`.
static Value makeZeros(OpBuilder &b, Location loc,
                       ArrayRef<OpFoldResult> shape) {
  Value empty = tensor::EmptyOp::create(b, loc, shape, b.getI32Type());
  Value zero = arith::ConstantIntOp::create(b, loc, b.getI32Type(), 0);
  return linalg::FillOp::create(b, loc, zero, empty).getResult(0);
}

static Value widen(OpBuilder &b, Location loc, Value byte, bool isUnsigned) {
  if (isUnsigned)
    return arith::ExtUIOp::create(b, loc, b.getI32Type(), byte);
  return arith::ExtSIOp::create(b, loc, b.getI32Type(), byte);
}

namespace {
/// A tensor of i32, and its map from the loops of the product.
struct Sums {
  Value value;
  AffineMap map;
};

class DotProductFormer {
public:
  DotProductFormer(RewriterBase &rewriter, linalg::LinalgOp op)
      : b(rewriter), op(op), loc(op.getLoc()) {}

  LogicalResult form();

private:
  AffineMap getResultMap() {
    return op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  }
  LogicalResult matchOperands();
  bool isOfResult(const ByteZero &zero);
  linalg::GenericOp makeProduct(Value left, Value right);
  /// Adds up the bytes of a factor times `factor`, with its zero subtracted if
  /// `isCentered`.
  Sums addUp(const ByteOperand &operand, bool isCentered, int64_t factor);
  /// Sums of channels over the windows that the product reads.
  Sums addUpWindows(Sums sums);
  Value subtractZeros(Value products);

  RewriterBase &b;
  linalg::LinalgOp op;
  Location loc;
  ByteOperand left, right;
};
} // namespace

/// Whether the zero is the same along each sum.
bool DotProductFormer::isOfResult(const ByteZero &zero) {
  AffineMap result = getResultMap();
  return zero.isUniform() ||
         llvm::all_of(zero.map.getResults(), [&](AffineExpr index) {
           return result.getResultPosition(index).has_value();
         });
}

LogicalResult DotProductFormer::matchOperands() {
  auto factors = matchFactors(op);
  if (failed(factors) || !factors->first.getType().isInteger(32))
    return failure();
  auto first = matchByteOperand(b, op, factors->first);
  auto second = matchByteOperand(b, op, factors->second);
  if (failed(first) || failed(second) || !isOfResult(first->zero) ||
      !isOfResult(second->zero))
    return failure();
  left = *first;
  right = *second;
  if (left.number == 1)
    std::swap(left, right);
  return success(left.number == 0 && right.number == 1);
}

linalg::GenericOp DotProductFormer::makeProduct(Value a, Value c) {
  AffineMap maps[] = {left.map, right.map, getResultMap()};
  Value init = op.getDpsInits()[0];
  return linalg::GenericOp::create(
      b, loc, init.getType(), ValueRange{a, c}, init, maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        Value product = arith::MulIOp::create(
            b, loc, widen(b, loc, arguments[0], left.isUnsigned),
            widen(b, loc, arguments[1], right.isUnsigned));
        Value sum = arith::AddIOp::create(b, loc, arguments[2], product);
        linalg::YieldOp::create(b, loc, sum);
      });
}

Sums DotProductFormer::addUp(const ByteOperand &operand, bool isCentered,
                             int64_t factor) {
  AffineMap result = getResultMap();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, operand.source);
  unsigned rank = sizes.size();
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::reduction);
  SmallVector<AffineExpr> kept, indices,
      loops(operand.map.getNumDims(), b.getAffineConstantExpr(0));
  SmallVector<OpFoldResult> shape;
  for (auto [position, index] : llvm::enumerate(operand.map.getResults())) {
    if (auto loop = dyn_cast<AffineDimExpr>(index)) {
      loops[loop.getPosition()] = b.getAffineDimExpr(position);
      if (!result.getResultPosition(index))
        continue;
    }
    kinds[position] = utils::IteratorType::parallel;
    kept.push_back(b.getAffineDimExpr(position));
    indices.push_back(index);
    shape.push_back(sizes[position]);
  }
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank)};
  SmallVector<Value> inputs{operand.source};
  if (isCentered && operand.zero.isTensor()) {
    inputs.push_back(operand.zero.value);
    maps.push_back(operand.zero.map.replaceDimsAndSymbols(loops, {}, rank, 0));
  }
  maps.push_back(AffineMap::get(rank, 0, kept, b.getContext()));
  Value zeros = makeZeros(b, loc, shape);
  auto sums = linalg::GenericOp::create(
      b, loc, zeros.getType(), inputs, zeros, maps, kinds,
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        Value term = widen(b, loc, arguments[0], operand.isUnsigned);
        if (isCentered && !operand.zero.isNone())
          term = arith::SubIOp::create(b, loc, term,
                                       operand.zero.read(b, loc, arguments[1]));
        if (factor != 1)
          term = arith::MulIOp::create(
              b, loc, term,
              arith::ConstantIntOp::create(b, loc, term.getType(), factor));
        Value sum = arith::AddIOp::create(b, loc, arguments.back(), term);
        linalg::YieldOp::create(b, loc, sum);
      });
  return addUpWindows(
      {sums.getResult(0),
       AffineMap::get(operand.map.getNumDims(), 0, indices, b.getContext())});
}

Sums DotProductFormer::addUpWindows(Sums sums) {
  if (sums.map.isProjectedPermutation())
    return sums;
  AffineMap result = getResultMap();
  SmallVector<unsigned> places, taps;
  for (AffineExpr index : sums.map.getResults())
    forEachTerm(index, [&](unsigned loop, int64_t) {
      bool isPlace = result.isFunctionOfDim(loop);
      (isPlace ? places : taps).push_back(loop);
    });
  SmallVector<unsigned> order(places);
  order.append(taps);
  unsigned count = order.size();
  SmallVector<AffineExpr> loops(sums.map.getNumDims(),
                                b.getAffineConstantExpr(0));
  for (auto [number, loop] : llvm::enumerate(order))
    loops[loop] = b.getAffineDimExpr(number);
  auto mapOf = [&](ArrayRef<unsigned> of) {
    SmallVector<AffineExpr> results;
    for (unsigned loop : of)
      results.push_back(loops[loop]);
    return AffineMap::get(count, 0, results, b.getContext());
  };
  auto extentsOf = [&](ArrayRef<unsigned> of, Value value, AffineMap map) {
    return llvm::map_to_vector(of, [&](unsigned loop) {
      return tensor::getMixedSize(
          b, loc, value, *map.getResultPosition(b.getAffineDimExpr(loop)));
    });
  };
  // The weights say how large a window is.
  Value window = tensor::EmptyOp::create(
      b, loc, extentsOf(taps, right.source, right.map), b.getI32Type());
  Value zeros =
      makeZeros(b, loc, extentsOf(places, op.getDpsInits()[0], result));
  AffineMap maps[] = {sums.map.replaceDimsAndSymbols(loops, {}, count, 0),
                      mapOf(taps), mapOf(places)};
  SmallVector<utils::IteratorType> kinds(count, utils::IteratorType::reduction);
  std::fill_n(kinds.begin(), places.size(), utils::IteratorType::parallel);
  auto added = linalg::GenericOp::create(
      b, loc, zeros.getType(), ValueRange{sums.value, window}, zeros, maps,
      kinds, [](OpBuilder &b, Location loc, ValueRange arguments) {
        Value sum = arith::AddIOp::create(b, loc, arguments[2], arguments[0]);
        linalg::YieldOp::create(b, loc, sum);
      });
  SmallVector<AffineExpr> indices = llvm::map_to_vector(
      places, [&](unsigned loop) { return b.getAffineDimExpr(loop); });
  return {added.getResult(0),
          AffineMap::get(sums.map.getNumDims(), 0, indices, b.getContext())};
}

/// Less each zero times the sums of the other factor.
Value DotProductFormer::subtractZeros(Value products) {
  AffineMap result = getResultMap();
  unsigned rank = result.getNumResults();
  SmallVector<AffineExpr> places(result.getNumDims(),
                                 b.getAffineConstantExpr(0));
  for (auto [position, index] : llvm::enumerate(result.getResults()))
    places[cast<AffineDimExpr>(index).getPosition()] =
        b.getAffineDimExpr(position);
  SmallVector<Value> inputs{products};
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank)};
  auto addInput = [&](Value value, AffineMap map) {
    inputs.push_back(value);
    maps.push_back(map.replaceDimsAndSymbols(places, {}, rank, 0));
  };
  SmallVector<const ByteZero *> zeros; ///< null: its part is computed already
  for (auto [mine, other] :
       {std::make_pair(&left, &right), std::make_pair(&right, &left)}) {
    if (mine->zero.isNone())
      continue;
    // A known zero is part of the sums: these may leave the call.
    bool isKnown = !mine->zero.value;
    Sums sums = addUp(*other, /*isCentered=*/mine == &left,
                      isKnown ? mine->zero.offset : 1);
    addInput(sums.value, sums.map);
    zeros.push_back(isKnown ? nullptr : &mine->zero);
    if (mine->zero.isTensor())
      addInput(mine->zero.value, mine->zero.map);
  }
  if (zeros.empty())
    return products;
  maps.push_back(b.getMultiDimIdentityMap(rank));
  auto type = cast<RankedTensorType>(products.getType());
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, op.getDpsInits()[0]),
      type.getElementType());
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, type, inputs, empty, maps, kinds,
             [&](OpBuilder &b, Location loc, ValueRange arguments) {
               Value sum = arguments[0];
               unsigned next = 1;
               for (const ByteZero *zero : zeros) {
                 Value part = arguments[next++];
                 if (zero)
                   part = arith::MulIOp::create(
                       b, loc, part,
                       zero->read(b, loc,
                                  zero->isTensor() ? arguments[next++]
                                                   : Value()));
                 sum = arith::SubIOp::create(b, loc, sum, part);
               }
               linalg::YieldOp::create(b, loc, sum);
             })
      .getResult(0);
}

LogicalResult DotProductFormer::form() {
  b.setInsertionPoint(op);
  if (failed(matchOperands()))
    return failure();
  // One sign each: activations become unsigned, weights signed.
  if (left.isUnsigned == right.isUnsigned)
    (left.isUnsigned ? right : left).flipSign(b, loc);
  if (!right.map.isProjectedPermutation())
    return failure();
  linalg::GenericOp product = makeProduct(left.source, right.source);
  if (failed(matchContraction(product, /*dotProducts=*/true)) &&
      !canMoveChannelsLast(product)) {
    b.eraseOp(product);
    return failure();
  }
  b.replaceOp(op, subtractZeros(product.getResult(0)));
  return success();
}

namespace {
struct FormDotProductsPass
    : symshape::impl::FormDotProductsPassBase<FormDotProductsPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && op.getNumReductionLoops() != 0 &&
          succeeded(matchFactors(op)) && !isDotProduct(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops)
      (void)DotProductFormer(rewriter, op).form();
  }
};
} // namespace
