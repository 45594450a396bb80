//===- ReportGraph.cpp - The ops of a function, for a report --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportGraph.h"
#include "symshape/Pipelines/OpCosts.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "symshape/IR/Places.h"
#include "symshape/IR/SymShape.h"
#include "llvm/Support/ScopedPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::symshape;
namespace json = llvm::json;

// Elements of a constant that the printed text shows.
static constexpr int64_t kMaxShownElements = 16;

// Names of ops of a body that an op shows.
static constexpr size_t kMaxShownBody = 6;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ReportSource::ReportSource(ModuleOp module, StringRef given)
    : text(given), isPrinted(given.empty()) {
  if (auto place = module.getLoc()->findInstanceOf<FileLineColLoc>())
    file = place.getFilename().str();
  if (!isPrinted) {
    module.walk([&](Operation *op) {
      auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
      if (place && place.getFilename().getValue() == file)
        lines[op] = place.getLine();
    });
    return;
  }
  AsmState::LocationMap places;
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(kMaxShownElements);
  flags.elideLargeResourceString(kMaxShownElements);
  AsmState state(module, flags, &places);
  llvm::raw_string_ostream os(text);
  module.print(os, state);
  for (auto [op, place] : places)
    lines[op] = place.first;
}

unsigned ReportSource::lineOf(Operation *op) const { return lines.lookup(op); }

json::Object ReportSource::describe() const {
  return json::Object{{"file", json::fixUTF8(file)},
                      {"isPrinted", isPrinted},
                      {"text", json::fixUTF8(text)}};
}

//===----------------------------------------------------------------------===//
// Graph
//===----------------------------------------------------------------------===//

/// Whether a graph shows what the region does: it has a value with a shape, or
/// a call. Bodies that compute elements do not.
static bool isShown(Region &region) {
  return region
      .walk([](Operation *op) {
        auto isShaped = [](Type type) { return isa<ShapedType>(type); };
        bool isSeen = isa<func::CallOp>(op) ||
                      llvm::any_of(op->getResultTypes(), isShaped);
        return isSeen ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether an op only serves others: numbers, and what has no contents.
static bool isMinor(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<AssertOp>(op))
    return true;
  StringRef name = op->getName().getStringRef();
  if (name == "tensor.empty" || name == "bufferization.alloc_tensor" ||
      name == "cf.assert")
    return true;
  return op->getNumResults() != 0 && !isa<func::CallOp>(op) &&
         llvm::none_of(op->getRegions(), isShown) &&
         llvm::none_of(op->getResultTypes(),
                       [](Type type) { return isa<ShapedType>(type); });
}

/// The ops that compute an element, each once.
static json::Array namesInBody(Operation *op) {
  llvm::SetVector<StringRef> names;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      if (!inner->hasTrait<OpTrait::IsTerminator>() &&
          !inner->hasTrait<OpTrait::ConstantLike>())
        names.insert(inner->getName().getStringRef());
    });
  json::Array shown;
  for (StringRef name : names.getArrayRef().take_front(kMaxShownBody))
    shown.push_back(name);
  return shown;
}

ReportGraph::ReportGraph(FunctionShapes &shapes, const ReportSource &source,
                         ExprTable &table)
    : shapes(shapes), source(source), table(table),
      writer(table, [this](Expr symbol) { return writeSymbol(symbol); }) {
  for (BlockArgument argument : shapes.function().getArguments())
    addValue(argument);
  shapes.function().getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    addOp(op);
    // `walk` cannot leave out one region of several.
    return llvm::any_of(op->getRegions(), isShown) ? WalkResult::advance()
                                                   : WalkResult::skip();
  });
  numInGraph = symbols.size();
}

unsigned ReportGraph::writeSymbol(Expr symbol) {
  symbols.insert(symbol);
  return table.add(spellSymbol(shapes, symbol));
}

json::Array ReportGraph::dimsOf(Value value) {
  json::Array dims;
  auto type = dyn_cast<ShapedType>(value.getType());
  for (int64_t d = 0, rank = type && type.hasRank() ? type.getRank() : 0;
       d < rank; ++d)
    dims.push_back(writer.write(shapes.dim(value, d)));
  return dims;
}

unsigned ReportGraph::addValue(Value value) {
  auto [it, isNew] = valueIndices.try_emplace(value, values.size());
  if (!isNew)
    return it->second;
  json::Object object{{"type", llvm::to_string(value.getType())}};
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == &shapes.function().front()) {
    object["argument"] = argument.getArgNumber();
    if (value.getType().isIntOrIndex())
      object["value"] = writer.write(shapes.value(value));
  }
  auto type = dyn_cast<ShapedType>(value.getType());
  if (type && type.hasRank()) {
    json::Array extents;
    for (int64_t d = 0; d < type.getRank(); ++d)
      extents.push_back(spellExtent(shapes, value, d));
    object["extents"] = std::move(extents);
    object["dims"] = dimsOf(value);
  }
  values.push_back(std::move(object));
  return it->second;
}

json::Array ReportGraph::indicesOf(ValueRange list) {
  json::Array indices;
  for (Value value : list)
    indices.push_back(addValue(value));
  return indices;
}

/// Extents or the value of each operand of a call.
json::Array ReportGraph::describePassed(func::CallOp call) {
  json::Array passed;
  for (Value operand : call.getOperands()) {
    json::Object one;
    if (isa<ShapedType>(operand.getType()))
      one["dims"] = dimsOf(operand);
    else if (operand.getType().isIntOrIndex())
      one["value"] = writer.write(shapes.value(operand));
    passed.push_back(std::move(one));
  }
  return passed;
}

void ReportGraph::addOp(Operation *op) {
  bool isPlain = !op->hasTrait<OpTrait::IsTerminator>() ||
                 op->getParentOp() == shapes.function();
  json::Object object{{"name", op->getName().getStringRef()},
                      {"operands", indicesOf(op->getOperands())},
                      {"results", indicesOf(op->getResults())}};
  if (std::string place = describePlace(op->getLoc()); !place.empty())
    object["at"] = json::fixUTF8(place);
  if (unsigned line = source.lineOf(op))
    object["line"] = line;
  // A node of a model, which becomes several ops.
  if (auto node = op->getLoc()->findInstanceOf<NameLoc>())
    if (auto place = dyn_cast<FileLineColLoc>(node.getChildLoc());
        place && place.getLine() == 0)
      object["node"] = json::fixUTF8(node.getName().getValue());
  if (auto parent = opIndices.find(op->getParentOp());
      parent != opIndices.end())
    object["parent"] = parent->second;
  if (op->getParentOfType<LoopLikeOpInterface>())
    object["isRepeated"] = true;
  if (auto call = dyn_cast<func::CallOp>(op)) {
    object["callee"] = call.getCallee();
    object["passed"] = describePassed(call);
  }
  if (isMinor(op) || !isPlain)
    object["isMinor"] = true;
  // What has shown regions costs what these do.
  bool isWhole = llvm::none_of(op->getRegions(), isShown);
  if (isWhole && op->getNumRegions() != 0)
    object["body"] = namesInBody(op);
  if (isWhole && isPlain && !isa<func::CallOp, func::ReturnOp>(op)) {
    if (Expr bytes = bytesOf(shapes, op))
      object["bytes"] = writer.write(bytes);
    Expr flop = flopOf(shapes, op);
    object["flop"] = flop ? json::Value(writer.write(flop)) : nullptr;
  }
  opIndices[op] = ops.size();
  ops.push_back(std::move(object));
}

std::optional<unsigned> ReportGraph::indexOf(Operation *op) const {
  for (; op; op = op->getParentOp())
    if (auto it = opIndices.find(op); it != opIndices.end())
      return it->second;
  return std::nullopt;
}

json::Object ReportGraph::take() {
  return json::Object{{"ops", std::move(ops)}, {"values", std::move(values)}};
}

/// `symshape.bind_shape` with a new name for each dim of `value` that has none.
static std::string lineToWrite(FunctionShapes &shapes, Value value) {
  std::string line;
  llvm::raw_string_ostream os(line);
  os << "%named = symshape.bind_shape %value [";
  unsigned numNew = 0;
  for (int64_t d = 0, rank = cast<ShapedType>(value.getType()).getRank();
       d < rank; ++d) {
    std::string known = spellExtent(shapes, value, d);
    bool isKnown = !StringRef(known).starts_with("?") &&
                   !StringRef(known).starts_with("<=");
    os << (d ? ", " : "") << (isKnown ? known : "n" + std::to_string(numNew++));
  }
  os << "] : " << value.getType();
  return line;
}

/// Why the analysis gives a dim a symbol of its own.
static std::string whyUnknown(FunctionShapes &shapes, Value value, int64_t dim,
                              Expr symbol) {
  if (llvm::is_contained(shapes.opsWithoutRule(), value.getDefiningOp()))
    return "no rule says what this op gives";
  std::string what = "it is " + shapes.describeSymbol(symbol);
  Extent known = shapes.namedExtent(value, dim);
  if (known.kind == Extent::UpperBound)
    what += ", of which only a bound is known: " + known.expr.str();
  return what;
}

json::Array ReportGraph::describeUnknown() {
  json::Array unknown;
  llvm::SmallDenseSet<Expr> told; // each cause once, where it first shows
  for (auto [op, index] : opIndices) {
    for (OpResult result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      for (int64_t d = 0; d < (type ? type.getRank() : 0); ++d) {
        Expr extent = shapes.dim(result, d);
        auto symbols = extent.symbols();
        auto *cause = llvm::find_if(symbols, [&](Expr symbol) {
          return !shapes.isNamed(symbol) && !isInput(shapes, symbol);
        });
        if (cause == symbols.end() || !told.insert(*cause).second)
          continue;
        json::Object one{
            {"where", "result #" + std::to_string(result.getResultNumber()) +
                          " dim " + std::to_string(d) + " of " +
                          op->getName().getStringRef().str()},
            {"at", json::fixUTF8(describePlace(op->getLoc()))},
            {"why", whyUnknown(shapes, result, d, *cause)},
            {"op", index},
            {"write", lineToWrite(shapes, result)}};
        unknown.push_back(std::move(one));
      }
    }
  }
  return unknown;
}

static json::Value endOf(const std::optional<llvm::DynamicAPInt> &end) {
  if (!end)
    return nullptr;
  return llvm::to_string(*end);
}

json::Array ReportGraph::describeSizes() {
  json::Array sizes;
  for (size_t i = 0; i < symbols.size(); ++i) { // more may be written
    Expr symbol = symbols[i];
    if (!isInput(shapes, symbol) && i >= numInGraph)
      continue;
    const SymbolDef *def = shapes.definition(symbol);
    bool isGiven = isInput(shapes, symbol);
    ConstraintSet &facts = isGiven ? shapes.entryFacts() : shapes.facts();
    symshape::Range range = facts.bounds(symbol);
    symshape::Residue residue = facts.residue(symbol);
    json::Object size{{"name", spellSymbol(shapes, symbol)},
                      {"isInput", isGiven},
                      {"what", def && def->kind == SymbolDef::Solved
                                   ? "solved from an extent"
                                   : shapes.describeSymbol(symbol)},
                      {"min", endOf(range.min)},
                      {"max", endOf(range.max)}};
    if (std::string text = spellForPerson(shapes, symbol);
        text != spellSymbol(shapes, symbol))
      size["text"] = std::move(text);
    if (!residue.isAll()) {
      size["modulus"] = llvm::to_string(residue.modulus);
      size["remainder"] = llvm::to_string(residue.remainder);
    }
    if (!shapes.isNamed(symbol) && def && def->kind == SymbolDef::Dim &&
        isGiven) {
      Extent declared = shapes.extent(def->value, def->dim);
      if (declared.kind == Extent::Exact && declared.expr != symbol)
        size["declared"] = writer.write(declared.expr);
    }
    json::Array likely;
    for (int64_t value : facts.info(symbol).likely)
      likely.push_back(value);
    if (!likely.empty())
      size["likely"] = std::move(likely);
    sizes.push_back(std::move(size));
  }
  return sizes;
}
