//===- QuantizeWeights.cpp - Weights of f32 as codes of few bits ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the user asks for it, weights of products of f32 become codes of 8 or
// 4 bits, and symshape.dequantize makes numbers of them. Not for: reading codes
// in registers (FormContractions).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/IR/Precision.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/HoistWeights.h"

#include "Structure/Contraction.h"
#include "WeightSteps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_QUANTIZEWEIGHTSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// Terms that share a scale.
static constexpr int64_t blockTerms = 32;

namespace {
/// Makes the codes and the scales of one weight, a tensor of columns by terms.
class Quantizer {
public:
  Quantizer(OpBuilder &b, Location loc, int64_t bits)
      : b(b), loc(loc), bits(bits) {}

  std::pair<Value, Value> quantize(Value weight) {
    Value blocks = splitIntoBlocks(weight), scales = makeScales(blocks);
    return {makeCodes(blocks, scales), scales};
  }

private:
  Value splitIntoBlocks(Value weight);
  Value makeScales(Value blocks);
  Value makeCodes(Value blocks, Value scales);
  Value encode(OpBuilder &b, Value number, Value scale);
  Value makeLoops(ValueRange inputs, ArrayRef<AffineMap> maps, Type element,
                  int64_t rank,
                  function_ref<Value(OpBuilder &, ValueRange)> body,
                  Value start = {});

  OpBuilder &b;
  Location loc;
  int64_t bits;
};
} // namespace

/// A tensor over the leading `rank` dimensions of the last input, whose map is
/// the identity: `body` makes elements of those of the inputs and, with a
/// `start`, of what is there from earlier turns along the last dimension.
Value Quantizer::makeLoops(ValueRange inputs, ArrayRef<AffineMap> maps,
                           Type element, int64_t rank,
                           function_ref<Value(OpBuilder &, ValueRange)> body,
                           Value start) {
  int64_t loops = cast<ShapedType>(inputs.back().getType()).getRank();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, inputs.back());
  sizes.resize(rank);
  Value result = tensor::EmptyOp::create(b, loc, sizes, element);
  if (start)
    result = linalg::FillOp::create(b, loc, start, result).getResult(0);
  SmallVector<AffineMap> all(maps);
  all.push_back(b.getMultiDimIdentityMap(loops).getMajorSubMap(
      static_cast<size_t>(rank)));
  SmallVector<utils::IteratorType> kinds(loops, utils::IteratorType::parallel);
  llvm::fill(MutableArrayRef(kinds).drop_front(rank),
             utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             b, loc, result.getType(), inputs, result, all, kinds,
             [&](OpBuilder &b, Location loc, ValueRange arguments) {
               linalg::YieldOp::create(b, loc, body(b, arguments));
             })
      .getResult(0);
}

/// As columns, blocks and terms of a block; zeros fill the last block.
Value Quantizer::splitIntoBlocks(Value weight) {
  auto type = cast<RankedTensorType>(weight.getType());
  OpFoldResult columns = tensor::getMixedSize(b, loc, weight, 0);
  int64_t terms = type.getDimSize(1);
  int64_t blocks = llvm::divideCeil(terms, blockTerms);
  RankedTensorType whole =
      type.clone({type.getDimSize(0), blocks * blockTerms});
  if (whole != type) {
    SmallVector<OpFoldResult> low(2, b.getIndexAttr(0)), high(low);
    high[1] = b.getIndexAttr(blocks * blockTerms - terms);
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
    weight = tensor::PadOp::create(b, loc, whole, weight, low, high, zero);
  }
  return tensor::ExpandShapeOp::create(
      b, loc, type.clone({type.getDimSize(0), blocks, blockTerms}), weight,
      ArrayRef<ReassociationIndices>{{0}, {1, 2}},
      ArrayRef<OpFoldResult>{columns, b.getIndexAttr(blocks),
                             b.getIndexAttr(blockTerms)});
}

/// The number of the largest magnitude in each block becomes code 0, the one
/// farthest from the code that stands for zero; a NaN makes a NaN.
Value Quantizer::makeScales(Value blocks) {
  Type type = b.getF32Type();
  auto number = [&](OpBuilder &b, double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  };
  AffineMap identity = b.getMultiDimIdentityMap(3);
  Value zero = number(b, 0);
  Value greatest = makeLoops(
      blocks, identity, type, 2,
      [&](OpBuilder &b, ValueRange now) -> Value {
        return arith::MaximumFOp::create(b, loc, now[1], now[0]);
      },
      zero);
  Value least = makeLoops(
      blocks, identity, type, 2,
      [&](OpBuilder &b, ValueRange now) -> Value {
        return arith::MinimumFOp::create(b, loc, now[1], now[0]);
      },
      zero);
  AffineMap plain = b.getMultiDimIdentityMap(2);
  return makeLoops({greatest, least}, {plain, plain}, type, 2,
                   [&](OpBuilder &b, ValueRange now) -> Value {
                     Value isPositive = arith::CmpFOp::create(
                         b, loc, arith::CmpFPredicate::OGE, now[0],
                         arith::NegFOp::create(b, loc, now[1]));
                     Value largest = arith::SelectOp::create(b, loc, isPositive,
                                                             now[0], now[1]);
                     return arith::MulFOp::create(
                         b, loc, largest, number(b, -1.0 / (1 << (bits - 1))));
                   });
}

/// The code of one number. In a block of zeros, and where a number is no
/// number, it is 0, and its scale makes it what it was.
Value Quantizer::encode(OpBuilder &b, Value number, Value scale) {
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  };
  Value steps = arith::DivFOp::create(b, loc, number, scale);
  steps = math::RoundEvenOp::create(b, loc, steps);
  steps = arith::AddFOp::create(b, loc, steps, constant(1 << (bits - 1)));
  steps = arith::MaxNumFOp::create(b, loc, steps, constant(0));
  steps = arith::MinNumFOp::create(b, loc, steps, constant((1 << bits) - 1));
  Value code = arith::FPToUIOp::create(b, loc, b.getI32Type(), steps);
  return arith::TruncIOp::create(b, loc, b.getI8Type(), code);
}

/// Bytes of columns by terms, several codes in each.
Value Quantizer::makeCodes(Value blocks, Value scales) {
  auto type = cast<RankedTensorType>(blocks.getType());
  int64_t inByte = 8 / bits, bytes = blockTerms / inByte;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, blocks);
  sizes.back() = b.getIndexAttr(bytes);
  sizes.push_back(b.getIndexAttr(inByte));
  Value parts = tensor::ExpandShapeOp::create(
      b, loc,
      type.clone({type.getDimSize(0), type.getDimSize(1), bytes, inByte}),
      blocks, ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}}, sizes);
  AffineMap all = b.getMultiDimIdentityMap(4);
  Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
  Value codes = makeLoops(
      {scales, parts}, {all.getMajorSubMap(2), all}, b.getI8Type(), 3,
      [&](OpBuilder &b, ValueRange now) -> Value {
        Value place = arith::IndexCastOp::create(
            b, loc, b.getI8Type(), linalg::IndexOp::create(b, loc, 3));
        Value shift = arith::MulIOp::create(
            b, loc, place,
            arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(bits % 8)));
        Value code = encode(b, now[1], now[0]);
        return arith::OrIOp::create(b, loc, now[2],
                                    arith::ShLIOp::create(b, loc, code, shift));
      },
      zero);
  return tensor::CollapseShapeOp::create(
      b, loc, codes, ArrayRef<ReassociationIndices>{{0}, {1, 2}});
}

namespace {
struct QuantizeWeightsPass
    : symshape::impl::QuantizeWeightsPassBase<QuantizeWeightsPass> {
  using Kind = Precision::Kind;

  void runOnOperation() override {
    made.clear();
    steps = {};
    SmallVector<std::pair<OpOperand *, int64_t>> weights;
    ProductPrecision precision({Kind::Int8, Kind::Int4});
    std::optional<DenseSet<Value>> prepared;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!multipliesFloats(op))
        return;
      Kind kind = precision.of(op);
      if (kind == Kind::F32)
        return;
      if (!prepared)
        prepared = findPreparedValues(getOperation());
      if (OpOperand *weight = findWeight(op, *prepared))
        weights.emplace_back(weight, kind == Kind::Int8 ? 8 : 4);
    });
    precision.warnOfUnused(getOperation());
    for (auto [weight, bits] : weights)
      replaceWeight(*weight, bits);
  }

private:
  /// The right operand, if it is a matrix that is known before the calls, with
  /// a static number of terms that are the only ones to be added up.
  static OpOperand *findWeight(linalg::LinalgOp op,
                               const DenseSet<Value> &prepared) {
    FailureOr<ContractionMatch> match = matchContraction(op);
    if (failed(match) || !isProductByMatrix(*match) ||
        match->b.getDefiningOp<DequantizeOp>())
      return nullptr;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      if (!map.isFunctionOfDim(match->loops.column))
        continue; // the left operand
      auto type = cast<RankedTensorType>(operand->get().getType());
      int64_t terms = type.getDimSize(findTerms(op, *operand));
      if (prepared.contains(operand->get()) && terms > 0 &&
          !ShapedType::isDynamic(terms))
        return operand;
    }
    return nullptr;
  }

  /// Which dimension of a weight is added up.
  static int64_t findTerms(linalg::LinalgOp op, OpOperand &weight) {
    AffineMap map = op.getMatchingIndexingMap(&weight);
    return op.getIteratorTypesArray()[map.getDimPosition(0)] ==
                   utils::IteratorType::reduction
               ? 0
               : 1;
  }

  /// Codes are made where the weight is: in no loop.
  void replaceWeight(OpOperand &weight, int64_t bits) {
    auto op = cast<linalg::LinalgOp>(weight.getOwner());
    bool areColumnsLast = findTerms(op, weight) == 0;
    Value &numbers = made[{weight.get(), bits * 2 + areColumnsLast}];
    if (!numbers)
      numbers = makeNumbers(op.getLoc(), weight.get(), bits, areColumnsLast);
    weight.set(numbers);
  }

  Value makeNumbers(Location loc, Value weight, int64_t bits,
                    bool areColumnsLast) {
    OpBuilder b(&getContext());
    b.setInsertionPointAfterValue(weight);
    ValueRange codes = steps.call(
        b, loc, "symshape.quantize", weight,
        [&](OpBuilder &b, ValueRange arguments) -> SmallVector<Value> {
          Value value = arguments[0];
          if (areColumnsLast)
            value = makeTranspose(b, loc, value, {1, 0});
          auto [codes, scales] = Quantizer(b, loc, bits).quantize(value);
          return {codes, scales};
        });
    auto type = cast<RankedTensorType>(weight.getType());
    SmallVector<int64_t> shape(type.getShape());
    if (areColumnsLast)
      std::swap(shape[0], shape[1]);
    Value numbers =
        DequantizeOp::create(b, loc, type.clone(shape), codes[0], codes[1],
                             /*zeros=*/Value(), bits, blockTerms);
    return areColumnsLast ? makeTranspose(b, loc, numbers, {1, 0}) : numbers;
  }

  WeightSteps steps;
  /// By weight, and by the bits and the order.
  DenseMap<std::pair<Value, int64_t>, Value> made;
};
} // namespace
