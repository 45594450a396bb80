//===- CustomCalls.cpp - Calls of what a runtime provides -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints on shapes, which JAX exports as calls, and ops that it exports
// so because StableHLO lacks their dynamic form. What a test checks becomes a
// result of the entry, to be compared by whoever runs it.
//
//===----------------------------------------------------------------------===//

#include "CustomCalls.h"
#include "LinearAlgebra.h"
#include "Ordering.h"
#include "Random.h"
#include "Scans.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::stablehlo;

/// The sentence of the constraint: JAX begins with what does not match.
static std::string describeConstraint(Node &n) {
  StringRef text = n.word("error_message");
  if (text.empty())
    return "a constraint of the program";
  StringRef rest = text;
  if (rest.consume_front("Input shapes do not match the polymorphic shapes "
                         "specification. "))
    text = rest;
  text = text.take_until([](char c) { return c == '\n'; });
  // What follows is about the call that failed.
  text = text.take_front(text.find(". Using the following"));
  text = text.take_front(text.find(". Expected '"));
  std::string plain;
  for (char c : text)
    plain += c == '"' || c == '\\' ? '\'' : c;
  return plain;
}

/// A constraint: of its condition, not of its text.
static LogicalResult shapeAssertion(Node &n) {
  Operand *condition = n.operand(0);
  if (!condition || n.rank(0) != 0 || !n.element(0).isInteger(1))
    return n.fail("expected a condition");
  std::string message = describeConstraint(n);
  if (!condition->sizes) {
    cf::AssertOp::create(n.b, n.loc, n.scalar(0), message);
    return success();
  }
  Size size = condition->sizes->front();
  if (size.comparisons.empty()) {
    Value truth = n.scalar(0);
    if (!getConstantIntValue(size.value).value_or(0))
      cf::AssertOp::create(n.b, n.loc, truth, message);
    return success();
  }
  for (const Comparison &c : size.comparisons)
    AssertOp::create(n.b, n.loc, ("p " + c.relation + " q").str(),
                     {{"p", c.left}, {"q", c.right}}, message);
  n.importer.sizes.assume(size);
  return success();
}

/// Both sides of a comparison as results of the entry.
static LogicalResult checkCall(Node &n) {
  StringRef target = n.word("call_target_name");
  for (size_t i = 0; i < n.count(); ++i) {
    Value x = n.tensor(i);
    if (!x)
      return failure();
    n.importer.addResult(x, target, isWithoutSign(n.element(i)));
  }
  return success();
}

/// Says where parts of a value lie on several devices.
static LogicalResult sharding(Node &n) {
  Operand *x = n.count() == 1 ? n.operand(0) : nullptr;
  if (!x || n.op->getNumResults() != 1)
    return n.fail("expected one operand and one result");
  return n.set(0, Operand(*x));
}

Region *mlir::symshape::stablehlo::calledComputation(Node &n) {
  auto names = dyn_cast_or_null<ArrayAttr>(n.attribute("called_computations"));
  auto name =
      names && names.size() == 1 ? dyn_cast<StringAttr>(names[0]) : nullptr;
  if (Operation *function = name ? n.importer.findFunction(name) : nullptr)
    return &function->getRegion(0);
  (void)n.fail("expected a function as the body");
  return nullptr;
}

static LogicalResult customCall(Node &n) {
  StringRef target = n.word("call_target_name");
  if (target == "shape_assertion" && n.count() > 0)
    return shapeAssertion(n);
  if (target.starts_with("check.expect_") && n.count() == 2 &&
      n.op->getNumResults() == 0 && n.importer.depth == 0)
    return checkCall(n);
  if (target == "Sharding" || target == "annotate_device_placement" ||
      target == "xla.sdy.FuncResultSharding")
    return sharding(n);
  if (target == "stablehlo.dynamic_reduce_window")
    return dynamicReduceWindow(n);
  if (target == "stablehlo.dynamic_rng_bit_generator")
    return dynamicRngBitGenerator(n);
  if (target == "stablehlo.dynamic_top_k")
    return dynamicTopK(n);
  if (target == "ApproxTopK" || target == "stablehlo.dynamic_approx_top_k")
    return approximateTopK(n, target != "ApproxTopK");
  if (auto done = callLapack(n, target))
    return *done;
  return n.fail("a call of '" + target + "' is not supported");
}

void mlir::symshape::stablehlo::addCustomCalls(Registry &registry) {
  registry["custom_call"] = Definition{customCall, ~0, ~0};
  registry["sharding"] = Definition{sharding, 1, 1}; // of Shardy
}
