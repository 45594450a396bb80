//===- ShapeReport.cpp - Symbols, guards and versions in words ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeReport.h"
#include "ReportGraph.h"
#include "symshape/Analysis/Validity.h"

#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include "symshape/Transforms/Specialize.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape;
namespace json = llvm::json;

static json::Object describeValue(FunctionShapes &shapes, Value value,
                                  std::string name, ReportGraph *graph) {
  json::Object object{{"name", std::move(name)},
                      {"type", llvm::to_string(value.getType())}};
  if (!isa<RankedTensorType, MemRefType>(value.getType()))
    return object;
  auto type = cast<ShapedType>(value.getType());
  json::Array extents;
  for (int64_t d = 0; d < type.getRank(); ++d)
    extents.push_back(graph ? spellExtent(shapes, value, d)
                            : shapes.printExtent(value, d));
  object["extents"] = std::move(extents);
  if (graph)
    object["dims"] = graph->dimsOf(value);
  return object;
}

/// The arguments; those that are weights say so.
static json::Array describeArguments(FunctionShapes &shapes,
                                     ReportGraph *graph) {
  json::Array arguments;
  func::FuncOp function = shapes.function();
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    json::Object object = describeValue(
        shapes, argument, shapes.spellingOfArgument(number), graph);
    if (auto weight = function.getArgAttrOfType<StringAttr>(
            number, SymShapeDialect::kWeight))
      object["weight"] = weight.getValue();
    arguments.push_back(std::move(object));
  }
  return arguments;
}

/// With what is declared of them, where each comes from, and whether it is a
/// symbol at all.
static json::Array describeSymbols(FunctionShapes &shapes) {
  json::Array result;
  for (Expr symbol : collectArgumentSymbols(shapes))
    if (shapes.isNamed(symbol)) // else its argument shows what is known of it
      result.push_back(reportSymbol(shapes, symbol));
  return result;
}

/// What would make a guard disappear.
static std::string describeEnd(FunctionShapes &shapes, const Guard &guard) {
  std::string names;
  for (Expr symbol : guard.condition.symbols())
    if (shapes.isNamed(symbol))
      names += (names.empty() ? "" : ", ") + symbol.str();
  bool isDeclared = llvm::all_of(guard.reasons, [](const Requirement *reason) {
    return isa<func::FuncOp>(reason->op);
  });
  std::string end =
      isDeclared ? "without the declaration" : "without the ops that need it";
  if (!names.empty())
    end += ", or with " + names +
           " bound to values that meet it (symshape-fixate)";
  return end;
}

/// The lines to write so that the program itself says what `guard` checks;
/// none where it does, or where that cannot be written.
static json::Array describeLines(FunctionShapes &shapes, const Guard &guard) {
  bool isDeclared = llvm::all_of(guard.reasons, [](const Requirement *reason) {
    return isa<func::FuncOp>(reason->op);
  });
  SmallVector<Expr, 4> symbols = guard.condition.symbols();
  bool isNamed = llvm::all_of(
      symbols, [&](Expr symbol) { return shapes.isNamed(symbol); });
  if (isDeclared || !isNamed || !guard.condition.isWritable())
    return {};
  json::Array lines;
  if (auto naming = describeNaming(shapes, findUnnamed(shapes, symbols));
      !naming.empty())
    lines.push_back(naming);
  lines.push_back("symshape.assume = [#symshape.fact<\"" +
                  guard.condition.str() + "\">]");
  return lines;
}

namespace {
/// Guards, checks and proofs of one function.
class GuardReporter {
public:
  GuardReporter(FunctionShapes &shapes, const GuardPlan &plan,
                ReportGraph *graph)
      : shapes(shapes), plan(plan), graph(graph) {}
  void addTo(json::Object &object);

private:
  json::Object describeCondition(const Formula &condition,
                                 ArrayRef<const Requirement *> reasons);
  json::Array describeGuards();
  json::Array describeDropped();
  json::Array describeChecks();
  json::Array describeProofs();

  FunctionShapes &shapes;
  const GuardPlan &plan;
  ReportGraph *graph;
};
} // namespace

/// What is required, and by whom.
json::Object
GuardReporter::describeCondition(const Formula &condition,
                                 ArrayRef<const Requirement *> reasons) {
  json::Array origins;
  llvm::StringSet<> seen; // an op may need the same twice
  llvm::SetVector<unsigned> ops;
  for (const Requirement *reason : reasons) {
    if (std::string origin = describeOrigin(*reason);
        seen.insert(origin).second)
      origins.push_back(std::move(origin));
    if (graph)
      if (auto op = graph->indexOf(reason->call ? reason->call : reason->op))
        ops.insert(*op);
  }
  json::Object object{{"condition", describe(shapes, condition, nullptr)},
                      {"formula", spellFormula(shapes, condition)},
                      {"reasons", std::move(origins)}};
  if (graph) {
    object["test"] = graph->exprs().write(condition);
    object["ops"] = json::Array(ops.getArrayRef());
  }
  return object;
}

/// Whether ops of tosa alone need the guard, to broadcast, and NumPy's rule
/// would ask less of the call.
static bool isStricterThanNumPy(const Guard &guard) {
  return guard.condition.isLiteral() &&
         llvm::all_of(guard.reasons, [](const Requirement *reason) {
           StringRef field = reason->field;
           return reason->op->getName().getDialectNamespace() == "tosa" &&
                  (field.starts_with("broadcast dimension") || field == "bias");
         });
}

static json::Array textsOf(FunctionShapes &shapes,
                           ArrayRef<Relation> relations) {
  json::Array texts;
  for (const Relation &relation : relations)
    texts.push_back(spellFormula(shapes, relation));
  return texts;
}

json::Array GuardReporter::describeGuards() {
  json::Array guards;
  for (const Guard &guard : plan.guards) {
    json::Object one = describeCondition(guard.condition, guard.reasons);
    one["plain"] = spellForPerson(shapes, guard.condition);
    one["isBound"] = isCommonBound(guard.condition);
    one["gone"] = describeEnd(shapes, guard);
    if (json::Array lines = describeLines(shapes, guard); !lines.empty())
      one["write"] = std::move(lines);
    if (isStricterThanNumPy(guard))
      one["numpy"] = "NumPy's broadcasting would accept an extent of 1 as well";
    guards.push_back(std::move(one));
  }
  return guards;
}

json::Array GuardReporter::describeDropped() {
  json::Array dropped;
  for (const Guard &guard : plan.dropped) {
    json::Object one = describeCondition(guard.condition, guard.reasons);
    json::Array certificate;
    for (unsigned index : certify(shapes, plan, guard))
      certificate.push_back(spellFormula(shapes, plan.guards[index].condition));
    one["impliedBy"] = std::move(certificate);
    dropped.push_back(std::move(one));
  }
  return dropped;
}

/// The checks of data.
json::Array GuardReporter::describeChecks() {
  json::Array checks;
  for (const DeferredCheck &check : plan.deferred) {
    json::Object one = describeCondition(check.condition, check.reasons);
    Requirement at;
    at.op = check.anchor;
    one["before"] = describeOrigin(at);
    checks.push_back(std::move(one));
  }
  return checks;
}

/// Requirements that need no check.
json::Array GuardReporter::describeProofs() {
  json::Array proved;
  for (const Proof &proof : proveAgain(shapes, plan)) {
    json::Object one = describeCondition(proof.condition, proof.reasons);
    one["impliedBy"] = textsOf(shapes, proof.facts);
    one["ranges"] = textsOf(shapes, proof.ranges);
    proved.push_back(std::move(one));
  }
  return proved;
}

void GuardReporter::addTo(json::Object &object) {
  object["guards"] = describeGuards();
  object["dropped"] = describeDropped();
  object["checks"] = describeChecks();
  object["proved"] = describeProofs();
  object["sentence"] =
      json::fixUTF8(describeValidity(shapes, plan, isWrittenName));
}

static void addVersions(FunctionShapes &shapes, ReportGraph *graph,
                        json::Object &object) {
  json::Array versions, unused;
  Violations neverChosen;
  for (const ChosenVersion &version : listVersions(shapes, neverChosen)) {
    std::string serves = "where " + version.condition;
    if (version.condition.empty())
      serves = "all other shapes";
    else if (!versions.empty())
      serves += " and none of the above does";
    json::Object one{{"name", version.name},
                     {"condition", version.condition},
                     {"serves", std::move(serves)}};
    ParseError error;
    auto condition =
        version.condition.empty()
            ? Formula::truth(true)
            : Formula::parse(shapes.arena(), version.condition, error);
    if (graph && condition)
      one["test"] = graph->exprs().write(*condition);
    versions.push_back(std::move(one));
  }
  for (const Violation &violation : neverChosen)
    unused.push_back(violation.message);
  if (versions.empty() && unused.empty())
    return;
  object["versions"] = std::move(versions);
  object["unusedVersions"] = std::move(unused);
}

/// `f`, or `inner::@f` in a module inside the one that is reported on.
static std::string getPath(func::FuncOp function) {
  std::string path = function.getName().str();
  for (Operation *outer = function->getParentOp();
       outer && outer->getParentOp(); outer = outer->getParentOp())
    if (auto name =
            outer->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      path = name.str() + "::@" + path;
  return path;
}

/// How many requirements are proved, checked, or left to callers.
static void addCounts(FunctionShapes &shapes, GuardPlans &plans,
                      json::Object &object) {
  object["fits"] = describeFits(shapes);
  if (!shapes.callersTakeOver()) {
    const GuardPlan &plan = plans.of(shapes);
    object["numProved"] = plan.numProved;
    object["numGuards"] = plan.guards.size();
    object["numChecks"] = plan.deferred.size();
    return;
  }
  ArrayRef<Requirement> all = shapes.requirements();
  size_t proved = llvm::count_if(
      all, [](const Requirement &one) { return one.answer.isYes(); });
  object["numProved"] = proved;
  object["numGuards"] = 0;
  object["numChecks"] = 0;
  object["numLeft"] = all.size() - proved;
}

/// What a model calls it, or else its number.
static std::string nameOfResult(func::FuncOp function, unsigned number) {
  if (auto given = function.getResultAttrOfType<StringAttr>(
          number, SymShapeDialect::kName))
    return json::fixUTF8(given.getValue());
  return "result #" + std::to_string(number);
}

json::Object mlir::symshape::describeShapes(FunctionShapes &shapes,
                                            GuardPlans &plans,
                                            ReportGraph *graph) {
  func::FuncOp function = shapes.function();
  json::Array results;
  auto returns = function.getBody().getOps<func::ReturnOp>();
  if (llvm::hasSingleElement(returns))
    for (auto [i, value] : llvm::enumerate((*returns.begin())->getOperands()))
      results.push_back(
          describeValue(shapes, value, nameOfResult(function, i), graph));
  json::Object object{{"name", getPath(function)},
                      {"isPublic", function.isPublic()},
                      {"symbols", describeSymbols(shapes)},
                      {"arguments", describeArguments(shapes, graph)},
                      {"results", std::move(results)}};
  addCounts(shapes, plans, object);
  if (!shapes.callersTakeOver())
    GuardReporter(shapes, plans.of(shapes), graph).addTo(object);
  addVersions(shapes, graph, object);
  return object;
}
