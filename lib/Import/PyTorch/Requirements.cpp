//===- Requirements.cpp - What is required of sizes -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Symbols of the exporter, what it says of extents, ranges and conditions.
//
//===----------------------------------------------------------------------===//

#include "SymExprText.h"
#include "Translator.h"
#include "symshape/Import/ONNX/DimText.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using llvm::Twine;
using onnx::DataType;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

void Translator::bindSymbol(const Extent &extent, GraphValue value) {
  if (extent.value || extent.text.empty())
    return;
  std::vector<std::string> names = listSymbols(extent.text);
  if (names.size() != 1 || symbols.count(names.front()))
    return;
  if (extent.text == names.front()) {
    symbols[names.front()] = value;
    return;
  }
  // A multiple of it and a number: how the exporter writes derived dims.
  ExprArena arena;
  Expr symbol = arena.symbol(names.front());
  Expr e =
      onnx::parseDimText(arena, extent.text, [&](StringRef) { return symbol; });
  if (!e)
    return;
  Expr rest = arena.substitute(
      e, [&](Expr s) { return s == symbol ? arena.zero() : Expr(); });
  Expr linear = e - rest;
  auto terms = linear.terms();
  if (!rest.asInt64() || terms.size() != 1 || terms[0].powers.size() != 1 ||
      terms[0].powers[0].second != 1 ||
      terms[0].powers[0].first.asExpr() != symbol)
    return;
  std::string factor;
  llvm::raw_string_ostream(factor) << terms[0].coefficient;
  symbols[names.front()] = w.own(
      "Evaluate", {value}, DataType::Int64, 0,
      {w.attr("symbols", StringRef("x")),
       w.attr("text", StringRef("(x - (" + std::to_string(*rest.asInt64()) +
                                "))//(" + factor + ")"))});
}

void Translator::defineInteger(StringRef name, GraphValue value) {
  define(name, value);
  if (auto extent = program->integerOf(name))
    bindSymbol(*extent, value);
}

void Translator::bindSymbols() {
  auto bindExtents = [&](bool isPlain) {
    for (const Input &input : inputs)
      for (auto [axis, extent] : llvm::enumerate(input.meta.sizes))
        if (!extent.value && !extent.text.empty() &&
            onnx::isDimName(extent.text) == isPlain &&
            (!isPlain || !symbols.count(extent.text)))
          bindSymbol(extent, w.sizeOf(input.value, axis));
  };
  bindExtents(/*isPlain=*/true);
  for (const Integer &integer : integers)
    bindSymbol(integer.extent, lookup(integer.name));
  bindExtents(/*isPlain=*/false);
  // A size that PyTorch gives beside its tensor must be that of the tensor, and
  // is that from here on.
  w.setPlace("inputs");
  for (const auto &[name, extent] : integers) {
    GraphValue given = lookup(name), same = evaluate(extent.text);
    if (!same || same.name == given.name)
      continue;
    w.require(given, "==", same, name + " must be " + extent.text);
    define(name, same);
  }
}

void Translator::claim(GraphValue value, const TensorMeta &meta) {
  std::vector<GraphValue> operands{value};
  std::string names, texts;
  std::set<std::string> seen;
  for (const Extent &extent : meta.sizes) {
    std::string text =
        extent.value ? std::to_string(*extent.value) : extent.text;
    for (const std::string &name : listSymbols(extent.text)) {
      auto it = symbols.find(name);
      if (it == symbols.end()) {
        text.clear(); // of data: nothing to compare with
        break;
      }
      if (seen.insert(name).second) {
        operands.push_back(it->second);
        names += (names.empty() ? "" : ",") + name;
      }
    }
    texts += text + ";";
  }
  if (!meta.sizes.empty())
    w.check("Claim", operands,
            {w.attr("symbols", StringRef(names)),
             w.attr("dims", StringRef(texts))});
}

void Translator::requireRange(GraphValue value, std::optional<int64_t> least,
                              std::optional<int64_t> most, StringRef what) {
  for (auto [relation, bound] : {std::pair{">=", least}, std::pair{"<=", most}})
    if (bound)
      w.require(value, relation, w.integer(*bound),
                what + " must be " +
                    (*relation == '>' ? "at least " : "at most ") +
                    Twine(*bound));
}

/// A symbol, or an expression of symbols, such as that of a derived dim; null
/// where one of them is not an input's.
GraphValue Translator::evaluate(const std::string &text) {
  std::vector<std::string> names = listSymbols(text);
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  std::vector<GraphValue> operands;
  for (const std::string &name : names) {
    auto it = symbols.find(name);
    if (it == symbols.end())
      return {};
    operands.push_back(it->second);
  }
  if (names.empty() || text == names.front())
    return names.empty() ? GraphValue() : operands.front();
  return w.own("Evaluate", operands, DataType::Int64, 0,
               {w.attr("symbols", StringRef(llvm::join(names, ","))),
                w.attr("text", StringRef(text))});
}

llvm::Error Translator::addRanges() {
  auto ranges = getObject(program->getRoot(), "range_constraints");
  if (!ranges)
    return ranges.takeError();
  std::map<std::string, const json::Object *> sorted;
  for (const auto &[name, range] : **ranges)
    if (const json::Object *object = range.getAsObject())
      sorted[name.str()] = object;
  w.setPlace("ranges of the export");
  constexpr int64_t unbounded = int64_t(1) << 62;
  for (const auto &[name, range] : sorted) {
    std::string text = toInfix(name).value_or(name);
    GraphValue value = evaluate(text);
    if (!value)
      continue;
    std::optional<int64_t> least = range->getInteger("min_val"),
                           most = range->getInteger("max_val");
    // The exporter gives 2 to each size that it takes for neither 0 nor 1, and
    // its own module does not check that.
    if (least && *least <= 2)
      least = std::nullopt;
    if (most && *most >= unbounded)
      most = std::nullopt;
    requireRange(value, least, most, text);
  }
  return llvm::Error::success();
}

GraphValue Translator::findInput(StringRef name) const {
  bool isInput =
      llvm::any_of(model.graph.inputs, [&](const onnx::ValueInfo &input) {
        return input.name == name;
      });
  return isInput ? lookup(name) : GraphValue();
}

std::optional<int64_t> Translator::constantOf(GraphValue value) const {
  auto it = constants.find(value.name);
  if (it == constants.end())
    return std::nullopt;
  return it->second;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

void Translator::noteCondition(StringRef name, StringRef relation, GraphValue x,
                               GraphValue y) {
  conditions[name] = {relation.str(), x, y, {}};
}

void Translator::noteConnective(StringRef name, StringRef kind, StringRef x,
                                StringRef y) {
  if (kind == "equal" || kind == "differ") {
    StringRef one = w.save(name + " one"), two = w.save(name + " two");
    auto notOf = [&](StringRef of) {
      StringRef made = w.save(name + " not " + of);
      noteConnective(made, "not", of, "");
      return made;
    };
    bool isEqual = kind == "equal";
    StringRef notX = notOf(x), notY = notOf(y);
    noteConnective(one, "and", x, isEqual ? y : notY);
    noteConnective(two, "and", notX, isEqual ? notY : y);
    return noteConnective(name, "or", one, two);
  }
  if (kind != "not") {
    conditions[name] = {kind.str(), {}, {}, {x, y}};
    return;
  }
  static const std::pair<StringRef, StringRef> reverses[] = {
      {">=", "<"}, {"<=", ">"}, {"==", "!="}};
  auto it = conditions.find(x);
  if (it == conditions.end())
    return;
  Condition condition = it->second;
  for (auto [one, other] : reverses) {
    bool isOne = condition.relation == one;
    if (!isOne && condition.relation != other)
      continue;
    condition.relation = (isOne ? other : one).str();
    conditions[name] = std::move(condition);
    return;
  }
  conditions[name] = {"not", {}, {}, {x}};
}

GraphValue Translator::measure(StringRef name) {
  auto it = conditions.find(name);
  if (it == conditions.end())
    return {};
  const Condition condition = it->second;
  llvm::SmallVector<GraphValue, 2> operands{condition.x, condition.y};
  if (!condition.parts.empty()) {
    operands.clear();
    for (StringRef part : condition.parts)
      operands.push_back(measure(part));
  }
  for (GraphValue operand : operands)
    if (!operand)
      return {};
  StringRef text = measureText(condition.relation);
  return w.own(
      "Evaluate", operands, DataType::Int64, 0,
      {w.attr("symbols", StringRef(operands.size() == 2 ? "a,b" : "a")),
       w.attr("text", text)});
}

bool Translator::requireBool(StringRef name, StringRef message) {
  auto it = conditions.find(name);
  if (it == conditions.end())
    return false;
  const Condition &condition = it->second;
  if (condition.relation == "and")
    return llvm::all_of(condition.parts, [&](StringRef part) {
      return requireBool(part, message);
    });
  if (!condition.parts.empty()) {
    GraphValue value = measure(name);
    if (value)
      w.require(value, "<=", w.integer(0), message);
    return static_cast<bool>(value);
  }
  w.require(condition.x, condition.relation, condition.y, message);
  return true;
}

GraphValue Translator::conditionValue(StringRef name) {
  auto it = conditions.find(name);
  if (it == conditions.end())
    return lookup(name);
  const Condition condition = it->second;
  if (condition.relation == "and" || condition.relation == "or") {
    GraphValue all;
    for (StringRef part : condition.parts) {
      GraphValue value = conditionValue(part);
      if (!value)
        return {};
      all = all ? w.compare(condition.relation == "and" ? "And" : "Or", all,
                            value)
                : value;
    }
    return all;
  }
  if (condition.relation == "not") {
    GraphValue value = conditionValue(condition.parts.front());
    return value ? w.like("Not", {value}) : value;
  }
  static const std::pair<StringRef, StringRef> ops[] = {
      {">=", "GreaterOrEqual"}, {"<=", "LessOrEqual"},
      {">", "Greater"},         {"<", "Less"},
      {"==", "Equal"},          {"!=", "Equal"}};
  for (auto [relation, op] : ops)
    if (condition.relation == relation) {
      GraphValue value = w.compare(op, condition.x, condition.y);
      return relation == "!=" ? w.like("Not", {value}) : value;
    }
  return {};
}
