//===- Unary.cpp - Ops of one tensor, element by element ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers of functions of floats become floats first.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using onnx::DataType;

/// The op of the same name in the standard, computed in the type of the result.
static const std::pair<StringRef, StringRef> sameOps[] = {
    {"acos", "Acos"},
    {"acosh", "Acosh"},
    {"asin", "Asin"},
    {"asinh", "Asinh"},
    {"atan", "Atan"},
    {"atanh", "Atanh"},
    {"ceil", "Ceil"},
    {"cos", "Cos"},
    {"cosh", "Cosh"},
    {"erf", "Erf"},
    {"exp", "Exp"},
    {"floor", "Floor"},
    {"log", "Log"},
    {"neg", "Neg"},
    {"reciprocal", "Reciprocal"},
    {"relu", "Relu"},
    {"sigmoid", "Sigmoid"},
    {"sign", "Sign"},
    {"sgn", "Sign"},
    {"sin", "Sin"},
    {"sinh", "Sinh"},
    {"sqrt", "Sqrt"},
    {"tan", "Tan"},
    {"tanh", "Tanh"},
    {"abs", "Abs"},
    {"mish", "Mish"},
    {"round", "Round"},
    {"softsign", "Softsign"}};

static void same(Call &c) {
  StringRef name = c.target().split('.').second.split('.').first;
  name.consume_back("_");
  StringRef op;
  for (auto [each, standard] : sameOps)
    if (each == name)
      op = standard;
  GraphValue x = c.tensor("self");
  bool isWhole = op == "Ceil" || op == "Floor" || op == "Round";
  if (isWhole && !onnx::isFloat(x.type))
    return c.set(x);
  x = c.w.cast(x, c.type());
  int64_t decimals = c.has("decimals") ? c.constant("decimals", 0) : 0;
  if (decimals == 0)
    return c.set(c.w.like(op, {x}));
  GraphValue ten = c.w.number(std::pow(10.0, std::abs(decimals)), x.type);
  StringRef there = decimals > 0 ? "Mul" : "Div",
            back = decimals > 0 ? "Div" : "Mul";
  c.set(c.w.binary(back, c.w.like(op, {c.w.binary(there, x, ten)}), ten));
}

static GraphValue floats(Call &c) {
  return c.w.cast(c.tensor("self"), c.type());
}

static void rsqrt(Call &c) {
  c.set(c.w.like("Reciprocal", {c.w.like("Sqrt", {floats(c)})}));
}

static void log1p(Call &c) {
  GraphValue x = floats(c);
  // log(u)*x/(u - 1), where u = 1 + x is rounded, is exact to a few ulps.
  GraphValue one = c.w.number(1.0, x.type), u = c.w.binary("Add", x, one);
  GraphValue difference = c.w.binary("Sub", u, one);
  GraphValue quotient =
      c.w.binary("Div", c.w.binary("Mul", c.w.like("Log", {u}), x), difference);
  GraphValue isSmall = c.w.compare("Equal", u, one);
  GraphValue infinity =
      c.w.number(std::numeric_limits<double>::infinity(), x.type);
  c.set(c.w.select(isSmall, x,
                   c.w.select(c.w.compare("Equal", u, infinity), x, quotient)));
}

static void expm1(Call &c) {
  // tanh(x/2)*(exp(x) + 1) does not cancel.
  GraphValue x = floats(c);
  GraphValue one = c.w.number(1.0, x.type), e = c.w.like("Exp", {x});
  GraphValue half = c.w.binary("Mul", x, c.w.number(0.5, x.type));
  GraphValue product =
      c.w.binary("Mul", c.w.like("Tanh", {half}), c.w.binary("Add", e, one));
  GraphValue isLarge =
      c.w.compare("Greater", c.w.like("Abs", {x}), c.w.number(1.0, x.type));
  c.set(c.w.select(isLarge, c.w.binary("Sub", e, one), product));
}

template <int base>
static void logOf(Call &c) {
  GraphValue x = c.w.like("Log", {floats(c)});
  c.set(c.w.binary("Div", x, c.w.number(std::log(double(base)), x.type)));
}

static void exp2(Call &c) {
  GraphValue x = floats(c);
  c.set(c.w.binary("Pow", c.w.number(2.0, x.type), x));
}

static void square(Call &c) {
  GraphValue x = c.tensor("self");
  c.set(c.w.binary("Mul", x, x));
}

static void silu(Call &c) {
  GraphValue x = floats(c);
  c.set(c.w.binary("Mul", x, c.w.like("Sigmoid", {x})));
}

static void gelu(Call &c) {
  c.set(c.w.like("Gelu", {floats(c)},
                 {c.w.attr("approximate", c.text("approximate", "none"))}));
}

static void elu(Call &c) {
  GraphValue x = floats(c);
  GraphValue scale = c.w.number(c.real("scale", 1), x.type);
  double rate = c.real("input_scale", 1);
  GraphValue negative = c.w.binary(
      "Mul", c.w.like("Elu", {c.w.binary("Mul", x, c.w.number(rate, x.type))}),
      c.w.number(c.real("alpha", 1), x.type));
  GraphValue isPositive = c.w.compare("Greater", x, c.w.number(0.0, x.type));
  c.set(c.w.binary("Mul", c.w.select(isPositive, x, negative), scale));
}

// Numbers stay in the type of the tensor: attributes are of float.
static void celu(Call &c) {
  GraphValue x = floats(c), alpha = c.w.number(c.real("alpha", 1), x.type);
  GraphValue negative =
      c.w.binary("Mul", c.w.like("Elu", {c.w.binary("Div", x, alpha)}), alpha);
  c.set(c.w.select(c.w.compare("Greater", x, c.w.number(0.0, x.type)), x,
                   negative));
}

static void selu(Call &c) {
  constexpr double alpha = 1.6732632423543772, scale = 1.0507009873554805;
  GraphValue x = floats(c);
  GraphValue negative =
      c.w.binary("Mul", c.w.like("Elu", {x}), c.w.number(alpha, x.type));
  GraphValue isPositive = c.w.compare("Greater", x, c.w.number(0.0, x.type));
  c.set(c.w.binary("Mul", c.w.select(isPositive, x, negative),
                   c.w.number(scale, x.type)));
}

static void leakyRelu(Call &c) {
  GraphValue x = floats(c);
  GraphValue slope = c.w.number(c.real("negative_slope", 0.01), x.type);
  c.set(c.w.select(c.w.compare("Greater", x, c.w.number(0.0, x.type)), x,
                   c.w.binary("Mul", x, slope)));
}

static GraphValue clip(Call &c, GraphValue x, double least, double most) {
  return c.w.like("Clip",
                  {x, c.w.number(least, x.type), c.w.number(most, x.type)});
}

static GraphValue hardsigmoidOf(Call &c, GraphValue x) {
  GraphValue moved = c.w.binary("Add", x, c.w.number(3.0, x.type));
  return c.w.binary("Div", clip(c, moved, 0, 6), c.w.number(6.0, x.type));
}

static void hardsigmoid(Call &c) { c.set(hardsigmoidOf(c, floats(c))); }

static void hardswish(Call &c) {
  GraphValue x = floats(c);
  c.set(c.w.binary("Mul", x, hardsigmoidOf(c, x)));
}

static void hardtanh(Call &c) {
  c.set(clip(c, floats(c), c.real("min_val", -1), c.real("max_val", 1)));
}

static void relu6(Call &c) { c.set(clip(c, floats(c), 0, 6)); }

static void softplus(Call &c) {
  GraphValue x = floats(c);
  double beta = c.real("beta", 1), threshold = c.real("threshold", 20);
  GraphValue scaled = c.w.binary("Mul", x, c.w.number(beta, x.type));
  GraphValue soft = c.w.binary("Div", c.w.like("Softplus", {scaled}),
                               c.w.number(beta, x.type));
  c.set(c.w.select(
      c.w.compare("Greater", scaled, c.w.number(threshold, x.type)), x, soft));
}

static void logSigmoid(Call &c) {
  GraphValue x = floats(c);
  c.set(c.w.like("Neg", {c.w.like("Softplus", {c.w.like("Neg", {x})})}));
}

static void prelu(Call &c) {
  GraphValue x = floats(c), weight = c.tensor("weight");
  if (x.rank > 1 && weight.rank == 1) { // one for each channel
    Ints axes;
    for (int64_t axis = 1; axis < x.rank - 1; ++axis)
      axes.push_back(axis);
    weight = c.w.unsqueeze(weight, axes);
  }
  c.set(c.w.like("PRelu", {x, weight}));
}

static void threshold(Call &c) {
  GraphValue x = c.tensor("self");
  GraphValue isAbove = c.w.compare("Greater", x, c.number("threshold", x.type));
  c.set(c.w.select(isAbove, x, c.number("value", x.type)));
}

static void logicalNot(Call &c) {
  c.set(c.w.like("Not", {c.w.cast(c.tensor("self"), DataType::Bool)}));
}

static void bitwiseNot(Call &c) {
  GraphValue x = c.tensor("self");
  c.set(c.w.like(x.type == DataType::Bool ? "Not" : "BitwiseNot", {x}));
}

static void isNaN(Call &c) {
  GraphValue x = c.tensor("self");
  if (!onnx::isFloat(x.type))
    x = c.w.cast(x, DataType::Float);
  c.set(c.w.add("IsNaN", {x}, DataType::Bool, x.rank));
}

static void isInf(Call &c) {
  GraphValue x = c.tensor("self");
  if (!onnx::isFloat(x.type))
    x = c.w.cast(x, DataType::Float);
  c.set(c.w.add("IsInf", {x}, DataType::Bool, x.rank));
}

static void trunc(Call &c) {
  GraphValue x = c.tensor("self");
  if (!onnx::isFloat(x.type))
    return c.set(x);
  GraphValue isNegative = c.w.compare("Less", x, c.w.number(0.0, x.type));
  c.set(c.w.select(isNegative, c.w.like("Ceil", {x}), c.w.like("Floor", {x})));
}

static void identity(Call &c) {
  c.set(c.tensor(c.has("input") ? "input" : "self"));
}

static void detach(Call &c) { c.set(c.w.stopGradient(c.tensor("self"))); }

static void convert(Call &c) {
  if (c.has("other") && c.target().starts_with("aten.type_as"))
    return c.set(c.w.cast(c.tensor("self"), c.tensor("other").type));
  c.set(c.w.cast(c.tensor("self"), c.type()));
}

/// Dropout where nothing is dropped.
static void dropout(Call &c) {
  if (c.flag("train", false) && c.real("p", 0) != 0)
    return c.fail("expected a module that is exported for inference, but it "
                  "drops elements: call module.eval() before the export");
  identity(c);
}

void mlir::symshape::pytorch::addUnary(Table &table) {
  for (auto [name, op] : sameOps)
    table.add(("aten." + name).str(), same);
  static constexpr std::pair<StringRef, Entry> entries[] = {
      {"rsqrt", rsqrt},
      {"log1p", log1p},
      {"expm1", expm1},
      {"log2", logOf<2>},
      {"log10", logOf<10>},
      {"exp2", exp2},
      {"square", square},
      {"silu", silu},
      {"gelu", gelu},
      {"elu", elu},
      {"celu", celu},
      {"selu", selu},
      {"hardswish", hardswish},
      {"leaky_relu", leakyRelu},
      {"hardsigmoid", hardsigmoid},
      {"hardtanh", hardtanh},
      {"relu6", relu6},
      {"softplus", softplus},
      {"log_sigmoid", logSigmoid},
      {"prelu", prelu},
      {"_prelu_kernel", prelu},
      {"threshold", threshold},
      {"logical_not", logicalNot},
      {"bitwise_not", bitwiseNot},
      {"isnan", isNaN},
      {"isinf", isInf},
      {"trunc", trunc},
      {"fix", trunc},
      {"alias", identity},
      {"clone", identity},
      {"contiguous", identity},
      {"detach", detach},
      {"detach_", detach},
      {"lift_fresh_copy", identity},
      {"lift_fresh", identity},
      {"positive", identity},
      {"to", convert},
      {"_to_copy", convert},
      {"type_as", convert},
      {"dropout", dropout},
      {"feature_dropout", dropout},
      {"native_dropout", dropout}};
  for (auto [name, entry] : entries)
    table.add(("aten." + name).str(), entry);
  table.add("prims.convert_element_type",
            [](Call &c) { c.set(c.tensor("a")); });
}
