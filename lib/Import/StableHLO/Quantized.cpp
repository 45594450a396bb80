//===- Quantized.cpp - Numbers that integers stand for --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `uniform_quantize` and `uniform_dequantize`, elementwise ops on quantized
// elements, and tensors as floats for sums of products. Not for arithmetic in
// integers, whose last bits the specification does not ask for.
//
//===----------------------------------------------------------------------===//

#include "Quantized.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;
using quant::QuantizedType;
using quant::UniformQuantizedPerAxisType;
using quant::UniformQuantizedType;

bool mlir::symshape::stablehlo::isComputedOnFloats(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"batch_norm_grad", "batch_norm_inference"}, true)
      .Cases({"batch_norm_training", "convolution", "dot"}, true)
      .Cases({"dot_general", "dynamic_conv"}, true)
      .Default(false);
}

Type mlir::symshape::stablehlo::expressed(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(expressed(tensor.getElementType()));
  auto quantized = dyn_cast<QuantizedType>(type);
  return quantized ? quantized.getExpressedType() : type;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value mlir::symshape::stablehlo::dequantize(Scalars &s, QuantizedType type,
                                            Value x, Value scale, Value zero) {
  // The difference may need a bit more than the storage has.
  Type wide = zero.getType();
  if (x.getType() != wide)
    x = type.isSigned() ? s.create<arith::ExtSIOp>(wide, x)
                        : s.create<arith::ExtUIOp>(wide, x);
  Value difference = s.create<arith::SubIOp>(x, zero);
  Value number = s.create<arith::SIToFPOp>(scale.getType(), difference);
  return s.create<arith::MulFOp>(number, scale);
}

Value mlir::symshape::stablehlo::quantize(Scalars &s, QuantizedType type,
                                          Value x, Value scale, Value zero) {
  Type element = scale.getType();
  Value offset = s.create<arith::SIToFPOp>(element, zero);
  Value sum =
      s.create<arith::AddFOp>(s.create<arith::DivFOp>(x, scale), offset);
  Value least = s.number(element, type.getStorageTypeMin());
  Value most = s.number(element, type.getStorageTypeMax());
  Value inside = s.create<arith::MinimumFOp>(
      s.create<arith::MaximumFOp>(least, sum), most);
  auto storage = IntegerType::get(
      s.b.getContext(), type.getStorageTypeIntegralWidth(),
      type.isSigned() ? IntegerType::Signless : IntegerType::Unsigned);
  return s.convert(s.create<math::RoundEvenOp>(inside), element, storage);
}

/// The parameters of a type that has the same for all elements.
static std::pair<Value, Value> parametersOf(Scalars &s,
                                            UniformQuantizedType type) {
  Value scale = s.number(type.getExpressedType(), type.getScale());
  return {scale, s.integer(s.b.getI64Type(), type.getZeroPoint())};
}

Value Scalars::ofQuantized(const ScalarOp &op, ArrayRef<Value> x) {
  auto isSame = [&](Type type) { return type == op.resultType; };
  if (op.name == "select" && isSame(op.types[1]) && isSame(op.types[2]))
    return select(x[0], x[1], x[2]);
  SmallVector<Type> types;
  SmallVector<Value> numbers;
  for (auto [value, type] : llvm::zip(x, op.types)) {
    types.push_back(expressed(type));
    auto uniform = dyn_cast<UniformQuantizedType>(type);
    if (isa<QuantizedType>(type) && !uniform)
      return Value();
    if (!uniform) {
      numbers.push_back(value);
      continue;
    }
    auto [scale, zero] = parametersOf(*this, uniform);
    numbers.push_back(dequantize(*this, uniform, value, scale, zero));
  }
  auto uniform = dyn_cast<UniformQuantizedType>(op.resultType);
  if (isa<QuantizedType>(op.resultType) && !uniform)
    return Value();
  Value number =
      compute(ScalarOp{op.name, types, expressed(op.resultType), op.attributes},
              numbers);
  if (!number || !uniform)
    return number;
  auto [scale, zero] = parametersOf(*this, uniform);
  return quantize(*this, uniform, number, scale, zero);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {
using Change = Value (*)(Scalars &, QuantizedType, Value, Value, Value);
} // namespace

/// Each element changed by the parameters of its place on the axis that the
/// type names.
static Value changeByAxis(Node &n, Value x, UniformQuantizedPerAxisType type,
                          Type element, Change change) {
  auto tensor = cast<RankedTensorType>(x.getType());
  int64_t axis = type.getQuantizedDimension();
  int64_t extent = type.getScales().size();
  if (axis < 0 || axis >= tensor.getRank() ||
      tensor.getDimSize(axis) != extent) {
    (void)n.fail("expected as many scales as the axis that they are for has "
                 "elements");
    return Value();
  }
  Type expressedType = type.getExpressedType(), wide = n.b.getI64Type();
  SmallVector<Attribute> scales, zeros;
  for (auto [scale, zero] : llvm::zip(type.getScales(), type.getZeroPoints())) {
    scales.push_back(n.b.getFloatAttr(expressedType, scale));
    zeros.push_back(n.b.getIntegerAttr(wide, zero));
  }
  auto constant = [&](Type of, ArrayRef<Attribute> values) -> Value {
    auto list = RankedTensorType::get({extent}, of);
    return arith::ConstantOp::create(n.b, n.loc,
                                     DenseElementsAttr::get(list, values));
  };
  int64_t rank = tensor.getRank();
  AffineMap identity = n.b.getMultiDimIdentityMap(rank);
  AffineMap place = AffineMap::get(rank, 0, n.b.getAffineDimExpr(axis));
  return n
      .generic({x, constant(expressedType, scales), constant(wide, zeros)},
               n.empty(n.extents(x), element),
               {identity, place, place, identity},
               SmallVector<bool>(rank, false),
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 Scalars s(b, loc);
                 return SmallVector<Value>{change(s, type, v[0], v[1], v[2])};
               })
      .front();
}

static Value changeTensor(Node &n, Value x, QuantizedType type, Type element,
                          Change change) {
  if (auto byAxis = dyn_cast<UniformQuantizedPerAxisType>(type))
    return changeByAxis(n, x, byAxis, element, change);
  auto uniform = dyn_cast<UniformQuantizedType>(type);
  if (!uniform) {
    (void)n.fail("expected one scale, or one per place of an axis");
    return Value();
  }
  return n.map(x, element, [&](Scalars &s, Value v) {
    auto [scale, zero] = parametersOf(s, uniform);
    return change(s, uniform, v, scale, zero);
  });
}

Value mlir::symshape::stablehlo::dequantizeTensor(Node &n, Value x,
                                                  QuantizedType type) {
  return changeTensor(n, x, type, type.getExpressedType(), dequantize);
}

Value mlir::symshape::stablehlo::quantizeTensor(Node &n, Value x,
                                                QuantizedType type) {
  return changeTensor(n, x, type, signless(type), quantize);
}

static LogicalResult uniformDequantize(Node &n) {
  Value x = n.tensor(0);
  auto type = dyn_cast<QuantizedType>(n.element(0));
  if (!x || !type)
    return n.fail("expected a quantized tensor");
  Value numbers = dequantizeTensor(n, x, type);
  return numbers ? n.set(0, numbers) : failure();
}

/// Of floats, or of numbers that are quantized in another way.
static LogicalResult uniformQuantize(Node &n) {
  Value x = n.tensor(0);
  auto type = dyn_cast<QuantizedType>(n.resultElement());
  if (!x || !type || expressed(n.element(0)) != type.getExpressedType())
    return n.fail("expected floats, or numbers that stand for them, and a "
                  "quantized result");
  if (auto other = dyn_cast<QuantizedType>(n.element(0)))
    x = dequantizeTensor(n, x, other);
  Value stored = x ? quantizeTensor(n, x, type) : Value();
  return stored ? n.set(0, stored) : failure();
}

void mlir::symshape::stablehlo::addQuantizedOps(Registry &registry) {
  registry["uniform_dequantize"] = Definition{uniformDequantize, 1, 1};
  registry["uniform_quantize"] = Definition{uniformQuantize, 1, 1};
}
