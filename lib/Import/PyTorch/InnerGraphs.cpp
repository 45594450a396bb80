//===- InnerGraphs.cpp - Graphs that nodes have ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They read nothing of the graph around but what they are given. Not for: what
// a node does with its graphs (ControlFlow.cpp).
//
//===----------------------------------------------------------------------===//

#include "Translator.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using llvm::Twine;
using onnx::DataType;
namespace json = llvm::json;

/// A number, as an argument or within one.
static std::optional<int64_t> integerIn(const json::Value *value) {
  if (!value)
    return std::nullopt;
  if (const json::Object *boxed = value->getAsObject())
    return boxed->getInteger("as_int");
  return value->getAsInteger();
}

GraphValue Translator::valueOf(const json::Value &argument) {
  auto [kind, member] = openUnion(argument);
  if (kind == "as_tensor")
    return lookup(nameIn(member));
  if (StringRef name = nameIn(member, "as_name"); !name.empty())
    return kind == "as_sym_bool" ? conditionValue(name) : lookup(name);
  if (kind == "as_int" || kind == "as_sym_int") {
    auto integer = integerIn(member);
    return integer ? w.integer(*integer) : GraphValue();
  }
  if (kind == "as_float")
    if (auto number = member->getAsNumber())
      return w.number(*number, DataType::Double);
  if (kind == "as_bool")
    if (auto flag = member->getAsBoolean())
      return w.number(int64_t(*flag), DataType::Bool);
  return {};
}

llvm::Expected<std::vector<GraphValue>>
Translator::translate(const json::Object &inner,
                      llvm::ArrayRef<GraphValue> operands) {
  // Names of the graph around mean nothing inside, and those inside nothing
  // behind it; an integer of the body of a loop is another one in each turn.
  auto outer = program->enter(inner);
  if (!outer)
    return outer.takeError();
  auto outerValues = std::exchange(values, {});
  auto outerConditions = std::exchange(conditions, {});
  auto outerUses = std::exchange(used, {});
  auto outerSymbols = symbols;
  auto restore = llvm::scope_exit([&] {
    llvm::cantFail(program->enter(**outer));
    values = std::move(outerValues);
    conditions = std::move(outerConditions);
    used = std::move(outerUses);
    symbols = std::move(outerSymbols);
  });

  const json::Array &inputs = *inner.getArray("inputs");
  if (inputs.size() != operands.size())
    return llvm::createStringError("expected a graph of " +
                                   Twine(operands.size()) +
                                   " inputs, but got " + Twine(inputs.size()));
  for (auto [input, operand] : llvm::zip(inputs, operands)) {
    auto [kind, member] = openUnion(input);
    if (kind == "as_tensor")
      define(nameIn(member), operand);
    else if (StringRef name = nameIn(member, "as_name"); !name.empty())
      defineInteger(name, operand);
  }
  if (llvm::Error error = addNodes())
    return std::move(error);
  std::vector<GraphValue> results;
  for (const json::Value &output : *inner.getArray("outputs")) {
    auto [kind, member] = openUnion(output);
    const json::Array *list = member ? member->getAsArray() : nullptr;
    if (kind == "as_tensors" && list) {
      for (const json::Value &each : *list)
        results.push_back(lookup(nameIn(&each)));
    } else {
      results.push_back(valueOf(output));
    }
    if (!results.back())
      return llvm::createStringError(
          "expected a graph whose results are tensors or numbers, but got '" +
          onnx::escaped(kind) + "'");
  }
  return results;
}
