//===- Call.cpp - A node of an exported program ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers become constants where they are asked for.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Translator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;
using onnx::DataType;
namespace json = llvm::json;

Call::Call(Translator &translator, GraphWriter &writer,
           const json::Object &node)
    : w(writer), translator(translator), node(node) {
  name = node.getString("target").value_or("");
  name.consume_front("torch.ops.");
  const json::Array *outputs = node.getArray("outputs");
  if (!outputs)
    return;
  for (const json::Value &output : *outputs) {
    auto [kind, member] = openUnion(output);
    Result &result = results.emplace_back();
    const json::Array *list = member ? member->getAsArray() : nullptr;
    if (kind == "as_tensors" && list) {
      results.pop_back();
      for (const json::Value &part : *list) {
        Result &each = results.emplace_back();
        each.isTensor = true;
        each.name = nameIn(&part);
      }
      continue;
    }
    result.isTensor = kind == "as_tensor";
    result.name = nameIn(member, result.isTensor ? "name" : "as_name");
  }
  for (Result &result : results) {
    if (!result.isTensor || result.name.empty())
      continue;
    auto meta = translator.getProgram().metaOf(result.name);
    if (meta)
      result.meta = std::move(*meta);
    else
      fail(llvm::toString(meta.takeError()));
  }
}

void Call::fail(const Twine &message) {
  if (error.empty())
    error = message.str();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

const json::Value *Call::find(StringRef argument) const {
  const json::Array *inputs = node.getArray("inputs");
  if (!inputs)
    return nullptr;
  for (const json::Value &input : *inputs)
    if (nameIn(&input) == argument)
      return input.getAsObject()->get("arg");
  // Ops that are not of ATen have arguments without names: by their place.
  size_t place;
  if (argument.consume_front("#") && !argument.getAsInteger(10, place) &&
      place < inputs->size())
    if (const json::Object *input = (*inputs)[place].getAsObject())
      return input->get("arg");
  return nullptr;
}

/// The value in an argument; null where it is left out or None.
static std::pair<StringRef, const json::Value *>
openArgument(const json::Value *argument) {
  if (!argument)
    return {};
  auto [kind, member] = openUnion(*argument);
  if (kind == "as_none")
    return {};
  if (kind == "as_optional_tensor" && member)
    return openArgument(member);
  return {kind, member};
}

bool Call::has(StringRef argument) const {
  return openArgument(find(argument)).second;
}

bool Call::isNumber(StringRef argument) const {
  StringRef kind = openArgument(find(argument)).first;
  return !kind.empty() && kind != "as_tensor";
}

bool Call::isFloatNumber(StringRef argument) const {
  StringRef kind = openArgument(find(argument)).first;
  return kind == "as_float" || kind == "as_sym_float";
}

bool Call::isConstantBool(StringRef argument) const {
  auto [kind, member] = openArgument(find(argument));
  return kind == "as_bool" ||
         (kind == "as_sym_bool" && nameIn(member, "as_name").empty());
}

StringRef Call::conditionName(StringRef argument, StringRef place) const {
  for (StringRef each : {argument, place})
    if (auto [kind, member] = openArgument(find(each)); kind == "as_sym_bool")
      return nameIn(member, "as_name");
  return "";
}

std::string Call::place() const { return placeOf(node); }

/// A float as JSON has it: those that are no number are strings.
static std::optional<double> toDouble(const json::Value &value) {
  if (auto number = value.getAsNumber())
    return number;
  if (auto text = value.getAsString()) {
    if (*text == "Infinity")
      return std::numeric_limits<double>::infinity();
    if (*text == "-Infinity")
      return -std::numeric_limits<double>::infinity();
    if (*text == "NaN")
      return std::numeric_limits<double>::quiet_NaN();
  }
  if (const json::Object *object = value.getAsObject())
    if (const json::Value *inner = object->get("as_float"))
      return toDouble(*inner);
  return std::nullopt;
}

GraphValue Call::tensorOrNone(StringRef argument) {
  return has(argument) ? tensor(argument) : GraphValue();
}

GraphValue Call::tensor(StringRef argument) {
  auto [kind, member] = openArgument(find(argument));
  auto standIn = [&](const Twine &message) {
    fail(message);
    return w.number(0.0, DataType::Float);
  };
  if (!member)
    return standIn("expected a tensor '" + argument + "'");
  if (kind == "as_tensor") {
    GraphValue value = translator.lookup(nameIn(member));
    return value ? value
                 : standIn("expected a tensor '" + nameIn(member) +
                           "' before this node");
  }
  DataType type = kind == "as_bool"    ? DataType::Bool
                  : kind == "as_float" ? DataType::Float
                                       : DataType::Int64;
  if (kind == "as_sym_float" && !nameIn(member, "as_name").empty()) {
    GraphValue value = translator.lookup(nameIn(member, "as_name"));
    return value ? value : standIn("expected '" + argument + "' to be known");
  }
  if (kind == "as_sym_float")
    type = DataType::Float;
  return number(argument, type);
}

std::vector<GraphValue> Call::tensors(StringRef argument) {
  auto [kind, member] = openArgument(find(argument));
  std::vector<GraphValue> values;
  const json::Array *list = member ? member->getAsArray() : nullptr;
  if (!list) {
    if (member)
      fail("expected '" + argument + "' to be a list of tensors");
    return values;
  }
  for (const json::Value &each : *list) {
    StringRef name = nameIn(&each);
    if (name.empty() && kind == "as_optional_tensors") {
      auto [inner, tensor] = openArgument(&each);
      name = nameIn(tensor);
      if (!tensor) {
        values.emplace_back();
        continue;
      }
    }
    values.push_back(translator.lookup(name));
    if (!values.back())
      fail("expected a tensor '" + name + "' before this node");
  }
  return values;
}

GraphValue Call::number(StringRef argument, DataType type) {
  auto [kind, member] = openArgument(find(argument));
  if (member && kind == "as_tensor")
    return w.cast(tensor(argument), type);
  if (member && kind == "as_int")
    if (auto value = member->getAsInteger())
      return w.number(*value, type);
  if (member && kind == "as_bool")
    return w.number(int64_t(member->getAsBoolean().value_or(false)), type);
  if (member && (kind == "as_float" || kind == "as_sym_float")) {
    if (auto value = toDouble(*member))
      return w.number(*value, type);
    if (GraphValue value = translator.lookup(nameIn(member, "as_name")))
      return w.cast(value, type);
  }
  if (member && kind == "as_sym_int")
    return w.cast(toInteger(*member, argument), type);
  fail("expected '" + argument + "' to be a number, but got '" + kind + "'");
  return w.number(int64_t(0), type);
}

/// Of a SymIntArgument, or a plain number.
GraphValue Call::toInteger(const json::Value &value, StringRef argument) {
  std::optional<int64_t> number = value.getAsInteger();
  if (const json::Object *object = value.getAsObject()) {
    if (auto inner = object->getInteger("as_int"))
      number = inner;
    else if (GraphValue known =
                 translator.lookup(object->getString("as_name").value_or("")))
      return known;
  }
  if (!number)
    fail("expected '" + argument + "' to be an integer");
  GraphValue made = w.integer(number.value_or(0));
  translator.noteConstant(made, number.value_or(0));
  return made;
}

GraphValue Call::integer(StringRef argument, GraphValue otherwise) {
  auto [kind, member] = openArgument(find(argument));
  if (!member)
    return otherwise;
  if (kind == "as_tensor")
    return w.own("Item", {tensor(argument)}, DataType::Int64, 0);
  return toInteger(*member, argument);
}

std::vector<GraphValue> Call::integers(StringRef argument) {
  auto [kind, member] = openArgument(find(argument));
  std::vector<GraphValue> values;
  if (!member)
    return values;
  if (const json::Array *list = member->getAsArray()) {
    for (const json::Value &each : *list)
      values.push_back(toInteger(each, argument));
    return values;
  }
  values.push_back(toInteger(*member, argument));
  return values;
}

bool Call::areIntegers(StringRef argument) const {
  StringRef kind = openArgument(find(argument)).first;
  return kind == "as_ints" || kind == "as_sym_ints";
}

std::vector<GraphValue> Call::values(StringRef argument) {
  return areIntegers(argument) ? integers(argument) : tensors(argument);
}

std::vector<GraphValue> Call::inlined(StringRef argument,
                                      ArrayRef<GraphValue> operands) {
  const json::Value *value = find(argument);
  const json::Object *graph = value ? graphOf(*value) : nullptr;
  if (!graph) {
    fail("expected '" + argument + "' to be a graph");
    return {};
  }
  if (failed())
    return {};
  // Nodes inside are called what they are, and what is behind them as this.
  StringRef outer = w.getPlace();
  auto results = translator.translate(*graph, operands);
  w.setPlace(outer);
  if (results)
    return std::move(*results);
  fail(llvm::toString(results.takeError()));
  return {};
}

std::optional<int64_t> Call::constantOf(GraphValue value) const {
  return translator.constantOf(value);
}

int64_t Call::constant(StringRef argument, int64_t otherwise) {
  auto [kind, member] = openArgument(find(argument));
  if (!member)
    return otherwise;
  if (auto value = constantOf(toInteger(*member, argument)))
    return *value;
  fail("expected '" + argument + "' to be a constant");
  return otherwise;
}

Ints Call::constants(StringRef argument, ArrayRef<int64_t> otherwise,
                     size_t count) {
  Ints list;
  for (GraphValue value : integers(argument)) {
    auto number = constantOf(value);
    if (!number)
      fail("expected '" + argument + "' to be constants");
    list.push_back(number.value_or(0));
  }
  if (list.empty())
    list.assign(otherwise.begin(), otherwise.end());
  if (list.size() == 1 && count > 1)
    list.assign(count, list.front());
  if (count && list.size() != count) {
    fail("expected '" + argument + "' to be " + Twine(count) +
         " integers, but got " + Twine(list.size()));
    list.assign(count, 1);
  }
  return list;
}

double Call::real(StringRef argument, double otherwise) {
  auto [kind, member] = openArgument(find(argument));
  if (!member)
    return otherwise;
  if (auto value = toDouble(*member))
    return *value;
  fail("expected '" + argument + "' to be a constant number");
  return otherwise;
}

std::vector<double> Call::reals(StringRef argument) {
  auto [kind, member] = openArgument(find(argument));
  std::vector<double> list;
  if (const json::Array *values = member ? member->getAsArray() : nullptr)
    for (const json::Value &value : *values)
      list.push_back(toDouble(value).value_or(1));
  return list;
}

bool Call::flag(StringRef argument, bool otherwise) {
  auto [kind, member] = openArgument(find(argument));
  if (!member)
    return otherwise;
  if (auto value = member->getAsBoolean())
    return *value;
  if (auto value = member->getAsInteger())
    return *value != 0;
  fail("expected '" + argument + "' to be a constant bool");
  return otherwise;
}

StringRef Call::text(StringRef argument, StringRef otherwise) {
  auto [kind, member] = openArgument(find(argument));
  return member ? member->getAsString().value_or(otherwise) : otherwise;
}

std::optional<DataType> Call::dtype(StringRef argument) {
  auto [kind, member] = openArgument(find(argument));
  if (!member)
    return std::nullopt;
  DataType type = typeOfScalar(member->getAsInteger().value_or(0));
  if (type == DataType::Undefined)
    fail("expected '" + argument + "' to be a type that symshape has");
  return type;
}

int64_t Call::axisOf(int64_t axis, int64_t rank) {
  int64_t most = std::max<int64_t>(rank, 1);
  if (axis < -most || axis >= most) {
    fail("expected an axis of rank " + Twine(rank) + ", but got " +
         Twine(axis));
    return 0;
  }
  return axis < 0 ? axis + most : axis;
}

int64_t Call::axis(StringRef argument, int64_t rank, int64_t otherwise) {
  return axisOf(constant(argument, otherwise), rank);
}

std::optional<TensorMeta> Call::metaOf(StringRef argument) const {
  auto meta = translator.getProgram().metaOf(
      nameIn(openArgument(find(argument)).second));
  if (meta)
    return *meta;
  llvm::consumeError(meta.takeError());
  return std::nullopt;
}

std::optional<int64_t> Call::extentOf(StringRef argument, int64_t axis) {
  auto meta = metaOf(argument);
  if (!meta || axis < 0 || axis >= static_cast<int64_t>(meta->sizes.size()))
    return std::nullopt;
  return meta->sizes[axis].value;
}

void Call::require(GraphValue x, StringRef relation, GraphValue y,
                   const Twine &message) {
  auto one = constantOf(x), two = constantOf(y);
  bool isMet = one && two && relation == "==" && *one == *two;
  if (!isMet)
    w.require(x, relation, y, message);
}

void Call::requireSome(StringRef argument, GraphValue x,
                       llvm::ArrayRef<int64_t> axes) {
  for (int64_t axis : axes)
    if (extentOf(argument, axis).value_or(0) == 0)
      w.require(w.sizeOf(x, axis), ">=", w.integer(1),
                "axis " + Twine(axis) + " must have elements");
}

/// What is behind more than one open extent is not compared.
bool Call::isRowMajor(StringRef argument) {
  auto meta = metaOf(argument);
  if (!meta || meta->offset.value.value_or(0) != 0 ||
      meta->strides.size() != meta->sizes.size())
    return false;
  std::optional<Extent> expected = Extent{1, ""};
  for (auto [size, stride] :
       llvm::reverse(llvm::zip(meta->sizes, meta->strides))) {
    bool isSame = expected && (expected->value ? stride.value == expected->value
                                               : stride.text == expected->text);
    if (size.value != 1 && !isSame)
      return false;
    int64_t product = 0;
    if (expected && size.value == 1)
      continue;
    if (expected && expected->value == 1)
      expected = size;
    else if (expected && expected->value && size.value &&
             !llvm::MulOverflow(*expected->value, *size.value, product))
      expected = Extent{product, ""};
    else
      expected = std::nullopt;
  }
  return true;
}

Ints Call::axes(StringRef argument, int64_t rank) {
  Ints list;
  for (int64_t axis : constants(argument, {}))
    list.push_back(axisOf(axis, rank));
  if (list.empty())
    for (int64_t axis = 0; axis < rank; ++axis)
      list.push_back(axis);
  llvm::sort(list);
  if (rank == 0)
    list.clear();
  return list;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool Call::wants(size_t i) const {
  return i < results.size() && translator.isUsed(results[i].name);
}

DataType Call::type(size_t i) const {
  if (i >= results.size())
    return DataType::Undefined;
  return results[i].isTensor ? results[i].meta.type : DataType::Int64;
}

int64_t Call::rank(size_t i) const {
  return i < results.size() ? results[i].meta.sizes.size() : 0;
}

void Call::set(GraphValue value, size_t i) {
  if (failed() || i >= results.size() || results[i].name.empty())
    return;
  if (!value)
    return fail("expected a tensor, but got nothing");
  results[i].isSet = true;
  if (!results[i].isTensor) {
    translator.defineInteger(results[i].name, value);
    return;
  }
  if (value.rank != rank(i))
    return fail("expected a result of rank " + Twine(rank(i)) + ", but got " +
                Twine(value.rank));
  value = w.cast(value, type(i));
  translator.claim(value, results[i].meta);
  translator.define(results[i].name, value);
}

void Call::setAll(ArrayRef<GraphValue> values) {
  if (values.size() != results.size())
    return fail("expected " + Twine(results.size()) + " results, but got " +
                Twine(values.size()));
  for (auto [i, value] : llvm::enumerate(values))
    set(value, i);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

Entry Table::find(StringRef target) const {
  if (Entry entry = entries.lookup(target))
    return entry;
  return entries.lookup(target.rsplit('.').first);
}
