//===- BriefReport.cpp - A function on one screen -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BriefReport.h; the text is that of `symshape-onnx show`.
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/BriefReport.h"

#include "symshape/Analysis/PythonConditions.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/IR/SymShape.h"
#include "symshape/IR/WrittenNames.h"
#include "symshape/Pipelines/ReportWords.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ScopedPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::symshape;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// `ui8` where the program keeps an i8 without a sign for it.
static std::string spellElement(Type element, bool isUnsigned) {
  return (isUnsigned ? "u" : "") + llvm::to_string(element);
}

bool mlir::symshape::isModelFile(StringRef path) {
  return path.ends_with(".onnx") || path.ends_with(".pt2");
}

std::string mlir::symshape::spellInPython(std::string text) {
  for (auto [word, sign] :
       {std::pair<StringRef, StringRef>(" floordiv ", " // "),
        {" mod ", " % "}})
    for (size_t at; (at = text.find(word)) != std::string::npos;)
      text.replace(at, word.size(), sign);
  return text;
}

/// `value` may be null: what its type says.
static json::Object describeValue(FunctionShapes &shapes, Type type,
                                  Value value, std::string name,
                                  bool isUnsigned) {
  Type element = getElementTypeOrSelf(type);
  json::Object object{{"name", json::fixUTF8(name)},
                      {"element", spellElement(element, isUnsigned)},
                      {"extents", nullptr}};
  if (!isa<RankedTensorType, MemRefType>(type))
    return object;
  auto tensor = cast<ShapedType>(type);
  json::Array extents;
  for (int64_t d = 0; d < tensor.getRank(); ++d) {
    std::string text = "?";
    if (value)
      text = spellInPython(spellExtent(shapes, value, d));
    else if (!tensor.isDynamicDim(d))
      text = std::to_string(tensor.getDimSize(d));
    int64_t number;
    if (StringRef(text).getAsInteger(10, number))
      extents.push_back(std::move(text));
    else
      extents.push_back(number);
  }
  object["extents"] = std::move(extents);
  return object;
}

static void addArguments(FunctionShapes &shapes, json::Object &report) {
  func::FuncOp function = shapes.function();
  json::Array inputs;
  int64_t count = 0, elements = 0, bytes = 0;
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    Type type = argument.getType();
    if (!function.getArgAttr(number, SymShapeDialect::kWeight)) {
      bool isUnsigned = function.getArgAttr(number, kUnsigned) != nullptr;
      inputs.push_back(describeValue(shapes, type, argument,
                                     shapes.spellingOfArgument(number),
                                     isUnsigned));
      continue;
    }
    ++count;
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() ||
        !tensor.getElementType().isIntOrFloat())
      continue;
    int64_t size = tensor.getNumElements();
    elements += size;
    bytes += size * llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
  }
  report["inputs"] = std::move(inputs);
  report["weights"] =
      json::Object{{"count", count}, {"elements", elements}, {"bytes", bytes}};
}

static json::Array describeResults(FunctionShapes &shapes) {
  func::FuncOp function = shapes.function();
  auto returns = function.getBody().getOps<func::ReturnOp>();
  bool isKnown = llvm::hasSingleElement(returns);
  json::Array results;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    bool isUnsigned = function.getResultAttr(i, kUnsigned) != nullptr;
    Value value = isKnown ? (*returns.begin()).getOperand(i) : Value();
    results.push_back(describeValue(shapes, type, value,
                                    getResultName(function, i), isUnsigned));
  }
  return results;
}

static json::Object describeName(FunctionShapes &shapes,
                                 const PythonConditions::Name &name) {
  json::Object object{{"name", name.name}};
  if (!name.text.empty())
    object["text"] = json::fixUTF8(name.text);
  if (name.argument) {
    object["input"] = json::fixUTF8(shapes.spellingOfArgument(*name.argument));
    object["dim"] = name.dim;
  } else {
    object["is"] = json::fixUTF8(name.origin);
  }
  return object;
}

json::Object mlir::symshape::makeBriefReport(FunctionShapes &shapes,
                                             GuardPlans &plans) {
  const GuardPlan &plan = plans.of(shapes);
  PythonConditions python(shapes, isWrittenName);
  json::Array conditions, names;
  for (const Guard &guard : plan.guards)
    if (auto text = python.spell(guard.condition))
      conditions.push_back(std::move(*text));
  for (const PythonConditions::Name &name : python.names())
    names.push_back(describeName(shapes, name));
  bool isValid = plan.violated.empty() && !shapes.facts().isContradictory();
  json::Object report{{"name", shapes.function().getName().str()},
                      {"results", describeResults(shapes)},
                      {"sentence", json::fixUTF8(describeValidity(
                                       shapes, plan, isWrittenName))},
                      {"valid", isValid},
                      {"isComplete", conditions.size() == plan.guards.size()},
                      {"conditions", std::move(conditions)},
                      {"names", std::move(names)},
                      {"numGuards", plan.guards.size()},
                      {"numChecks", plan.deferred.size()}};
  addArguments(shapes, report);
  return report;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printValues(llvm::raw_ostream &os, const json::Array &values) {
  for (const json::Value &each : values) {
    const json::Object &value = *each.getAsObject();
    os << "  " << *value.getString("name") << ": ";
    if (const json::Array *extents = value.getArray("extents")) {
      os << '[';
      llvm::StringRef separator;
      for (const json::Value &extent : *extents) {
        os << separator;
        if (auto number = extent.getAsInteger())
          os << *number;
        else
          os << *extent.getAsString();
        separator = ", ";
      }
      os << "] ";
    }
    os << *value.getString("element") << '\n';
  }
}

void mlir::symshape::printBriefReport(llvm::raw_ostream &os,
                                      const json::Object &report) {
  os << '@' << *report.getString("name") << "\ninputs:\n";
  printValues(os, *report.getArray("inputs"));
  os << "results:\n";
  printValues(os, *report.getArray("results"));
  const json::Object &weights = *report.getObject("weights");
  if (int64_t count = *weights.getInteger("count"))
    os << count << (count == 1 ? " weight, " : " weights, ")
       << *weights.getInteger("elements") << " elements ("
       << *weights.getInteger("bytes") << " bytes)\n";
  os << *report.getString("sentence") << '\n';
}
