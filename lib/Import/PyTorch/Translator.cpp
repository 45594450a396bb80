//===- Translator.cpp - From an exported program to a model ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs, parameters and nodes in their order; what is required of sizes comes
// first.
//
//===----------------------------------------------------------------------===//

#include "Translator.h"
#include "SymExprText.h"
#include "symshape/Import/ONNX/DimText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringLiteral;
using llvm::StringRef;
using llvm::Twine;
using onnx::DataType;
namespace json = llvm::json;

std::string mlir::symshape::pytorch::placeOf(const json::Object &node) {
  const json::Object *metadata = node.getObject("metadata");
  constexpr StringLiteral start = "File \"";
  StringRef trace =
      metadata ? metadata->getString("stack_trace").value_or("") : "";
  // The innermost line that is not PyTorch's own, if there is one.
  std::string place;
  for (size_t at = trace.rfind(start); at != StringRef::npos;
       at = trace.take_front(at).rfind(start)) {
    auto [path, rest] = trace.drop_front(at + start.size()).split("\", line ");
    StringRef line = rest.take_while(llvm::isDigit);
    if (!path.contains("torch/") || place.empty())
      place = (llvm::sys::path::filename(path) + ":" + line).str();
    if (!path.contains("torch/"))
      break;
  }
  return place;
}

/// What a node is called in messages.
static std::string describe(const json::Object &node, StringRef target) {
  std::string name = node.getString("name").value_or("").str();
  std::string place = placeOf(node);
  return (name.empty() ? target.str() : name) +
         (place.empty() ? "" : " at " + place);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

llvm::Error Translator::addConstant(const json::Value &argument,
                                    StringRef tensor) {
  auto data = program->findTensor(tensor);
  if (!data)
    return data.takeError();
  // An input may have the name of a parameter.
  data->name = inputNames.contains(tensor) ? w.save(tensor + ".data") : tensor;
  define(nameIn(&argument), w.constant(std::move(*data)));
  return llvm::Error::success();
}

llvm::Error Translator::addUserInput(const json::Value &argument) {
  auto [kind, member] = openUnion(argument);
  // Numbers of the example are part of the graph.
  if (kind != "as_tensor" && kind != "as_sym_int")
    return llvm::Error::success();
  onnx::ValueInfo info;
  info.type.kind = onnx::TypeInfo::Tensor;
  info.type.hasShape = true;
  if (kind == "as_sym_int") {
    StringRef name = nameIn(member, "as_name");
    if (name.empty())
      return llvm::Error::success();
    info.name = name;
    info.type.element = DataType::Int64;
    model.graph.inputs.push_back(info);
    GraphValue value =
        w.own("Item", {{name, DataType::Int64, 0}}, DataType::Int64, 0);
    defineInteger(name, value);
    return llvm::Error::success();
  }
  info.name = nameIn(member);
  auto meta = program->metaOf(info.name);
  if (!meta)
    return meta.takeError();
  info.type.element = meta->type;
  for (const Extent &extent : meta->sizes) {
    onnx::Dimension &dim = info.type.dims.emplace_back();
    dim.value = extent.value;
    dim.param = w.save(extent.text.empty() ? "?" : extent.text);
  }
  GraphValue value{info.name, meta->type,
                   static_cast<int64_t>(meta->sizes.size())};
  model.graph.inputs.push_back(info);
  define(info.name, value);
  inputs.push_back({value, std::move(*meta)});
  return llvm::Error::success();
}

llvm::Error Translator::addInput(const json::Value &spec) {
  auto [kind, member] = openUnion(spec);
  if (kind == "constant_input" || kind == "token")
    return llvm::Error::success();
  const json::Object *object = member ? member->getAsObject() : nullptr;
  const json::Value *argument = object ? object->get("arg") : nullptr;
  if (argument && kind == "user_input")
    return addUserInput(*argument);
  if (argument &&
      (kind == "parameter" || kind == "buffer" || kind == "tensor_constant"))
    return addConstant(*argument,
                       object->getString((kind + "_name").str()).value_or(""));
  return llvm::createStringError(
      "expected inputs that are tensors or numbers, but got '" +
      onnx::escaped(kind) + "'");
}

llvm::Error Translator::addInputs() {
  auto specs = getArray(program->getSignature(), "input_specs");
  if (!specs)
    return specs.takeError();
  for (const json::Value &spec : **specs)
    if (auto [kind, member] = openUnion(spec); kind == "user_input")
      visitNames(*member, [&](StringRef name) { inputNames.insert(name); });
  for (const json::Value &spec : **specs)
    if (llvm::Error error = addInput(spec))
      return error;
  bindSymbols();
  if (llvm::Error error = addRanges())
    return error;
  return addGuards();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

const Table &mlir::symshape::pytorch::getTable() {
  static const Table table = [] {
    Table made;
    addArithmetic(made);
    addComposites(made);
    addCreation(made);
    addIndexing(made);
    addIntegers(made);
    addMovement(made);
    addNetworks(made);
    addRecurrent(made);
    addReductions(made);
    addUnary(made);
    addWindows(made);
    return made;
  }();
  return table;
}

/// `aten.add_.Tensor` without the underscore that says that it changes its
/// first operand; empty for other ops.
static std::string withoutUnderscore(StringRef target) {
  auto [op, overload] = target.rsplit('.');
  if (!op.starts_with("aten.") || !op.consume_back("_") || op.ends_with("_"))
    return "";
  return (op + "." + overload).str();
}

static StringRef targetOf(const json::Value &node) {
  StringRef target = nameIn(&node, "target");
  target.consume_front("torch.ops.");
  return target;
}

static Entry findEntry(const Table &table, StringRef target) {
  if (Entry entry = table.find(target))
    return entry;
  std::string plain = withoutUnderscore(target);
  return plain.empty() ? nullptr : table.find(plain);
}

llvm::Error Translator::checkUnknown(const Table &table) const {
  std::map<std::string, std::pair<unsigned, std::string>> unknown;
  for (const json::Value &node : *program->getGraph().getArray("nodes")) {
    StringRef target = targetOf(node);
    if (target.empty())
      return llvm::createStringError("expected a target of each node");
    if (!node.getAsObject())
      return llvm::createStringError("expected nodes that are objects");
    if (findEntry(table, target))
      continue;
    auto &[count, place] = unknown[onnx::escaped(target)];
    if (count++ == 0)
      place = placeOf(*node.getAsObject());
  }
  if (unknown.empty())
    return llvm::Error::success();
  std::string text = "expected ops of ATen that symshape has, but got";
  for (const auto &[target, where] : unknown)
    text += "\n  " + target + ": " + std::to_string(where.first) +
            (where.first == 1 ? " node" : " nodes") +
            (where.second.empty() ? "" : ", first at " + where.second);
  text += "\nexported.run_decompositions() may leave simpler ops";
  return llvm::createStringError(text);
}

llvm::Error Translator::addNodes() {
  const Table &table = getTable();
  if (llvm::Error error = checkUnknown(table))
    return error;
  const json::Object &graph = program->getGraph();
  auto use = [&](StringRef name) { used.insert(name); };
  for (const json::Value &output : *graph.getArray("outputs"))
    visitNames(output, use);
  for (const json::Value &node : *graph.getArray("nodes"))
    if (const json::Array *operands = node.getAsObject()->getArray("inputs"))
      for (const json::Value &input : *operands)
        if (const json::Value *argument =
                input.getAsObject() ? input.getAsObject()->get("arg") : nullptr)
          visitNames(*argument, use);
  AliasTracker aliases;
  for (const json::Value &node : *program->getGraph().getArray("nodes")) {
    const json::Object &object = *node.getAsObject();
    StringRef target = targetOf(node);
    std::string where = describe(object, target);
    w.setPlace(where);
    Call call(*this, w, object);
    bool changes = !table.find(target);
    if (changes && !aliases.mayChange(object))
      call.fail("expected a program that changes no tensor that others may "
                "see; exported.run_decompositions() makes one of it");
    else
      aliases.note(object, target, changes);
    if (!call.failed())
      findEntry(table, target)(call);
    for (size_t i = 0; i < call.numResults(); ++i)
      if (!call.failed() && call.wants(i) && !call.isSet(i))
        call.fail("expected no use of result #" + Twine(i));
    if (call.failed())
      return llvm::createStringError(onnx::escapedLines(
          where + " (" + target.str() + "): " + call.takeError()));
    if (changes)
      for (StringRef same : aliases.namesOf(call.resultName(0)))
        define(same, lookup(call.resultName(0)));
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

llvm::Error Translator::addOutputs() {
  auto specs = getArray(program->getSignature(), "output_specs");
  if (!specs)
    return specs.takeError();
  w.setPlace("results");
  llvm::StringSet<> taken;
  for (const onnx::ValueInfo &input : model.graph.inputs)
    taken.insert(input.name);
  for (const onnx::TensorData &data : model.graph.initializers)
    taken.insert(data.name);
  for (const json::Value &spec : **specs) {
    auto [kind, member] = openUnion(spec);
    const json::Object *object = member ? member->getAsObject() : nullptr;
    const json::Value *argument = object ? object->get("arg") : nullptr;
    if (kind == "token")
      continue;
    if (kind.ends_with("_mutation")) {
      StringRef what = kind.drop_back(StringRef("_mutation").size());
      StringRef name =
          object ? object->getString((what + "_name").str()).value_or("") : "";
      return llvm::createStringError(
          "expected a program that changes nothing that outlives a call, but "
          "it changes " +
          what + " '" + onnx::escaped(name) +
          "': return the new value, and take the old one as an input");
    }
    if ((kind != "user_output" && kind != "loss_output") || !argument)
      return llvm::createStringError(
          "expected results of the forward pass, but got '" + kind + "'");
    auto [type, inner] = openUnion(*argument);
    if (kind == "loss_output") {
      type = "as_tensor";
      inner = argument;
    }
    if (type == "as_none")
      continue;
    GraphValue value;
    StringRef name;
    if (type == "as_tensor" || type == "as_sym_int" || type == "as_sym_float") {
      name = nameIn(inner, type == "as_tensor" ? "name" : "as_name");
      value = lookup(name);
    }
    if (!value) {
      const json::Object *boxed = inner ? inner->getAsObject() : nullptr;
      auto integer = inner ? inner->getAsInteger() : std::nullopt;
      if (boxed)
        integer = boxed->getInteger("as_int");
      if (type == "as_int" || type == "as_sym_int") {
        if (integer)
          value = w.integer(*integer);
      } else if (auto number = inner ? inner->getAsNumber() : std::nullopt;
                 number && type == "as_float") {
        value = w.number(*number, DataType::Double);
      } else if (auto flag = inner ? inner->getAsBoolean() : std::nullopt;
                 flag && type == "as_bool") {
        value = w.number(int64_t(*flag), DataType::Bool);
      }
      name = "constant";
    }
    if (!value)
      return llvm::createStringError("expected results that are tensors or "
                                     "numbers, but got '" +
                                     onnx::escaped(type) + "'");
    std::string unique = name.str();
    for (unsigned i = 1; !taken.insert(unique).second; ++i)
      unique = (name + "_" + Twine(i)).str();
    onnx::ValueInfo output;
    output.name = w.save(unique);
    model.graph.outputs.push_back(output);
    w.rename(w.like("Identity", {value}), output.name);
  }
  return llvm::Error::success();
}

llvm::Error Translator::run() {
  for (auto step :
       {&Translator::addInputs, &Translator::addNodes, &Translator::addOutputs})
    if (llvm::Error error = (this->*step)())
      return error;
  return llvm::Error::success();
}
