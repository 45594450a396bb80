//===- Notes.cpp - What an editor shows beside a text ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program is parsed and analysed, and each place in the text that stands
// for a value or an op gets its words.
//
//===----------------------------------------------------------------------===//

#include "Notes.h"
#include "ParsedText.h"
#include "RequirementWords.h"

#include "symshape/IR/DiscardableAttributes.h"
#include "symshape/Pipelines/ReportWords.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::symshape;
namespace lsp = llvm::lsp;

namespace {
/// Makes the notes of one program.
class NoteMaker {
public:
  explicit NoteMaker(ParsedText &parsed)
      : parsed(parsed), analysis(*parsed.module), plans(analysis) {}
  Notes make();

private:
  lsp::Range rangeOf(SMRange range) { return {parsed.sources, range}; }
  lsp::Range rangeOf(Location loc) const;
  void addHover(SMRange range, std::shared_ptr<const std::string> markdown);
  void addDefinition(FunctionShapes &shapes, ValueRange values,
                     const AsmParserState::SMDefinition &definition);
  void addBlocks(FunctionShapes &shapes, Region &region);
  void addOp(FunctionShapes &shapes, Operation *op);
  void addFunction(FunctionShapes &shapes,
                   const AsmParserState::OperationDefinition &definition);
  void addViolation(const Violation &violation);
  void addProblems();

  ParsedText &parsed;
  ShapeAnalysis analysis;
  GuardPlans plans;
  DenseMap<Operation *, std::string> requirements;
  DenseMap<Location, lsp::Range> ranges; ///< of the names of ops
  Notes notes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// `[B, s1 + 1, 16]`, or `= 2*B` of a number; empty for other values.
static std::string spellValue(FunctionShapes &shapes, Value value) {
  if (isa<RankedTensorType, MemRefType>(value.getType())) {
    std::string text = "[";
    for (int64_t d = 0; d < cast<ShapedType>(value.getType()).getRank(); ++d)
      text += (d ? ", " : "") + spellExtent(shapes, value, d);
    return text + "]";
  }
  if (!value.getType().isIndex())
    return "";
  std::string number = spellNumber(shapes, value);
  return number.empty() ? "" : "= " + number;
}

/// Whether the text does not say it already.
static bool isNews(Value value, StringRef spelled) {
  if (auto type = dyn_cast<ShapedType>(value.getType()))
    return !type.hasStaticShape();
  Operation *op = value.getDefiningOp();
  return !spelled.empty() && !(op && op->hasTrait<OpTrait::ConstantLike>());
}

/// The symbols in what is known of a value.
static SmallVector<Expr> symbolsOf(FunctionShapes &shapes, Value value) {
  SmallVector<Expr> symbols;
  if (value.getType().isIndex()) {
    shapes.arena().collectSymbols(shapes.value(value), symbols);
    return symbols;
  }
  auto type = dyn_cast<ShapedType>(value.getType());
  for (int64_t d = 0, e = type && type.hasRank() ? type.getRank() : 0; d < e;
       ++d)
    if (Extent known = shapes.extent(value, d); known.kind != Extent::Unknown)
      shapes.arena().collectSymbols(known.expr, symbols);
  return symbols;
}

/// A line that says where a symbol comes from; empty for one without a name.
static std::string describeSymbol(FunctionShapes &shapes, Expr symbol) {
  std::string name = spellSymbol(shapes, symbol);
  if (!shapes.isNamed(symbol) && name == symbol.str())
    return "";
  llvm::json::Object known = reportSymbol(shapes, symbol);
  if (known.getString("origin") == StringRef(name))
    return ""; // a number that is an argument
  std::string line = "- `" + name + "`";
  if (auto value = known.getInteger("value"))
    line += " = " + std::to_string(*value);
  else if (auto limits = known.getString("limits"); limits != "")
    line += " " + limits->str();
  line += ": " + known.getString("origin")->str();
  if (auto policy = known.getString("policy"); policy != "auto")
    line += ", " + policy->str();
  return line + "\n";
}

void NoteMaker::addHover(SMRange range,
                         std::shared_ptr<const std::string> markdown) {
  if (range.isValid())
    notes.hovers.push_back({rangeOf(range), std::move(markdown)});
}

/// What is known of values that the text defines together, such as `%a:2`.
void NoteMaker::addDefinition(FunctionShapes &shapes, ValueRange values,
                              const AsmParserState::SMDefinition &definition) {
  if (!definition.loc.isValid())
    return;
  const char *begin = definition.loc.Start.getPointer();
  StringRef name(begin, definition.loc.End.getPointer() - begin);
  std::string label;
  bool isNew = false;
  SmallVector<Expr> symbols;
  for (Value value : values) {
    std::string spelled = spellValue(shapes, value);
    isNew |= isNews(value, spelled);
    label += (label.empty() ? "" : ", ") + (spelled.empty() ? "-" : spelled);
    llvm::append_range(symbols, symbolsOf(shapes, value));
  }
  if (StringRef(label).find_first_not_of("-, ") == StringRef::npos ||
      label == "= " + name.str())
    return;
  std::string markdown = "`" + name.str() + "` `" + label + "`\n\n";
  for (Expr symbol : llvm::SetVector<Expr>(symbols.begin(), symbols.end()))
    markdown += describeSymbol(shapes, symbol);
  auto shared = std::make_shared<const std::string>(std::move(markdown));
  addHover(definition.loc, shared);
  for (SMRange use : definition.uses)
    addHover(use, shared);
  if (!isNew)
    return;
  lsp::InlayHint hint(lsp::InlayHintKind::Type, rangeOf(definition.loc).end);
  hint.label = std::move(label);
  hint.paddingLeft = true;
  notes.hints.push_back(std::move(hint));
}

void NoteMaker::addBlocks(FunctionShapes &shapes, Region &region) {
  for (Block &block : region) {
    const auto *definition = parsed.places.getBlockDef(&block);
    if (!definition)
      continue;
    for (auto [argument, place] :
         llvm::zip(block.getArguments(), definition->arguments))
      addDefinition(shapes, argument, place);
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void NoteMaker::addFunction(
    FunctionShapes &shapes,
    const AsmParserState::OperationDefinition &definition) {
  func::FuncOp function = shapes.function();
  std::string markdown =
      "`@" + function.getName().str() + "` " + describeFits(shapes) + "\n\n";
  for (Expr symbol : collectArgumentSymbols(shapes))
    markdown += describeSymbol(shapes, symbol);
  markdown += "\n" + summariseRequirements(shapes, plans);
  auto shared = std::make_shared<const std::string>(std::move(markdown));
  addHover(definition.loc, shared);
  for (SMRange use : definition.symbolUses)
    addHover(use, shared);
}

void NoteMaker::addOp(FunctionShapes &shapes, Operation *op) {
  for (Region &region : op->getRegions())
    addBlocks(shapes, region);
  const auto *definition = parsed.places.getOpDef(op);
  if (!definition)
    return;
  ArrayRef groups = definition->resultGroups;
  for (size_t i = 0; i < groups.size(); ++i) {
    unsigned begin = groups[i].startIndex;
    unsigned end =
        i + 1 < groups.size() ? groups[i + 1].startIndex : op->getNumResults();
    if (begin <= end && end <= op->getNumResults())
      addDefinition(shapes, op->getResults().slice(begin, end - begin),
                    groups[i].definition);
  }
  if (isa<func::FuncOp>(op))
    return addFunction(shapes, *definition);
  std::string markdown;
  for (Value result : op->getResults())
    if (std::string spelled = spellValue(shapes, result); !spelled.empty())
      markdown += "`" + spelled + "`\n\n";
  markdown += requirements.lookup(op);
  if (!markdown.empty())
    addHover(definition->loc,
             std::make_shared<const std::string>(std::move(markdown)));
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

/// The name of the op that has this location, or where that says it is.
lsp::Range NoteMaker::rangeOf(Location loc) const {
  if (auto it = ranges.find(loc); it != ranges.end())
    return it->second;
  auto place = loc->findInstanceOf<FileLineColLoc>();
  if (!place || place.getLine() == 0)
    return {};
  return lsp::Range(lsp::Position(static_cast<int>(place.getLine()) - 1,
                                  static_cast<int>(place.getColumn()) - 1));
}

static StringRef nameOf(Violation::Kind kind) {
  switch (kind) {
  case Violation::Narrowed:
    return "narrowed";
  case Violation::OneValue:
    return "one-value";
  case Violation::Open:
    return "open";
  case Violation::Impossible:
    return "impossible";
  case Violation::Contradictory:
    return "contradictory";
  case Violation::UnusedVersion:
    return "unused-version";
  }
  return "";
}

void NoteMaker::addViolation(const Violation &violation) {
  Problem problem;
  ArrayRef notesLeft = violation.notes;
  problem.range = rangeOf(violation.loc);
  problem.message = violation.message;
  // What rules out values is shown where it does so.
  if (violation.kind == Violation::Narrowed && !notesLeft.empty()) {
    problem.range = rangeOf(notesLeft.front().first);
    problem.message = notesLeft.front().second;
    notesLeft = notesLeft.drop_front();
  }
  problem.kind = nameOf(violation.kind).str();
  problem.isWarning = violation.kind == Violation::UnusedVersion;
  for (const auto &[loc, text] : notesLeft)
    problem.related.push_back({rangeOf(loc), text});
  if (!violation.correction.text.empty())
    problem.related.push_back(
        {rangeOf(violation.loc), "to accept it, " + violation.correction.text});
  if (violation.correction.apply)
    problem.correction = violation.correction.text;
  notes.problems.push_back(std::move(problem));
}

void NoteMaker::addProblems() {
  if (succeeded(verifyAttributeNames(*parsed.module)) &&
      succeeded(verifySymbolNames(*parsed.module))) {
    for (const Violation &violation :
         findViolations(*parsed.module, plans, /*frozen=*/false))
      addViolation(violation);
    return;
  }
  for (const auto &[loc, text] : parsed.errors)
    notes.problems.push_back({rangeOf(loc), false, "attribute", text, {}, ""});
}

Notes NoteMaker::make() {
  notes.parses = true;
  parsed.module->walk([&](Operation *op) {
    if (const auto *definition = parsed.places.getOpDef(op))
      ranges.try_emplace(op->getLoc(), rangeOf(definition->loc));
  });
  parsed.module->walk([&](func::FuncOp function) {
    if (FunctionShapes *shapes = plans.lookup(function))
      describeRequirements(*shapes, plans, requirements);
  });
  parsed.module->walk([&](Operation *op) {
    if (FunctionShapes *shapes = analysis.lookup(op))
      addOp(*shapes, op);
  });
  llvm::sort(notes.hints);
  addProblems();
  return std::move(notes);
}

Notes mlir::symshape::makeNotes(StringRef text, StringRef name,
                                const DialectRegistry &registry) {
  ParsedText parsed(text, name, registry);
  if (!parsed.module)
    return {};
  return NoteMaker(parsed).make();
}
