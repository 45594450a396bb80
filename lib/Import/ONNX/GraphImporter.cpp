//===- GraphImporter.cpp - Walks the nodes of a model ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function is made: its arguments from the inputs, its body node by node,
// its results from the outputs.
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "Given.h"
#include "Lists.h"
#include "NodeLimits.h"
#include "Normalise.h"
#include "OperandTypes.h"
#include "SizeMoves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

GraphImporter::GraphImporter(std::shared_ptr<const Model> model,
                             MLIRContext *context, const ImportOptions &options,
                             Decisions decisions, bool tolerant)
    : model(std::move(model)), options(options), builder(context),
      ownedArena(std::make_shared<ExprArena>()), arena(*ownedArena),
      emitter(builder, arena), tolerant(tolerant),
      decisions(std::move(decisions)) {
  if (options.trace) {
    traced = std::make_shared<ImportTrace>();
    traced->arena = ownedArena;
  }
}

std::optional<bool> GraphImporter::nextDecision() {
  if (numDecided == decisions.size())
    decisions.emplace_back();
  return decisions[numDecided++];
}

LogicalResult GraphImporter::fail(const Twine &message) {
  if (error.empty())
    error = "'" + model->path + "': " + (where.empty() ? "" : where + ": ") +
            escapedLines(message.str());
  return failure();
}

LogicalResult GraphImporter::failForGood(const Twine &message) {
  isBroken = true;
  return fail(message);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::optional<Operand> GraphImporter::lookup(StringRef name) const {
  for (const Scope &scope : llvm::reverse(scopes))
    if (auto it = scope.find(name); it != scope.end())
      return it->second;
  return std::nullopt;
}

LogicalResult GraphImporter::define(StringRef name, Operand operand) {
  if (name.empty())
    return success();
  if (!scopes.back().try_emplace(name, std::move(operand)).second)
    return failForGood("expected each value to be defined once, but got '" +
                       name + "' twice");
  return success();
}

const Function *GraphImporter::findFunction(const NodeData &node) const {
  for (const Function &candidate : model->functions)
    if (candidate.name == node.opType && candidate.overload == node.overload &&
        canonicalDomain(candidate.domain) == canonicalDomain(node.domain))
      return &candidate;
  return nullptr;
}

const Definition *GraphImporter::findDefinition(const NodeData &node) const {
  return ops().find(node.domain, node.opType, version(node.domain));
}

int64_t GraphImporter::version(StringRef domain) const {
  for (ArrayRef<OpsetId> imported : llvm::reverse(opsets))
    for (const OpsetId &id : imported)
      if (canonicalDomain(id.domain) == canonicalDomain(domain))
        return id.version;
  return 1;
}

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

/// The argument, with a symbol for each extent that is declared to be 0. What
/// is computed from a 0 depends on where it comes from, as in [B*T, -1], and
/// must be the same as where extents are open. A list of integers stays what it
/// is: its length decides on ranks.
Tensor GraphImporter::openZeros(Value argument, ArrayRef<Expr> dims,
                                DataType type) {
  SmallVector<Expr, 4> opened(dims);
  auto tensor = cast<RankedTensorType>(argument.getType());
  if (dims.size() != 1 || tensor.getElementType().isFloat())
    for (auto [i, dim] : llvm::enumerate(opened))
      if (dim.isConstant(0))
        dim = emitter.bind(
            tensor::DimOp::create(builder, function.getLoc(), argument, i),
            "_v");
  return emitter.wrap(argument, opened, type);
}

LogicalResult GraphImporter::addInput(const ValueInfo &input,
                                      ArrayRef<Expr> dims) {
  const TypeInfo &type = input.type;
  auto refuse = [&](const Twine &what) {
    return fail("expected input '" + input.name + "' to be " + what);
  };
  if (type.kind != TypeInfo::Tensor)
    return refuse("a tensor, but got " + nameOf(type.kind));
  if (!elementType(builder.getContext(), type.element))
    return refuse("of a type that symshape has, but got " +
                  nameOf(type.element));
  if (!type.hasShape)
    return refuse("of a known rank");
  SmallVector<StringAttr> texts;
  for (Expr dim : dims)
    texts.push_back(builder.getStringAttr(dim.str()));
  RankedTensorType tensor = emitter.typeOf(dims, type.element);
  unsigned number = function.getNumArguments();
  StringAttr name = builder.getStringAttr(escaped(input.name));
  SmallVector<NamedAttribute> attrs{
      builder.getNamedAttr(SymShapeDialect::kName, name)};
  if (!dims.empty())
    attrs.push_back(builder.getNamedAttr(
        SymShapeDialect::kShape, ShapeAttr::get(builder.getContext(), texts)));
  if (isUnsigned(type.element))
    attrs.push_back(builder.getNamedAttr(kUnsigned, builder.getUnitAttr()));
  if (failed(function.insertArgument(number, tensor,
                                     builder.getDictionaryAttr(attrs),
                                     builder.getUnknownLoc())))
    return refuse("an argument");
  BlockArgument argument = function.getArgument(number);
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim.asSymbol() && !emitter.valueOf(dim))
      emitter.bind(
          dim, tensor::DimOp::create(builder, function.getLoc(), argument, i));
  Operand operand = Operand::of(openZeros(argument, dims, type.element));
  operand.input = inputs.size();
  inputs.push_back({input.name, operand.tensor});
  if (failed(define(input.name, std::move(operand))))
    return failure();
  trace(input.name, std::nullopt);
  return success();
}

/// All but those that have an initializer.
LogicalResult GraphImporter::addInputs() {
  reserveNames(*model, names);
  std::vector<const ValueInfo *> infos = model->getInputs();
  auto declared = readDeclaredExtents(infos, options.extents, arena, names);
  if (!declared)
    return failForGood(llvm::toString(declared.takeError()));
  for (auto [info, dims] : llvm::zip(infos, declared->dims))
    if (failed(addInput(*info, dims)))
      return failure();
  for (const DeclaredExtents::Solved &each : declared->solved) {
    Value argument = inputs[each.input].second.value;
    emitter.bind(each.extent, tensor::DimOp::create(builder, function.getLoc(),
                                                    argument, each.dim));
    emitter.bind(each.symbol, emitter.index(each.value));
  }
  return success();
}

/// The bits of each element as an integer.
static SmallVector<int64_t> readBits(const TensorData &data) {
  SmallVector<int64_t> bits;
  unsigned size = bytesOf(data.type);
  for (size_t at = 0; at < data.bytes.size(); at += size) {
    uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i)
      value |= uint64_t(uint8_t(data.bytes[at + i])) << (8 * i);
    if (size < 8 && (data.type == DataType::Bool ? 0 : value >> (8 * size - 1)))
      value |= ~uint64_t(0) << (8 * size); // as index_cast reads it
    bits.push_back(value);
  }
  return bits;
}

std::shared_ptr<const TensorData> GraphImporter::bindValue(size_t number) {
  auto [name, tensor] = inputs[number];
  std::shared_ptr<const TensorData> value;
  if (number < options.values.size())
    value = options.values[number];
  constexpr int64_t most = 1024;
  bool fits = value && value->type == tensor.type &&
              static_cast<int64_t>(value->dims.size()) == tensor.rank() &&
              value->getNumElements() <= most;
  if (!fits) {
    needsValues |= !value;
    (void)fail("expected the value of input '" + name +
               "' to be given, for the program depends on it");
    return nullptr;
  }
  if (!boundInputs.insert(number).second)
    return value;
  // At the entry, whatever branch asks for it.
  OpBuilder::InsertionGuard guard(builder);
  if (entryMark)
    builder.setInsertionPointAfter(entryMark);
  else
    builder.setInsertionPointToStart(&function.getBody().front());
  std::string message =
      ("the program is for one value of input '" + name + "'").str();
  for (auto [dim, extent] : llvm::zip(tensor.dims, value->dims))
    emitter.require(Relation::eq(dim, arena.constant(extent)), message);
  Scalars s(builder, emitter.loc());
  Type bitsType = builder.getIntegerType(8 * bytesOf(tensor.type));
  for (auto [flat, wanted] : llvm::enumerate(readBits(*value))) {
    SmallVector<Value> at;
    int64_t rest = flat;
    for (int64_t extent : llvm::reverse(value->dims)) {
      at.insert(at.begin(), s.index(rest % extent));
      rest /= extent;
    }
    Value element = s.create<tensor::ExtractOp>(tensor.value, at);
    if (isFloat(tensor.type))
      element = s.create<arith::BitcastOp>(bitsType, element);
    Value index =
        tensor.type == DataType::Bool
            ? s.create<arith::IndexCastUIOp>(builder.getIndexType(), element)
            : s.create<arith::IndexCastOp>(builder.getIndexType(), element);
    AssertOp::create(builder, emitter.loc(), "v == " + std::to_string(wanted),
                     {{"v", index}}, message);
  }
  return value;
}

std::optional<int64_t> GraphImporter::bindExtent(size_t number, int64_t axis) {
  auto [name, tensor] = inputs[number];
  std::shared_ptr<const TensorData> value;
  if (number < options.values.size())
    value = options.values[number];
  if (!value || static_cast<int64_t>(value->dims.size()) != tensor.rank()) {
    needsValues |= !value;
    (void)fail("expected the extents of input '" + name +
               "' to be given, for the program depends on one");
    return std::nullopt;
  }
  emitter.require(
      Relation::eq(tensor.dims[axis], arena.constant(value->dims[axis])),
      "the ranks of the model are those for one extent of input '" + name +
          "'");
  return value->dims[axis];
}

std::optional<bool> GraphImporter::boolInFirstCall(size_t input) {
  likesValues |= options.values.empty();
  if (input >= options.values.size() || !options.values[input] ||
      options.values[input]->bytes.size() != 1)
    return std::nullopt;
  return options.values[input]->bytes.front() != 0;
}

std::optional<int64_t> GraphImporter::inFirstCall(Expr e) {
  DenseMap<Expr, int64_t> values;
  for (auto [input, value] : llvm::zip(inputs, options.values))
    if (value)
      for (auto [dim, extent] : llvm::zip(input.second.dims, value->dims))
        values.insert({dim, extent});
  likesValues |= options.values.empty();
  auto evaluation =
      arena.evaluate(e, [&](Expr symbol) -> std::optional<int64_t> {
        auto it = values.find(symbol);
        if (it == values.end())
          return std::nullopt;
        return it->second;
      });
  if (evaluation.status != Evaluation::Value)
    return std::nullopt;
  return evaluation.value;
}

bool GraphImporter::removesOpenExtent() {
  if (removes == OpenExtents::NotMet)
    removes = OpenExtents::Kept;
  return removes == OpenExtents::Removed;
}

LogicalResult GraphImporter::addInitializers(const Graph &graph) {
  for (const TensorData &data : graph.initializers) {
    if (bytesOf(data.type) == 0 && data.type != DataType::String)
      return fail("expected initializer '" + data.name +
                  "' to be of a type that symshape has, but got " +
                  nameOf(data.type));
    if (failed(define(data.name,
                      Operand::ofConstant(
                          std::shared_ptr<const TensorData>(model, &data)))))
      return failure();
    trace(data.name, std::nullopt);
  }
  return success();
}

LogicalResult GraphImporter::makeFunction() {
  MLIRContext *context = builder.getContext();
  Location loc = FileLineColLoc::get(context, model->path, 0, 0);
  module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, loc, "main",
                                  builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  emitter.setLoc(loc);
  if (failed(addInitializers(model->graph)) || failed(addInputs()))
    return failure();
  Block &entry = function.getBody().front();
  entryMark = entry.empty() ? nullptr : &entry.back();
  return success();
}

Tensor
GraphImporter::materialise(const std::shared_ptr<const TensorData> &data) {
  auto &[kept, known] = materialised[data.get()];
  if (known)
    return known;
  kept = data;
  if (!elementType(builder.getContext(), data->type)) {
    (void)fail("expected tensor '" + data->name +
               "' to be of a type that symshape has, but got " +
               nameOf(data->type));
    return emitter.constantTensor(
        TensorData{"", DataType::Bool, {}, "\1", {}, {}});
  }
  if (data->bytes.size() < options.weightBytes)
    return known = emitter.constantTensor(*data);
  std::string name = data->name.empty() ? "constant" : escaped(data->name);
  std::string unique = name;
  for (unsigned i = 1; !weightNames.insert(unique).second; ++i)
    unique = name + "#" + std::to_string(i);
  weights.push_back({unique, data});
  SmallVector<Expr, 4> dims;
  for (int64_t dim : data->dims)
    dims.push_back(arena.constant(dim));
  unsigned number = function.getNumArguments();
  StringAttr text = builder.getStringAttr(unique);
  SmallVector<NamedAttribute> attrs{
      builder.getNamedAttr(SymShapeDialect::kName, text),
      builder.getNamedAttr(SymShapeDialect::kWeight, text)};
  if (isUnsigned(data->type))
    attrs.push_back(builder.getNamedAttr(kUnsigned, builder.getUnitAttr()));
  (void)function.insertArgument(number, emitter.typeOf(dims, data->type),
                                builder.getDictionaryAttr(attrs),
                                builder.getUnknownLoc());
  return known = {function.getArgument(number), dims, data->type};
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

LogicalResult GraphImporter::checkLimits(const NodeData &node) {
  for (auto [i, name] : llvm::enumerate(node.inputs)) {
    std::optional<Operand> operand = lookup(name);
    if (!operand || operand->type == DataType::Undefined ||
        operand->kind == Operand::IsSequence ||
        operand->kind == Operand::IsUnknown)
      continue;
    // They are bytes here, which others would round to or wrap as such.
    if (operand->kind == Operand::IsConstant &&
        operand->constant->narrowBits != 0 && node.opType != "DequantizeLinear")
      return fail("expected integers of 2 or 4 bits to be read by "
                  "DequantizeLinear alone");
    if (std::string types = otherOperandTypes(node.opType, i, operand->type);
        !types.empty())
      return fail("expected operand #" + Twine(i) + " to be of " + types +
                  ", but got " + nameOf(operand->type));
    size_t other = operandOfSameType(node.opType, i);
    std::optional<Operand> like = lookup(node.inputs[other]);
    if (other != i && like && like->type != operand->type &&
        like->type != DataType::Undefined &&
        like->kind != Operand::IsSequence && like->kind != Operand::IsUnknown)
      return fail("expected operands #" + Twine(other) + " and #" + Twine(i) +
                  " to be of one type, but got " + nameOf(like->type) +
                  " and " + nameOf(operand->type));
    if (auto rank = requiredRank(node.opType, opset(), i))
      if (auto dims = operand->extents(arena);
          dims && static_cast<int64_t>(dims->size()) != *rank)
        return fail("expected operand #" + Twine(i) + " to be of rank " +
                    Twine(*rank) + ", but got rank " + Twine(dims->size()));
  }
  if (std::string fault = describeAttributeFault(node, opset()); !fault.empty())
    return fail(fault);
  return success();
}

LogicalResult GraphImporter::importNode(const NodeData &original) {
  std::string place = describe(original);
  std::string outer =
      std::exchange(where, where.empty() ? place : where + " > " + place);
  Location loc = NameLoc::get(
      builder.getStringAttr(where),
      FileLineColLoc::get(builder.getContext(), model->path, 0, 0));
  Location outerLoc = emitter.loc();
  emitter.setLoc(loc);
  auto restore = llvm::scope_exit([&] {
    where = outer;
    emitter.setLoc(outerLoc);
  });
  if (!original.cycle.empty())
    return failForGood(
        "expected nodes without a cycle, but '" + original.cycle +
        "', which this node reads, is computed from its results");
  // Functions that call functions stand for many more nodes than a file holds.
  constexpr unsigned mostNodes = 1 << 18;
  if (++numImported > mostNodes)
    return failForGood("expected a model that stands for at most " +
                       Twine(mostNodes) + " nodes");
  const NodeData *data = &original;
  if (canonicalDomain(original.domain).empty()) {
    if (failed(checkLimits(original)))
      return failure();
    auto addConstant = [&](TensorData constant) {
      std::string name = "\1" + std::to_string(normalised.size()) + "." +
                         std::to_string(scopes.back().size());
      StringRef kept = builder.getStringAttr(name).getValue();
      (void)define(kept, Operand::ofConstant(std::make_shared<TensorData>(
                             std::move(constant))));
      return kept;
    };
    if (auto changed = normalise(original, opset(), addConstant)) {
      normalised.push_back(std::move(*changed));
      data = &normalised.back();
    }
  }
  Block *block = builder.getInsertionBlock();
  Operation *last = builder.getInsertionPoint() == block->begin()
                        ? nullptr
                        : &*std::prev(builder.getInsertionPoint());
  bool isDefined = llvm::any_of(data->outputs, [&](StringRef name) {
    return scopes.back().contains(name);
  });
  if (succeeded(importOp(*data)) && succeeded(verifySince(block, last)))
    return success();
  return isDefined ? failure() : importOpen(*data, block, last);
}

/// What is wrong with an op, in the words of MLIR; empty if nothing is.
static std::string describeFault(Operation *op) {
  std::string fault;
  ScopedDiagnosticHandler handler(op->getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    if (fault.empty())
                                      fault = diagnostic.str();
                                    return success();
                                  });
  if (failed(verify(op)) && fault.empty())
    fault = "an invalid op";
  return fault;
}

/// Definitions leave it to the ops that they make to verify operands: static
/// extents that contradict each other, types of elements. So no definition can
/// make an invalid program.
LogicalResult GraphImporter::verifySince(Block *block, Operation *last) {
  auto it = last ? std::next(last->getIterator()) : block->begin();
  llvm::Regex extents("dimension #[0-9]+ to be ([0-9]+), but found ([0-9]+)");
  SmallVector<StringRef> found;
  for (Operation &op : llvm::make_range(it, block->end()))
    if (std::string fault = describeFault(&op); !fault.empty()) {
      if (std::string broken = emitter.takeBroken(); !broken.empty())
        return fail(broken);
      return fail(extents.match(fault, &found)
                      ? "expected equal extents, but got " + found[1].str() +
                            " and " + found[2].str()
                      : "expected operands that fit the op, but got: " + fault);
    }
  return success();
}

LogicalResult GraphImporter::importOp(const NodeData &data, bool isOpen) {
  std::vector<Operand> operands;
  for (StringRef name : data.inputs) {
    if (name.empty()) {
      operands.emplace_back();
      continue;
    }
    std::optional<Operand> found = lookup(name);
    if (!found)
      return failForGood("expected a value '" + name +
                         "' before this node, but there is none");
    if (found->kind == Operand::IsUnknown)
      return fail("nothing is known of '" + name + "'");
    operands.push_back(isOpen ? open(std::move(*found)) : std::move(*found));
  }
  if (const Function *callee = findFunction(data))
    return callFunction(data, *callee, operands);
  const Definition *definition = findDefinition(data);
  if (!definition)
    return fail("expected an op that has a definition");
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand.kind == Operand::IsConstant &&
        !elementType(builder.getContext(), operand.type))
      return fail("expected input #" + Twine(i) +
                  " to be of a type that symshape has, but got " +
                  nameOf(operand.type));
  Node node(*this, data, std::move(operands));
  for (unsigned i = 0; i < definition->minInputs; ++i)
    if (!node.has(i))
      return fail("expected at least " + Twine(definition->minInputs) +
                  " inputs, but input #" + Twine(i) + " is left out");
  bool isStandard = canonicalDomain(data.domain).empty();
  (void)emitter.takeBroken();
  LogicalResult emitted =
      isStandard && followSizes(node) ? success() : definition->emit(node);
  if (std::string fault = emitter.takeFault(); !fault.empty()) {
    // What the op requires is plainer than what does not fit.
    std::string broken = emitter.takeBroken();
    return node.fail(broken.empty() ? fault : broken);
  }
  if (failed(emitted))
    return fail("cannot be imported"); // unless there is a reason already
  if (isStandard)
    keepExactFloats(node, [&](size_t i) -> Operand * {
      if (i >= data.outputs.size())
        return nullptr;
      auto it = scopes.back().find(data.outputs[i]);
      return it == scopes.back().end() ? nullptr : &it->second;
    });
  for (StringRef name : data.outputs)
    if (!name.empty() && !scopes.back().contains(name) && !hasEnded)
      return fail("expected no use of output '" + name +
                  "', which is not supported");
  return error.empty() ? success() : failure();
}

LogicalResult GraphImporter::importNodes(ArrayRef<NodeData> nodes) {
  for (const NodeData &node : nodes)
    if (failed(importNode(node)))
      return failure();
  return success();
}

/// Whether a node at any depth refers to an attribute of the function around.
static bool refersToAttributes(ArrayRef<NodeData> nodes) {
  return llvm::any_of(nodes, [](const NodeData &node) {
    return llvm::any_of(node.attributes, [](const AttributeData &attribute) {
      return !attribute.reference.empty() ||
             (attribute.graph && refersToAttributes(attribute.graph->nodes));
    });
  });
}

/// What nodes refer to by name, at any depth, replaced by what `lists` say, the
/// first that does; left out where none does. Graphs that change are copies,
/// and kept.
static void bindAttributes(std::vector<NodeData> &nodes,
                           ArrayRef<const std::vector<AttributeData> *> lists,
                           std::vector<std::shared_ptr<const Graph>> &kept) {
  for (NodeData &node : nodes) {
    std::vector<AttributeData> bound;
    for (AttributeData &attribute : node.attributes) {
      if (attribute.reference.empty()) {
        if (attribute.graph && refersToAttributes(attribute.graph->nodes)) {
          attribute.graph = std::make_shared<Graph>(*attribute.graph);
          bindAttributes(attribute.graph->nodes, lists, kept);
          kept.push_back(attribute.graph);
        }
        bound.push_back(std::move(attribute));
        continue;
      }
      for (const auto *list : lists) {
        auto it = llvm::find_if(*list, [&](const AttributeData &given) {
          return given.name == attribute.reference;
        });
        if (it == list->end())
          continue;
        bound.push_back(*it);
        bound.back().name = attribute.name;
        break;
      }
    }
    node.attributes = std::move(bound);
  }
}

LogicalResult GraphImporter::callFunction(const NodeData &node,
                                          const Function &callee,
                                          ArrayRef<Operand> operands) {
  if (callStack.size() > 32)
    return fail("expected functions that call each other at most 32 deep");
  // Attributes of the node replace those that the body refers to.
  std::vector<NodeData> body = callee.nodes;
  bindAttributes(body, {&node.attributes, &callee.defaults}, boundGraphs);
  // A function sees nothing of its caller.
  llvm::SaveAndRestore outer(mainNode, std::optional<size_t>());
  std::vector<Scope> callers = std::exchange(scopes, {});
  scopes.emplace_back();
  opsets.push_back(callee.opsets);
  callStack.push_back(callee.name);
  LogicalResult done = success();
  for (auto [i, name] : llvm::enumerate(callee.inputs))
    if (succeeded(done) && i < operands.size())
      done = define(name, operands[i]);
    else if (succeeded(done))
      done = define(name, Operand());
  if (succeeded(done))
    done = importNodes(body);
  std::vector<Operand> results;
  for (StringRef name : callee.outputs)
    if (succeeded(done)) {
      std::optional<Operand> result = lookup(name);
      if (!result)
        done = fail("expected function '" + callee.name + "' to define '" +
                    name + "'");
      else
        results.push_back(std::move(*result));
    }
  callStack.pop_back();
  opsets.pop_back();
  scopes = std::move(callers);
  if (failed(done))
    return failure();
  for (auto [i, name] : llvm::enumerate(node.outputs))
    if (i >= results.size())
      return fail("expected a function with more than " + Twine(i) +
                  " outputs");
    else if (failed(define(name, results[i])))
      return failure();
  return success();
}

std::optional<std::vector<Operand>>
GraphImporter::importBody(const Graph &graph, ArrayRef<Operand> inputs,
                          bool mayNotRun) {
  llvm::SaveAndRestore outer(mainNode, std::optional<size_t>());
  scopes.emplace_back();
  numUnsure += mayNotRun;
  auto restore = llvm::scope_exit([&] {
    scopes.pop_back();
    numUnsure -= mayNotRun;
  });
  for (auto [info, operand] : llvm::zip(graph.inputs, inputs))
    if (failed(define(info.name, operand)))
      return std::nullopt;
  for (const TensorData &data : graph.initializers)
    if (!scopes.back().contains(data.name) &&
        failed(define(data.name,
                      Operand::ofConstant(
                          std::shared_ptr<const TensorData>(model, &data)))))
      return std::nullopt;
  if (failed(importNodes(graph.nodes)))
    return std::nullopt;
  traceBody(graph);
  std::vector<Operand> results;
  for (const ValueInfo &output : graph.outputs) {
    std::optional<Operand> result = lookup(output.name);
    if (!result) {
      (void)fail("expected the body to define '" + output.name + "'");
      return std::nullopt;
    }
    results.push_back(std::move(*result));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

LogicalResult GraphImporter::returnOutputs() {
  SmallVector<Value> values;
  SmallVector<DataType> types;
  SmallVector<StringRef> named;
  for (const ValueInfo &output : model->graph.outputs) {
    std::optional<Operand> found = lookup(output.name);
    if (!found)
      return failForGood("expected the graph to define output '" + output.name +
                         "'");
    if (found->kind == Operand::IsUnknown)
      continue;
    named.push_back(output.name);
    NodeData none;
    Node node(*this, none, {std::move(*found)});
    if (node.operand(0).kind == Operand::IsSequence ||
        node.operand(0).kind == Operand::Absent)
      return fail(
          "expected output '" + output.name + "' to be a tensor, but got " +
          nameOf(node.has(0) ? TypeInfo::Sequence : TypeInfo::Optional));
    Tensor tensor = node.tensor(0);
    if (!error.empty())
      return failure();
    hasOtherRanks |=
        output.type.hasShape &&
        static_cast<int64_t>(output.type.dims.size()) != tensor.rank();
    values.push_back(tensor.value);
    types.push_back(tensor.type);
  }
  func::ReturnOp::create(builder, function.getLoc(), values);
  SmallVector<Type> results;
  for (Value value : values)
    results.push_back(value.getType());
  function.setFunctionType(
      builder.getFunctionType(function.getFunctionType().getInputs(), results));
  for (auto [i, type] : llvm::enumerate(types)) {
    function.setResultAttr(i, SymShapeDialect::kName,
                           builder.getStringAttr(escaped(named[i])));
    if (isUnsigned(type))
      function.setResultAttr(i, kUnsigned, builder.getUnitAttr());
  }
  return success();
}

llvm::Expected<ImportedModel> GraphImporter::run() {
  scopes.emplace_back();
  opsets.push_back(model->opsets);
  auto work = [&]() -> LogicalResult {
    std::vector<UnknownOp> unknownOps = listUnknownOps();
    if (traced)
      traced->unknownOps = unknownOps;
    if (!tolerant && !unknownOps.empty())
      return fail(describeUnknownOps(unknownOps));
    if (failed(makeFunction()) || failed(importGraphNodes()) ||
        failed(returnOutputs()))
      return failure();
    finishTrace();
    return success();
  };
  if (failed(work()) && needsValues)
    return llvm::make_error<NeedsValues>(error);
  if (error.empty())
    if (std::string fault = describeFault(*module); !fault.empty())
      error = "'" + model->path +
              "': internal error: the imported program is invalid: " + fault;
  if (!error.empty())
    return llvm::createStringError(error);
  return ImportedModel{std::move(module), std::move(weights), std::move(names),
                       std::move(traced), likesValues};
}
