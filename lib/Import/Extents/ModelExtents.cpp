//===- ModelExtents.cpp - Extents of the values of a model ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the trace of an import and the analysis of what was imported.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/Extents/ModelExtents.h"
#include "../ONNX/Given.h"
#include "../ONNX/GraphImporter.h"
#include "../ONNX/Signature.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/IR/Places.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Process/Files.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static llvm::Error expected(const Twine &what, StringRef got) {
  return llvm::createStringError("expected " + what + ", but got '" +
                                 escaped(got) + "'");
}

llvm::Expected<ExtentOptions::NameRange>
mlir::symshape::onnx::parseNameRange(StringRef text) {
  auto [name, range] = text.rsplit('=');
  auto [low, high] = range.split(':');
  ExtentOptions::NameRange result{name.str(), std::nullopt, std::nullopt};
  if (!range.contains(':'))
    high = low;
  auto read = [](StringRef digits, std::optional<int64_t> &end) {
    int64_t value;
    if (digits.empty())
      return true;
    if (digits.getAsInteger(10, value))
      return false;
    end = value;
    return true;
  };
  if (name.empty() || range.empty() || !read(low, result.min) ||
      !read(high, result.max))
    return expected("NAME=MIN:MAX", text);
  if (result.min && result.max && *result.min > *result.max)
    return expected("NAME=MIN:MAX with MIN <= MAX", text);
  return result;
}

llvm::Error
mlir::symshape::onnx::parseNameValue(StringRef text,
                                     llvm::StringMap<int64_t> &values) {
  auto [name, digits] = text.rsplit('=');
  int64_t value;
  if (name.trim().empty() || digits.trim().getAsInteger(10, value) || value < 0)
    return expected("NAME=NUMBER", text);
  auto [it, isNew] = values.try_emplace(name.trim(), value);
  if (!isNew && it->second != value)
    return expected("one number for each name", text);
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::string>>
mlir::symshape::onnx::readFacts(StringRef path) {
  auto file = readPlainFile(path, /*isText=*/true);
  if (!file)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + llvm::toString(file.takeError()));
  std::vector<std::string> facts;
  for (llvm::line_iterator line(**file, /*SkipBlanks=*/true, '#');
       !line.is_at_end(); ++line)
    if (StringRef fact = line->split('#').first.trim(); !fact.empty())
      facts.push_back(fact.str());
  return facts;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string mlir::symshape::onnx::describeNode(const Model &model,
                                               const KnownValue &value) {
  const Graph &graph = value.graph ? *value.graph : model.graph;
  return describe(graph.nodes[*value.node]);
}

Expr ModelExtents::parse(StringRef text) {
  auto symbol = [&](StringRef name) {
    auto it = fixed.find(name);
    return it == fixed.end() ? arena().symbol(names().symbolOf(name))
                             : arena().constant(it->second);
  };
  if (names().isKnown(text) || isDimName(text))
    return symbol(text);
  Expr e = parseDimText(arena(), text, symbol);
  return e ? e : symbol(text);
}

Expr ModelExtents::parse(const Dimension &dim) {
  if (dim.value)
    return *dim.value < 0 ? Expr() : arena().constant(*dim.value);
  StringRef text = dim.param.trim();
  return isAnonymous(text) ? Expr() : parse(text);
}

bool ModelExtents::isOverInputs(Expr e) const {
  return llvm::all_of(e.symbols(), [&](Expr symbol) {
    const SymbolDef *def = functionShapes->definition(symbol);
    return def && def->backed;
  });
}

bool ModelExtents::isNamedByAuthor(Expr e) const {
  return llvm::all_of(e.symbols(), [&](Expr symbol) {
    return functionShapes->definition(symbol) &&
           imported.names.isWritten(*symbol.asSymbol());
  });
}

std::string ModelExtents::text(Expr e) {
  auto spell = [&](Expr symbol) -> Expr {
    bool isInternal = symbol.asSymbol()->starts_with("%");
    auto it = given.find(symbol);
    if (it == given.end() && isInternal)
      it = given.try_emplace(symbol, arena().symbol(names().makeFresh())).first;
    return it == given.end() ? Expr() : it->second;
  };
  auto name = [&](StringRef symbol) {
    Expr spelled = spell(arena().symbol(symbol));
    StringRef final = spelled ? *spelled.asSymbol() : symbol;
    StringRef written = names().textOf(final);
    // Text that is not a name of the syntax stands alone, or is respelled.
    return (isDimName(written) || e.asSymbol() ? written : final).str();
  };
  auto isBroadcast = [&](Expr a, Expr b) {
    return facts().isProvably(Relation::eq(arena().bc(a, b), arena().bc(b, a)));
  };
  return printDimText(e, name, isBroadcast);
}

std::string ModelExtents::text(const KnownValue &value) {
  if (!value.isKnown)
    return "unknown";
  std::string result = "[";
  for (auto [i, dim] : llvm::enumerate(value.dims)) {
    std::string extent = dim ? text(dim) : "";
    result += (i ? ", " : "") + (extent.empty() ? "?" : escaped(extent));
  }
  return result + "]";
}

bool ModelExtents::skips(ImportTrace::Skipped::Cause cause) const {
  return llvm::any_of(skipped(), [&](const ImportTrace::Skipped &each) {
    return each.cause == cause;
  });
}

std::string ModelExtents::describeOpen(Expr symbol) {
  const SymbolDef *def = shapes().definition(symbol);
  if (!def || !def->value)
    return "a value of the program";
  Operation *op = def->value.getDefiningOp();
  for (; op && op != shapes().function(); op = op->getParentOp())
    if (auto place = op->getLoc()->findInstanceOf<NameLoc>())
      return escaped(place.getName());
  return shapes().describeSymbol(symbol);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Expr ModelExtents::simplify(Expr e) {
  if (e.isConstant())
    return e;
  Expr &result = simplified[e];
  if (result)
    return result;
  result = e;
  if (isPossible()) {
    Expr less = facts().simplify(e);
    auto isFit = [&](Expr x) { return isNamedByAuthor(x); };
    if (less.isConstant() || isFit(less) || (isOverInputs(less) && !isFit(e)) ||
        !isOverInputs(e))
      result = less;
  }
  return result;
}

const KnownValue *ModelExtents::find(StringRef name) const {
  auto it = numbers.find(name);
  return it == numbers.end() ? nullptr : &known[it->second];
}

Expr ModelExtents::translate(Expr e) {
  if (!e)
    return Expr();
  ParseError error;
  Expr moved = arena().parse(e.str(), error);
  if (!moved)
    return Expr();
  bool isKnown = true;
  Expr result = arena().substitute(moved, [&](Expr symbol) {
    Value value = trace().symbolValues.lookup(*symbol.asSymbol());
    isKnown &= static_cast<bool>(value);
    return value ? shapes().value(value) : Expr();
  });
  return isKnown ? simplify(result) : Expr();
}

std::optional<SmallVector<Expr, 4>> ModelExtents::elements(StringRef name) {
  auto it = numbers.find(name);
  if (it == numbers.end())
    return std::nullopt;
  const Operand &operand = trace().values[it->second].operand;
  if (operand.kind != Operand::IsList && operand.kind != Operand::IsTable)
    return std::nullopt;
  SmallVector<Expr, 4> result;
  for (Expr e : operand.list)
    result.push_back(translate(e));
  return result;
}

/// Whether a value, perhaps cast, comes from a call: of an unknown node.
static bool isOfCall(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  return value.getDefiningOp<func::CallOp>() != nullptr;
}

void ModelExtents::readValues() {
  for (auto [number, entry] : llvm::enumerate(trace().values)) {
    KnownValue value;
    value.name = entry.name;
    value.node = entry.node;
    value.type = entry.operand.type;
    value.isStored = !entry.node && entry.operand.kind == Operand::IsConstant;
    const Operand &operand = entry.operand;
    if (operand.kind == Operand::IsTensor) {
      value.isKnown = true;
      for (int64_t d = 0; d < operand.tensor.rank(); ++d) {
        value.dims.push_back(simplify(shapes().dim(operand.tensor.value, d)));
        // The extent of what an unknown node makes is a name of its own, though
        // somebody may have said what it is.
        Expr said = isOfCall(operand.tensor.value)
                        ? translate(operand.tensor.dims[d])
                        : Expr();
        if (said && isOverInputs(said))
          value.dims.back() = said;
      }
    } else if (auto dims = operand.extents(arena())) {
      value.isKnown = true;
      value.dims = std::move(*dims);
    }
    numbers.try_emplace(value.name, number);
    known.push_back(std::move(value));
  }
}

const KnownValue *ModelExtents::findInner(const Graph &graph,
                                          StringRef name) const {
  auto it = innerNumbers.find({&graph, name});
  return it == innerNumbers.end() ? nullptr : &inner[it->second];
}

/// An inner extent that is one of the main graph, or a number, is the same each
/// time that the body runs: its parts are computed outside, once. If a body was
/// imported several times, only what all imports agree on is kept.
void ModelExtents::readInnerValues() {
  for (const ImportTrace::Inner &entry : trace().inner) {
    KnownValue value;
    value.name = entry.name;
    value.graph = entry.graph;
    value.node = entry.node;
    value.type = entry.type;
    value.isKnown = true;
    for (Expr dim : entry.dims)
      value.dims.push_back(translate(dim));
    auto [it, isNew] =
        innerNumbers.try_emplace({entry.graph, entry.name}, inner.size());
    if (isNew) {
      inner.push_back(std::move(value));
      continue;
    }
    KnownValue &first = inner[it->second];
    first.isKnown &=
        first.type == value.type && first.dims.size() == value.dims.size();
    if (first.isKnown)
      for (auto [dim, other] : llvm::zip(first.dims, value.dims))
        dim = dim == other ? dim : Expr();
  }
}

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

llvm::Expected<Relation> ModelExtents::parseRelation(StringRef text) {
  static const std::pair<StringRef, Relation (*)(Expr, Expr)> operators[] = {
      {"==", Relation::eq},    {"!=", Relation::ne}, {"<=", Relation::le},
      {">=", Relation::ge},    {"<", Relation::lt},  {">", Relation::gt},
      {"|", Relation::divides}};
  // Names are those of the inputs; the analysis comes later.
  ExprArena &exprs = *trace().arena;
  auto read = [&](StringRef side) {
    return parseDimText(exprs, side, [&](StringRef name) {
      return names().isKnown(name) ? exprs.symbol(names().symbolOf(name))
                                   : Expr();
    });
  };
  for (auto [sign, make] : operators) {
    if (!text.contains(sign))
      continue;
    auto [left, right] = text.split(sign);
    Expr a = read(left), b = read(right);
    if (a && b)
      return make(a, b);
    break;
  }
  return expected("a relation between names of inputs" +
                      listNames(model().getInputs()),
                  text);
}

llvm::Error ModelExtents::declare(const ExtentOptions &options) {
  auto function = *imported.module->getOps<func::FuncOp>().begin();
  MLIRContext *context = function.getContext();
  SmallVector<FactAttr> facts;
  for (const std::string &text : options.facts) {
    auto relation = parseRelation(text);
    if (!relation)
      return relation.takeError();
    facts.push_back(FactAttr::get(context, relation->str()));
  }
  addAssumptions(function, facts);
  SmallVector<Attribute> symbols;
  for (const ExtentOptions::NameRange &range : options.ranges) {
    if (!names().isKnown(range.name))
      return expected("a name in the extents of the inputs" +
                          listNames(model().getInputs()),
                      range.name);
    symbols.push_back(SymbolAttr::get(context, names().symbolOf(range.name),
                                      range.min.value_or(0), range.max, 1, 0,
                                      SymbolPolicy::Auto, {}));
  }
  if (!symbols.empty())
    function->setAttr(SymShapeDialect::kSymbols,
                      ArrayAttr::get(context, symbols));
  return llvm::Error::success();
}

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerImportDialects(registry);
  registerShapeFactsExternalModels(registry);
  return registry;
}

ModelExtents::ModelExtents()
    : context(makeRegistry(), MLIRContext::Threading::DISABLED) {}
ModelExtents::~ModelExtents() = default;

llvm::Expected<std::unique_ptr<ModelExtents>>
ModelExtents::infer(std::shared_ptr<const Model> model,
                    const ExtentOptions &options) {
  ImportOptions importOptions;
  importOptions.trace = true;
  importOptions.extents = options.values;
  importOptions.ops = options.ops;
  importOptions.results = options.results;
  std::unique_ptr<ModelExtents> result(new ModelExtents);
  auto imported = importModel(model, &result->context, importOptions);
  if (!imported)
    return imported.takeError();
  result->fixed = options.values;
  result->file = std::move(model);
  result->imported = std::move(*imported);
  if (llvm::Error error = result->declare(options))
    return std::move(error);
  ModuleOp module = *result->imported.module;
  if (failed(mlir::verify(module)))
    return llvm::createStringError("expected facts that fit the model");
  result->analysis = std::make_unique<ShapeAnalysis>(module);
  result->functionShapes =
      result->analysis->lookup(*module.getOps<func::FuncOp>().begin());
  result->guards = planGuards(*result->functionShapes);
  result->readValues();
  result->readInnerValues();
  return result;
}
