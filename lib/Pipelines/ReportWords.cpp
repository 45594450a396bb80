//===- ReportWords.cpp - How reports say what is known --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/ReportWords.h"

#include "symshape/Analysis/Validity.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include "llvm/Support/ScopedPrinter.h"
#include <limits>

using namespace mlir;
using namespace mlir::symshape;
namespace json = llvm::json;

bool mlir::symshape::isInput(FunctionShapes &shapes, Expr symbol) {
  const SymbolDef *def = shapes.definition(symbol);
  if (!def)
    return false;
  auto argument = dyn_cast_or_null<BlockArgument>(def->value);
  return def->kind == SymbolDef::Solved ||
         (argument && argument.getOwner() == &shapes.function().front());
}

/// `e` in the words of a report; empty if other than inputs decide it.
static std::string spellOverInputs(FunctionShapes &shapes, Expr e) {
  auto isKnown = [&](Expr symbol) { return isInput(shapes, symbol); };
  if (!llvm::all_of(e.symbols(), isKnown))
    return "";
  ExprArena &arena = shapes.arena();
  return arena
      .substitute(e,
                  [&](Expr symbol) {
                    return arena.symbol(spellSymbol(shapes, symbol));
                  })
      .str();
}

std::string mlir::symshape::spellExtent(FunctionShapes &shapes, Value shaped,
                                        int64_t dim) {
  Extent known = shapes.extent(shaped, dim);
  std::string spelled;
  if (known.kind != Extent::Unknown && !shapes.isNamed(known.expr))
    spelled = spellOverInputs(shapes, known.expr);
  if (spelled.empty())
    return shapes.printExtent(shaped, dim);
  return (known.kind == Extent::UpperBound ? "<= " : "") + spelled;
}

std::string mlir::symshape::spellNumber(FunctionShapes &shapes, Value scalar) {
  return spellOverInputs(shapes, shapes.value(scalar));
}

std::string mlir::symshape::spellSymbol(FunctionShapes &shapes, Expr symbol) {
  const SymbolDef *def = shapes.definition(symbol);
  auto argument = dyn_cast_or_null<BlockArgument>(def ? def->value : Value());
  if (argument && argument.getOwner() == &shapes.function().front()) {
    std::string name = shapes.spellingOfArgument(argument.getArgNumber());
    if (def->kind == SymbolDef::Scalar)
      return name;
    if (!shapes.isNamed(symbol))
      return name + ".dim" + std::to_string(def->dim);
  }
  return symbol.str();
}

std::string mlir::symshape::spellForPerson(FunctionShapes &shapes,
                                           Expr symbol) {
  const SymbolDef *def = shapes.definition(symbol);
  if (isWrittenName(*symbol.asSymbol()) || !isInput(shapes, symbol) ||
      def->kind != SymbolDef::Dim)
    return spellSymbol(shapes, symbol);
  unsigned number = cast<BlockArgument>(def->value).getArgNumber();
  return shapes.spellingOfArgument(number) + ".dim" + std::to_string(def->dim);
}

static Formula withNames(FunctionShapes &shapes, const Formula &formula) {
  return formula.substitute([&](Expr symbol) {
    return shapes.arena().symbol(spellSymbol(shapes, symbol));
  });
}

std::string mlir::symshape::spellFormula(FunctionShapes &shapes,
                                         const Formula &formula) {
  return withNames(shapes, formula).str();
}

std::string mlir::symshape::spellForPerson(FunctionShapes &shapes,
                                           const Formula &formula) {
  Formula plain = makePlain(shapes, formula);
  return spellPlainly(plain.substitute([&](Expr symbol) {
    return shapes.arena().symbol(spellForPerson(shapes, symbol));
  }));
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

SmallVector<Expr>
mlir::symshape::collectArgumentSymbols(FunctionShapes &shapes) {
  SmallVector<Expr> symbols;
  for (BlockArgument argument : shapes.function().getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      for (int64_t d = 0; d < type.getRank(); ++d)
        shapes.arena().collectSymbols(shapes.dim(argument, d), symbols);
  return symbols;
}

static std::string textOf(const symshape::Range &range) {
  auto end = [](const std::optional<llvm::DynamicAPInt> &value) {
    return value ? llvm::to_string(*value) : "";
  };
  return "[" + end(range.min) + ", " + end(range.max) + "]";
}

/// A range as a person reads it: `in [1, 64]`, `>= 3`; empty for one that
/// says no more than that an extent, or a number, is one.
static std::string limitsOf(const symshape::Range &range, bool isExtent) {
  auto says = [](const std::optional<llvm::DynamicAPInt> &end, int64_t least,
                 int64_t most) {
    return end && *end > llvm::DynamicAPInt(least) &&
           *end < llvm::DynamicAPInt(most);
  };
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min(),
                    kMax = std::numeric_limits<int64_t>::max();
  bool hasMax = says(range.max, kMin, isExtent ? kMaxExtent : kMax);
  if (hasMax && says(range.min, kMin, kMax))
    return "in " + textOf(range);
  if (hasMax)
    return "<= " + llvm::to_string(*range.max);
  return says(range.min, isExtent ? 0 : kMin, kMax)
             ? ">= " + llvm::to_string(*range.min)
             : "";
}

/// The policy that is declared of a symbol.
static SymbolPolicy policyOf(FunctionShapes &shapes, Expr symbol) {
  for (SymbolAttr attr : getSymbols(shapes.function()))
    if (attr.getName() == *symbol.asSymbol())
      return attr.getPolicy();
  return SymbolPolicy::Auto;
}

json::Object mlir::symshape::reportSymbol(FunctionShapes &shapes, Expr symbol) {
  ConstraintSet &facts = shapes.entryFacts();
  const SymbolDef *def = shapes.definition(symbol);
  bool isSolved = def && def->kind == SymbolDef::Solved;
  std::string origin =
      isSolved ? "solved from an extent" : shapes.describeSymbol(symbol);
  std::string why = origin + (isSolved ? " that is declared with it"
                                       : ", which its type leaves open");
  symshape::Range range = facts.bounds(symbol);
  bool isExtent = def && (isSolved || def->kind == SymbolDef::Dim);
  json::Object object{
      {"name", symbol.str()},
      {"range", textOf(range)},
      {"limits", limitsOf(range, isExtent)},
      {"policy", stringifySymbolPolicy(policyOf(shapes, symbol))},
      {"origin", std::move(origin)},
      {"why", std::move(why)}};
  if (std::optional<int64_t> value = facts.simplify(symbol).asInt64()) {
    std::vector<std::string> chain;
    facts.explain(Relation::eq(symbol, shapes.arena().constant(*value)), chain);
    object["value"] = *value;
    object["chain"] = json::Array(chain);
  }
  return object;
}

std::string mlir::symshape::describeFits(FunctionShapes &shapes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  unsigned numWeights = 0;
  func::FuncOp function = shapes.function();
  for (BlockArgument argument : function.getArguments()) {
    if (function.getArgAttr(argument.getArgNumber(),
                            SymShapeDialect::kWeight)) {
      ++numWeights;
      continue;
    }
    os << (text.empty() ? "" : " ");
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type) {
      os << argument.getType();
      continue;
    }
    os << '(';
    for (int64_t d = 0; d < type.getRank(); ++d)
      os << (d ? "," : "") << shapes.printExtent(argument, d);
    os << ')';
  }
  if (numWeights)
    os << (text.empty() ? "" : " ") << "and " << numWeights
       << (numWeights == 1 ? " weight" : " weights");
  return text;
}
