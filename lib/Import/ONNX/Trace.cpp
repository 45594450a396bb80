//===- Trace.cpp - What became of the values of a graph -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk over the nodes of the main graph: which value is which tensor or
// list, and what is done about nodes that cannot be imported.
//
//===----------------------------------------------------------------------===//

#include "Given.h"
#include "GraphImporter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

void GraphImporter::trace(StringRef name, std::optional<size_t> node) {
  if (!traced || name.empty())
    return;
  if (std::optional<Operand> operand = lookup(name))
    traced->values.push_back({name, node, std::move(*operand)});
}

/// Keeps only extents of what a body defines: the loop around it may yet be
/// replaced. So those over values that the body computes are left out.
void GraphImporter::traceBody(const Graph &graph) {
  // A body without a place is none of the file.
  if (!traced || !callStack.empty() || graph.offset == 0)
    return;
  auto isOutside = [&](Expr symbol) {
    Value value = emitter.valueOf(symbol);
    if (!value || value.getParentRegion() != &function.getBody())
      return false;
    traced->symbolValues[*symbol.asSymbol()] = value;
    return true;
  };
  auto add = [&](StringRef name, std::optional<size_t> node) {
    auto it = scopes.back().find(name);
    if (name.empty() || it == scopes.back().end())
      return;
    std::optional<SmallVector<Expr, 4>> dims = it->second.extents(arena);
    if (!dims)
      return;
    for (Expr &dim : *dims) {
      if (!llvm::all_of(dim.symbols(), isOutside))
        dim = Expr();
    }
    traced->inner.push_back(
        {name, &graph, node, it->second.type, std::move(*dims)});
  };
  for (const ValueInfo &input : graph.inputs)
    add(input.name, std::nullopt);
  for (auto [number, node] : llvm::enumerate(graph.nodes))
    for (StringRef name : node.outputs)
      add(name, number);
}

void GraphImporter::backTo(Mark mark) {
  if (traced)
    traced->inner.resize(mark.numInner);
  numDecided = mark.numDecided;
  needsValues = mark.needsValues;
  error.clear();
  (void)emitter.takeFault();
}

void GraphImporter::finishTrace() {
  if (!traced)
    return;
  SmallVector<Expr> symbols;
  for (const ImportTrace::Entry &entry : traced->values) {
    for (Expr e : entry.operand.list)
      arena.collectSymbols(e, symbols);
    for (Expr e : entry.operand.tensor.dims)
      arena.collectSymbols(e, symbols);
  }
  for (Expr symbol : symbols)
    if (Value value = emitter.valueOf(symbol))
      traced->symbolValues[*symbol.asSymbol()] = value;
}

LogicalResult GraphImporter::importGraphNodes() {
  Block *block = builder.getInsertionBlock();
  for (auto [number, node] : llvm::enumerate(model->graph.nodes)) {
    Operation *last = block->empty() ? nullptr : &block->back();
    size_t numInner = traced ? traced->inner.size() : 0;
    mainNode = number;
    if (failed(importNode(node))) {
      if (!tolerant || isBroken || failed(skipNode(node, number, last)))
        return failure();
      traced->inner.resize(numInner);
    }
    emitter.keepFacts();
    for (StringRef name : node.outputs)
      trace(name, number);
    if (hasEnded)
      break;
  }
  return success();
}

void GraphImporter::eraseNode(const NodeData &node, Block *block,
                              Operation *last) {
  while (!block->empty() && &block->back() != last) {
    // A constant stands before `last`, unless that is null.
    SmallVector<const TensorData *> gone;
    for (const auto &[data, each] : materialised)
      if (each.second.value.getDefiningOp() == &block->back())
        gone.push_back(data);
    for (const TensorData *data : gone)
      materialised.erase(data);
    block->back().dropAllUses();
    block->back().erase();
  }
  builder.setInsertionPointToEnd(block);
  emitter.forget();
  for (StringRef name : node.outputs)
    scopes.back().erase(name);
}

/// Goes on with results of which nothing is known except, perhaps, what is
/// declared.
LogicalResult GraphImporter::skipNode(const NodeData &node, size_t number,
                                      Operation *last) {
  eraseNode(node, &function.getBody().front(), last);
  bool follows = llvm::any_of(node.inputs, [&](StringRef name) {
    std::optional<Operand> operand = lookup(name);
    return operand && operand->kind == Operand::IsUnknown;
  });
  using Skipped = ImportTrace::Skipped;
  Skipped::Cause cause = follows       ? Skipped::Follows
                         : needsValues ? Skipped::Asks
                                       : Skipped::Refused;
  if (!findDefinition(node) && !findFunction(node)) {
    cause = Skipped::NoDefinition;
    if (giveResults(node, number)) {
      error.clear();
      needsValues = false;
      return success();
    }
  }
  traced->skipped.push_back({number, cause, std::exchange(error, "")});
  needsValues = false;
  if (declareResults(node, number)) {
    traced->declaredOnly.insert(number);
    return success();
  }
  Operand unknown;
  unknown.kind = Operand::IsUnknown;
  for (StringRef name : node.outputs)
    if (failed(define(name, unknown)))
      return failure();
  return success();
}

/// If the model declares types and ranks of all results, gives results of these
/// with unknown extents: those of a function without a body.
bool GraphImporter::declareResults(const NodeData &node, size_t number) {
  SmallVector<Type> types;
  SmallVector<std::pair<StringRef, DataType>> results;
  const Graph &graph = model->graph;
  for (StringRef name : node.outputs) {
    const ValueInfo *declared = nullptr;
    for (const auto *infos : {&graph.values, &graph.outputs})
      for (const ValueInfo &info : *infos)
        if (info.name == name && info.type.kind == TypeInfo::Tensor &&
            info.type.hasShape)
          declared = &info;
    if (name.empty())
      continue;
    Type element =
        declared ? elementType(builder.getContext(), declared->type.element)
                 : Type();
    if (!element)
      return false;
    results.push_back({name, declared->type.element});
    types.push_back(RankedTensorType::get(
        SmallVector<int64_t>(declared->type.dims.size(), ShapedType::kDynamic),
        element));
  }
  func::CallOp call = callUnknown(node, number, types);
  Location outer = emitter.loc();
  emitter.setLoc(call.getLoc());
  for (auto [result, value] : llvm::zip(results, call.getResults()))
    (void)define(result.first, Operand::of(emitter.wrap(value, result.second)));
  emitter.setLoc(outer);
  return true;
}

/// What makes results of which only that is known which is said of them: a call
/// of a function without a body.
func::CallOp GraphImporter::callUnknown(const NodeData &node, size_t number,
                                        ArrayRef<Type> types) {
  Location loc = NameLoc::get(
      builder.getStringAttr(describe(node)),
      FileLineColLoc::get(builder.getContext(), model->path, 0, 0));
  std::string name = "node." + std::to_string(number);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module->getBody());
    func::FuncOp::create(builder, loc, name, builder.getFunctionType({}, types))
        .setPrivate();
  }
  return func::CallOp::create(builder, loc, name, types);
}

//===----------------------------------------------------------------------===//
// Results of which somebody says what they are
//===----------------------------------------------------------------------===//

bool GraphImporter::isGiven(const NodeData &node) const {
  return !options.results.empty() &&
         llvm::all_of(node.outputs, [&](StringRef name) {
           return name.empty() || options.results.contains(name);
         });
}

/// `text` as an expression that has a value here, or the symbol of `extent`
/// itself. A name that nothing binds yet is this extent.
Expr GraphImporter::parseGivenExtent(StringRef text, Value extent) {
  bool isBound = true;
  Expr said = isAnonymous(text)
                  ? Expr()
                  : parseDimText(arena, text, [&](StringRef name) {
                      Expr symbol = arena.symbol(names.symbolOf(name));
                      if (isDimName(text) && !emitter.valueOf(symbol))
                        emitter.bind(symbol, extent);
                      isBound &= emitter.valueOf(symbol) != nullptr;
                      return symbol;
                    });
  if (said && said.isConstant())
    return said;
  Expr own = emitter.bind(extent, "_v");
  if (!said && !isAnonymous(text)) { // as symshape prints it
    ParseError error;
    said = arena.parse(text, error);
    isBound = true;
    for (Expr symbol : said ? said.symbols() : SmallVector<Expr, 4>())
      isBound &= emitter.valueOf(symbol) != nullptr;
  }
  if (!said || !isBound)
    return own;
  emitter.state(Relation::eq(own, said));
  return said;
}

bool GraphImporter::giveResults(const NodeData &node, size_t number) {
  if (!isGiven(node))
    return false;
  SmallVector<Type> types;
  SmallVector<std::pair<StringRef, const GivenResult *>> results;
  for (StringRef name : node.outputs) {
    if (name.empty())
      continue;
    const GivenResult &given = options.results.find(name)->second;
    Type element = elementType(builder.getContext(), given.type);
    if (!element)
      return false;
    SmallVector<int64_t> shape;
    for (StringRef text : given.dims) {
      int64_t extent;
      bool isNumber = !text.getAsInteger(10, extent) && extent >= 0;
      shape.push_back(isNumber ? extent : ShapedType::kDynamic);
    }
    results.push_back({name, &given});
    types.push_back(RankedTensorType::get(shape, element));
  }
  func::CallOp call = callUnknown(node, number, types);
  Location outer = emitter.loc();
  emitter.setLoc(call.getLoc());
  for (auto [result, value] : llvm::zip_equal(results, call.getResults())) {
    SmallVector<Expr, 4> dims;
    auto type = cast<RankedTensorType>(value.getType());
    for (auto [d, text] : llvm::enumerate(result.second->dims))
      dims.push_back(
          type.isDynamicDim(d)
              ? parseGivenExtent(text, tensor::DimOp::create(
                                           builder, call.getLoc(), value, d))
              : arena.constant(type.getDimSize(d)));
    (void)define(result.first,
                 Operand::of(emitter.wrap(value, dims, result.second->type)));
  }
  emitter.setLoc(outer);
  return true;
}
