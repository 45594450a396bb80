//===- BatchNorm.cpp - Normalization over a batch -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `batch_norm_inference`, `_training` and `_grad`, by the formulas of
// StableHLO's specification. Floats of 16 bits are computed as floats of 32.
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
class BatchNorm {
public:
  explicit BatchNorm(Node &n) : n(n), b(n.b) {}
  /// Operand 0, vectors of a feature each, and perhaps one more like 0.
  LogicalResult read();
  LogicalResult infer();
  LogicalResult train();
  LogicalResult derive();

private:
  using Body = llvm::function_ref<Value(Scalars &, ValueRange)>;
  /// A tensor like operand 0, whose elements come from those of tensors, and of
  /// vectors that have an element per feature.
  Value map(ArrayRef<Value> inputs, Type element, Body body);
  /// The sums of that over all but the features.
  Value sum(ArrayRef<Value> inputs, Body body);
  Value mapVector(ArrayRef<Value> inputs, Type element, Body body);
  AffineMap mapOf(Value tensor);
  Value normalized(Value mean, Value variance);
  /// sqrt(variance + epsilon)
  Value deviation(Scalars &s, Value variance) {
    return s.create<math::SqrtOp>(
        s.create<arith::AddFOp>(variance, s.number(wide, epsilon)));
  }
  Value narrow(Value vector) {
    return mapVector(vector, element, [&](Scalars &s, ValueRange v) {
      return s.convert(v[0], wide, element);
    });
  }

  Node &n;
  OpBuilder &b;
  SmallVector<Value> operands;
  int64_t rank = 0, axis = 0;
  double epsilon = 0;
  Type element, wide;
  OpFoldResult features;
  Value perFeature; ///< how many elements, as a float
};
} // namespace

LogicalResult BatchNorm::read() {
  rank = n.rank(0);
  element = n.element(0);
  auto number = dyn_cast_or_null<FloatAttr>(n.attribute("epsilon"));
  if (!number || rank < 1 || !isa<FloatType>(element) ||
      element.getIntOrFloatBitWidth() < 16)
    return n.fail("expected floats of 16 bits at least, and an epsilon");
  epsilon = number.getValueAsDouble();
  axis = n.integer("feature_index", 0, rank - 1);
  for (size_t i = 0; i < n.count(); ++i) {
    bool isLikeFirst = n.rank(i) == rank && (rank > 1 || i == 0 || i == 4);
    operands.push_back(n.tensor(i));
    if (!operands.back() || n.element(i) != element ||
        (!isLikeFirst && n.rank(i) != 1))
      return n.fail("expected vectors of the type of the operand");
  }
  wide = element.getIntOrFloatBitWidth() == 16 ? b.getF32Type() : element;
  features = n.extent(operands[0], axis);
  Scalars s(b, n.loc);
  Value count = n.index(b.getIndexAttr(1));
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      count = s.create<arith::MulIOp>(count, n.index(n.extent(operands[0], i)));
  perFeature = s.convert(s.create<arith::IndexCastOp>(b.getI64Type(), count),
                         b.getI64Type(), wide);
  return n.hasFailed() ? failure() : success();
}

AffineMap BatchNorm::mapOf(Value tensor) {
  if (cast<RankedTensorType>(tensor.getType()).getRank() == rank)
    return b.getMultiDimIdentityMap(rank);
  return AffineMap::get(rank, 0, b.getAffineDimExpr(axis), b.getContext());
}

/// The elements in the wide type.
static SmallVector<Value> widen(Scalars &s, ValueRange elements, Type wide) {
  return llvm::map_to_vector(elements, [&](Value v) {
    return v.getType() == wide ? v : s.convert(v, v.getType(), wide);
  });
}

Value BatchNorm::map(ArrayRef<Value> inputs, Type type, Body body) {
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(mapOf(input));
  maps.push_back(b.getMultiDimIdentityMap(rank));
  return n
      .generic(inputs, n.empty(n.extents(operands[0]), type), maps,
               SmallVector<bool>(rank, false),
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 Scalars s(b, loc);
                 Value result = body(s, widen(s, v.drop_back(), wide));
                 return SmallVector<Value>{
                     type == wide ? result : s.convert(result, wide, type)};
               })
      .front();
}

Value BatchNorm::sum(ArrayRef<Value> inputs, Body body) {
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(mapOf(input));
  maps.push_back(
      AffineMap::get(rank, 0, b.getAffineDimExpr(axis), b.getContext()));
  SmallVector<bool> isReduction(rank, true);
  isReduction[axis] = false;
  return n
      .generic(inputs, n.fill(features, n.zero(wide)), maps, isReduction,
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 Scalars s(b, loc);
                 Value term = body(s, widen(s, v.drop_back(), wide));
                 return SmallVector<Value>{
                     s.create<arith::AddFOp>(v.back(), term)};
               })
      .front();
}

Value BatchNorm::mapVector(ArrayRef<Value> inputs, Type type, Body body) {
  SmallVector<AffineMap> maps(inputs.size() + 1, b.getMultiDimIdentityMap(1));
  return n
      .generic(inputs, n.empty(features, type), maps, false,
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 Scalars s(b, loc);
                 return SmallVector<Value>{
                     body(s, widen(s, v.drop_back(), wide))};
               })
      .front();
}

/// Scaled and moved by operands 1 and 2.
Value BatchNorm::normalized(Value mean, Value variance) {
  return map({operands[0], operands[1], operands[2], mean, variance}, element,
             [&](Scalars &s, ValueRange v) -> Value {
               Value centered = s.create<arith::SubFOp>(v[0], v[3]);
               Value scaled = s.create<arith::DivFOp>(
                   s.create<arith::MulFOp>(centered, v[1]), deviation(s, v[4]));
               return s.create<arith::AddFOp>(scaled, v[2]);
             });
}

LogicalResult BatchNorm::infer() {
  return n.set(0, normalized(operands[3], operands[4]));
}

LogicalResult BatchNorm::train() {
  auto average = [&](Value sums) {
    return mapVector(sums, wide, [&](Scalars &s, ValueRange v) -> Value {
      return s.create<arith::DivFOp>(v[0], perFeature);
    });
  };
  Value mean =
      average(sum(operands[0], [](Scalars &, ValueRange v) { return v[0]; }));
  Value variance =
      average(sum({operands[0], mean}, [](Scalars &s, ValueRange v) -> Value {
        Value centered = s.create<arith::SubFOp>(v[0], v[1]);
        return s.create<arith::MulFOp>(centered, centered);
      }));
  return n.setAll(
      ValueRange{normalized(mean, variance), narrow(mean), narrow(variance)});
}

/// Of operand, scale, mean, variance and the gradient of the result.
LogicalResult BatchNorm::derive() {
  Value x = operands[0], scale = operands[1], mean = operands[2],
        variance = operands[3], gradient = operands[4];
  Value ofOffset = sum(gradient, [](Scalars &, ValueRange v) { return v[0]; });
  // The sum of products with what is centered.
  Value products =
      sum({x, mean, gradient}, [](Scalars &s, ValueRange v) -> Value {
        return s.create<arith::MulFOp>(s.create<arith::SubFOp>(v[0], v[1]),
                                       v[2]);
      });
  Value ofScale =
      mapVector({products, variance}, wide, [&](Scalars &s, ValueRange v) {
        return s.create<arith::DivFOp>(v[0], deviation(s, v[1]));
      });
  Value ofOperand = map(
      {x, scale, mean, variance, gradient, ofOffset, products}, element,
      [&](Scalars &s, ValueRange v) -> Value {
        Value centered = s.create<arith::SubFOp>(v[0], v[2]);
        Value spread = s.create<arith::AddFOp>(v[3], s.number(wide, epsilon));
        Value all = s.create<arith::MulFOp>(v[4], perFeature);
        Value along = s.create<arith::DivFOp>(
            s.create<arith::MulFOp>(v[6], centered), spread);
        Value rest =
            s.create<arith::SubFOp>(s.create<arith::SubFOp>(all, v[5]), along);
        Value factor = s.create<arith::DivFOp>(
            s.create<arith::DivFOp>(v[1], deviation(s, v[3])), perFeature);
        return s.create<arith::MulFOp>(factor, rest);
      });
  return n.setAll(ValueRange{ofOperand, narrow(ofScale), narrow(ofOffset)});
}

template <LogicalResult (BatchNorm::*Run)()>
static LogicalResult batchNorm(Node &n) {
  BatchNorm norm(n);
  return failed(norm.read()) ? failure() : (norm.*Run)();
}

void mlir::symshape::stablehlo::addBatchNormOps(Registry &registry) {
  registry["batch_norm_inference"] =
      Definition{batchNorm<&BatchNorm::infer>, 5, 1};
  registry["batch_norm_training"] =
      Definition{batchNorm<&BatchNorm::train>, 3, 3};
  registry["batch_norm_grad"] = Definition{batchNorm<&BatchNorm::derive>, 5, 3};
}
