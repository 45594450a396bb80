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

StringRef mlir::symshape::pytorch::measureText(StringRef relation) {
  static const std::pair<StringRef, StringRef> texts[] = {
      {"<=", "(a) - (b)"},
      {"<", "(a) - (b) + 1"},
      {">=", "(b) - (a)"},
      {">", "(b) - (a) + 1"},
      {"==", "max((a) - (b), (b) - (a))"},
      {"!=", "1 - max((a) - (b), (b) - (a))"},
      {"and", "max(a, b)"},
      {"or", "min(a, b)"},
      {"not", "1 - (a)"}};
  for (auto [word, text] : texts)
    if (relation == word)
      return text;
  return "";
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

/// A tensor of the graph as an input of the model, which has that name.
llvm::Error Translator::addTensorInput(StringRef tensor, StringRef name) {
  auto meta = program->metaOf(tensor);
  if (!meta)
    return meta.takeError();
  onnx::ValueInfo info;
  info.name = name;
  info.type.kind = onnx::TypeInfo::Tensor;
  info.type.hasShape = true;
  info.type.element = meta->type;
  for (const Extent &extent : meta->sizes) {
    onnx::Dimension &dim = info.type.dims.emplace_back();
    dim.value = extent.value;
    dim.param = w.save(extent.text.empty() ? "?" : extent.text);
  }
  GraphValue value{name, meta->type, static_cast<int64_t>(meta->sizes.size())};
  model.graph.inputs.push_back(info);
  define(tensor, value);
  inputs.push_back({value, std::move(*meta)});
  return llvm::Error::success();
}

llvm::Error Translator::addConstant(const json::Value &argument,
                                    StringRef tensor) {
  if (program->isGivenByCalls(tensor))
    return addTensorInput(nameIn(&argument), tensor);
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
  if (kind == "as_sym_int") {
    onnx::ValueInfo info;
    info.type.kind = onnx::TypeInfo::Tensor;
    info.type.hasShape = true;
    StringRef name = nameIn(member, "as_name");
    if (name.empty())
      return llvm::Error::success();
    info.name = name;
    info.type.element = DataType::Int64;
    model.graph.inputs.push_back(info);
    GraphValue value =
        w.own("Item", {{name, DataType::Int64, 0}}, DataType::Int64, 0);
    define(name, value);
    if (auto extent = program->integerOf(name))
      integers.push_back({name, std::move(*extent)});
    return llvm::Error::success();
  }
  return addTensorInput(nameIn(member), nameIn(member));
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
    addBackward(made);
    addComposites(made);
    addControlFlow(made);
    addCounting(made);
    addCreation(made);
    addGathering(made);
    addIndexing(made);
    addIntegers(made);
    addMovement(made);
    addNetworks(made);
    addNormalization(made);
    addQuantization(made);
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

static StringRef targetOf(const json::Object &node) {
  StringRef target = node.getString("target").value_or("");
  target.consume_front("torch.ops.");
  return target;
}

/// `aten.select_copy.int` as `aten.select.int`, whose result is not a view.
static std::string withoutCopy(StringRef target) {
  auto [op, overload] = target.rsplit('.');
  if (!op.starts_with("aten.") || !op.consume_back("_copy"))
    return "";
  return (op + "." + overload).str();
}

namespace {
/// The entry of an op, and which form of it the op is.
struct Found {
  Entry entry = nullptr;
  bool changes = false; ///< its first operand
  bool isCopy = false;  ///< of what would be a view
};
} // namespace

static Found findEntry(const Table &table, StringRef target) {
  if (Entry entry = table.find(target))
    return {entry};
  if (std::string view = withoutCopy(target); !view.empty())
    if (Entry entry = table.find(view))
      return {entry, false, true};
  std::string plain = withoutUnderscore(target);
  return {plain.empty() ? nullptr : table.find(plain), true};
}

using UnknownOps = std::map<std::string, std::pair<unsigned, std::string>>;

/// The graph that an input of a node is; null: it is none.
static const json::Object *innerGraph(const json::Value &input) {
  const json::Object *object = input.getAsObject();
  const json::Value *argument = object ? object->get("arg") : nullptr;
  return argument ? graphOf(*argument) : nullptr;
}

/// Counts the ops without an entry in a graph, and in those that its nodes
/// have, and keeps where each is met first.
static llvm::Error listUnknown(const json::Object &graph, const Table &table,
                               UnknownOps &unknown) {
  auto nodes = getArray(graph, "nodes");
  if (!nodes)
    return nodes.takeError();
  for (const json::Value &node : **nodes) {
    if (!node.getAsObject())
      return llvm::createStringError("expected nodes that are objects");
    StringRef target = targetOf(*node.getAsObject());
    if (target.empty())
      return llvm::createStringError("expected a target of each node");
    if (const json::Array *inputs = node.getAsObject()->getArray("inputs"))
      for (const json::Value &input : *inputs)
        if (const json::Object *inner = innerGraph(input))
          if (llvm::Error error = listUnknown(*inner, table, unknown))
            return error;
    if (findEntry(table, target).entry)
      continue;
    auto &[count, place] = unknown[onnx::escaped(target)];
    if (count++ == 0)
      place = placeOf(*node.getAsObject());
  }
  return llvm::Error::success();
}

static llvm::Error checkUnknown(const json::Object &graph, const Table &table) {
  UnknownOps unknown;
  if (llvm::Error error = listUnknown(graph, table, unknown))
    return error;
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

/// Notes which values of the graph are read.
void Translator::noteUses() {
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
}

llvm::Error Translator::addNode(const json::Object &node,
                                AliasTracker &aliases) {
  const Table &table = getTable();
  StringRef target = targetOf(node);
  std::string where = describe(node, target);
  w.setPlace(where);
  Call call(*this, w, node);
  auto [entry, changes, isCopy] = findEntry(table, target);
  // Nothing looks at it, nor may it ask for anything.
  if (isCopy && !call.wants(0))
    return llvm::Error::success();
  if (changes && !aliases.mayChange(node))
    call.fail("expected a program that changes no tensor that others may "
              "see; exported.run_decompositions() makes one of it");
  else
    aliases.note(node, target, changes);
  if (!call.failed())
    entry(call);
  for (size_t i = 0; i < call.numResults(); ++i)
    if (!call.failed() && call.wants(i) && !call.isSet(i))
      call.fail("expected no use of result #" + Twine(i));
  if (call.failed())
    return llvm::createStringError(onnx::escapedLines(
        where + " (" + target.str() + "): " + call.takeError()));
  if (changes)
    for (StringRef same : aliases.namesOf(call.resultName(0)))
      define(same, lookup(call.resultName(0)));
  return llvm::Error::success();
}

llvm::Error Translator::addNodes() {
  noteUses();
  AliasTracker aliases;
  for (const json::Value &node : *program->getGraph().getArray("nodes"))
    if (llvm::Error error = addNode(*node.getAsObject(), aliases))
      return error;
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
    // The argument of a loss is a tensor's, without what says so.
    json::Value boxed = json::Object{{"as_tensor", *argument}};
    const json::Value &result = kind == "loss_output" ? boxed : *argument;
    auto [type, inner] = openUnion(result);
    if (type == "as_none")
      continue;
    GraphValue value = valueOf(result);
    if (!value)
      return llvm::createStringError(
          "expected results that are tensors or "
          "numbers, but got " +
          onnx::escaped(type) + " '" +
          onnx::escaped(
              nameIn(inner, type == "as_tensor" ? "name" : "as_name")) +
          "'");
    StringRef name = nameIn(inner, type == "as_tensor" ? "name" : "as_name");
    if (name.empty())
      name = "constant";
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
  if (llvm::Error error = checkUnknown(program->getGraph(), getTable()))
    return error;
  for (auto step :
       {&Translator::addInputs, &Translator::addNodes, &Translator::addOutputs})
    if (llvm::Error error = (this->*step)())
      return error;
  return llvm::Error::success();
}
