//===- Arithmetic.cpp - Ops of two tensors, element by element ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are brought to one type first.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Promotion.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using onnx::DataType;

/// Both operands, in the type that they are computed in.
static std::pair<GraphValue, GraphValue>
operands(Call &c, StringRef first = "self", StringRef second = "other",
         DataType least = DataType::Undefined) {
  GraphValue x = c.tensor(first), y = c.tensor(second);
  DataType type = promote({{x, c.isNumber(first)}, {y, c.isNumber(second)}});
  if (least != DataType::Undefined && !onnx::isFloat(type))
    type = least;
  auto in = [&](StringRef name, GraphValue value) {
    return c.isNumber(name) ? c.number(name, type) : c.w.cast(value, type);
  };
  return {in(first, x), in(second, y)};
}

/// Types that an op of the standard does not have are computed in wider ones.
static DataType wide(DataType type) {
  return type == DataType::Bool ? DataType::Int32 : type;
}

static GraphValue apply(Call &c, StringRef op, GraphValue x, GraphValue y) {
  DataType type = wide(x.type);
  return c.w.binary(op, c.w.cast(x, type), c.w.cast(y, type));
}

template <const char *op>
static void binary(Call &c) {
  auto [x, y] = operands(c);
  c.set(apply(c, op, x, y));
}

/// x + alpha*y, or x - alpha*y.
template <const char *op>
static void addScaled(Call &c) {
  auto [x, y] = operands(c);
  DataType type = wide(x.type);
  if (c.has("alpha"))
    y = c.w.binary("Mul", c.w.cast(y, type), c.number("alpha", type));
  c.set(apply(c, op, x, y));
}

static void subtractFrom(Call &c) {
  auto [x, y] = operands(c);
  if (c.has("alpha"))
    x = c.w.binary("Mul", x, c.number("alpha", x.type));
  c.set(apply(c, "Sub", y, x));
}

/// The remainder with the sign of the divisor.
static GraphValue remainder(Call &c, GraphValue x, GraphValue y) {
  if (!onnx::isFloat(x.type))
    return c.w.binary("Mod", x, y);
  GraphValue zero = c.w.number(0.0, x.type);
  GraphValue rest = c.w.add("Mod", {x, y}, x.type, std::max(x.rank, y.rank),
                            {c.w.attr("fmod", int64_t(1))});
  GraphValue differs = c.w.compare("Xor", c.w.compare("Less", rest, zero),
                                   c.w.compare("Less", y, zero));
  GraphValue isZero = c.w.compare("Equal", rest, zero);
  GraphValue mends = c.w.compare(
      "And", differs, c.w.add("Not", {isZero}, DataType::Bool, isZero.rank));
  return c.w.select(mends, c.w.binary("Add", rest, y), rest);
}

static GraphValue floorDivide(Call &c, GraphValue x, GraphValue y) {
  if (onnx::isFloat(x.type))
    return c.w.like("Floor", {c.w.binary("Div", x, y)});
  return c.w.binary("Div", c.w.binary("Sub", x, remainder(c, x, y)), y);
}

static GraphValue truncate(Call &c, GraphValue x) {
  GraphValue zero = c.w.number(0.0, x.type);
  return c.w.select(c.w.compare("Less", x, zero), c.w.like("Ceil", {x}),
                    c.w.like("Floor", {x}));
}

static void divide(Call &c) {
  StringRef mode = c.text("rounding_mode", "");
  if (mode.empty()) {
    auto [x, y] = operands(c, "self", "other", DataType::Float);
    return c.set(c.w.binary("Div", x, y));
  }
  auto [x, y] = operands(c);
  if (mode == "floor")
    return c.set(floorDivide(c, x, y));
  GraphValue quotient = c.w.binary("Div", x, y);
  c.set(onnx::isFloat(x.type) ? truncate(c, quotient) : quotient);
}

static void floorDivide(Call &c) {
  auto [x, y] = operands(c);
  c.set(floorDivide(c, x, y));
}

static void remainder(Call &c) {
  auto [x, y] = operands(c);
  c.set(remainder(c, x, y));
}

static void fmod(Call &c) {
  auto [x, y] = operands(c);
  c.set(c.w.add("Mod", {x, y}, x.type, std::max(x.rank, y.rank),
                {c.w.attr("fmod", int64_t(1))}));
}

static void power(Call &c) {
  auto [x, y] = operands(c, "self", "exponent");
  c.set(c.w.binary("Pow", c.w.cast(x, c.type()), c.w.cast(y, c.type())));
}

template <const char *op, bool isNegated = false>
static void compare(Call &c) {
  auto [x, y] = operands(c);
  DataType type = wide(x.type);
  GraphValue result = c.w.compare(op, c.w.cast(x, type), c.w.cast(y, type));
  c.set(isNegated ? c.w.like("Not", {result}) : result);
}

/// And the like, of bits or of truth.
template <const char *logical, const char *bitwise>
static void connect(Call &c) {
  auto [x, y] = operands(c);
  bool isLogical = c.target().starts_with("aten.logical_");
  if (isLogical || x.type == DataType::Bool)
    return c.set(c.w.compare(logical, c.w.cast(x, DataType::Bool),
                             c.w.cast(y, DataType::Bool)));
  c.set(c.w.binary(bitwise, x, y));
}

/// NaN of either operand is passed on.
template <const char *op>
static void extreme(Call &c) {
  auto [x, y] = operands(c);
  DataType type = wide(x.type);
  c.set(c.w.binary(op, c.w.cast(x, type), c.w.cast(y, type)));
}

static void clamp(Call &c) {
  GraphValue x = c.w.cast(c.tensor("self"), c.type());
  for (auto [name, op] : {std::pair{"min", "Max"}, std::pair{"max", "Min"}})
    if (c.has(name))
      x = c.w.binary(op, x, c.number(name, c.type()));
  c.set(x);
}

static void where(Call &c) {
  auto [x, y] = operands(c);
  c.set(c.w.select(c.w.cast(c.tensor("condition"), DataType::Bool), x, y));
}

static void maskedFill(Call &c) {
  GraphValue x = c.tensor("self");
  c.set(c.w.select(c.tensor("mask"), c.number("value", x.type), x));
}

/// input + value*tensor1*tensor2, or with a quotient.
template <const char *op>
static void addProduct(Call &c) {
  DataType type = c.type();
  GraphValue product = c.w.binary(op, c.w.cast(c.tensor("tensor1"), type),
                                  c.w.cast(c.tensor("tensor2"), type));
  if (c.has("value"))
    product = c.w.binary("Mul", product, c.number("value", type));
  c.set(c.w.binary("Add", c.w.cast(c.tensor("self"), type), product));
}

/// start + weight*(end - start), from the nearer end.
static void lerp(Call &c) {
  DataType type = c.type();
  GraphValue start = c.w.cast(c.tensor("self"), type),
             end = c.w.cast(c.tensor("end"), type),
             weight = c.number("weight", type);
  GraphValue difference = c.w.binary("Sub", end, start);
  GraphValue one = c.w.number(1.0, type), half = c.w.number(0.5, type);
  GraphValue low =
      c.w.binary("Add", start, c.w.binary("Mul", weight, difference));
  GraphValue high =
      c.w.binary("Sub", end,
                 c.w.binary("Mul", difference, c.w.binary("Sub", one, weight)));
  GraphValue isLow =
      c.w.compare("Less", c.w.add("Abs", {weight}, type, weight.rank), half);
  c.set(c.w.select(isLow, low, high));
}

static constexpr char addOp[] = "Add", subOp[] = "Sub", mulOp[] = "Mul",
                      divOp[] = "Div", maxOp[] = "Max", minOp[] = "Min",
                      equal[] = "Equal", less[] = "Less",
                      lessOrEqual[] = "LessOrEqual", greater[] = "Greater",
                      greaterOrEqual[] = "GreaterOrEqual", andOp[] = "And",
                      orOp[] = "Or", xorOp[] = "Xor", bitAnd[] = "BitwiseAnd",
                      bitOr[] = "BitwiseOr", bitXor[] = "BitwiseXor";

void mlir::symshape::pytorch::addArithmetic(Table &table) {
  static constexpr std::pair<StringRef, Entry> entries[] = {
      {"add", addScaled<addOp>},
      {"sub", addScaled<subOp>},
      {"rsub", subtractFrom},
      {"mul", binary<mulOp>},
      {"multiply", binary<mulOp>},
      {"div", divide},
      {"divide", divide},
      {"true_divide", divide},
      {"floor_divide", floorDivide},
      {"remainder", remainder},
      {"fmod", fmod},
      {"pow", power},
      {"maximum", extreme<maxOp>},
      {"minimum", extreme<minOp>},
      {"eq", compare<equal>},
      {"ne", compare<equal, true>},
      {"lt", compare<less>},
      {"le", compare<lessOrEqual>},
      {"gt", compare<greater>},
      {"ge", compare<greaterOrEqual>},
      {"logical_and", connect<andOp, bitAnd>},
      {"logical_or", connect<orOp, bitOr>},
      {"logical_xor", connect<xorOp, bitXor>},
      {"bitwise_and", connect<andOp, bitAnd>},
      {"bitwise_or", connect<orOp, bitOr>},
      {"bitwise_xor", connect<xorOp, bitXor>},
      {"__and__", connect<andOp, bitAnd>},
      {"__or__", connect<orOp, bitOr>},
      {"__xor__", connect<xorOp, bitXor>},
      {"clamp", clamp},
      {"clamp_min", clamp},
      {"clamp_max", clamp},
      {"clip", clamp},
      {"where", where},
      {"masked_fill", maskedFill},
      {"addcmul", addProduct<mulOp>},
      {"addcdiv", addProduct<divOp>},
      {"lerp", lerp}};
  for (auto [name, entry] : entries)
    table.add(("aten." + name).str(), entry);
  // Without it these are folds.
  table.add("aten.max.other", extreme<maxOp>);
  table.add("aten.min.other", extreme<minOp>);
}
