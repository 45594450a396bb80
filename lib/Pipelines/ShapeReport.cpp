//===- ShapeReport.cpp - Symbols, guards and versions in words ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeReport.h"

#include "symshape/Transforms/DeclaredFacts.h"
#include "symshape/Transforms/Specialize.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape;
namespace json = llvm::json;

static std::string textOf(const symshape::Range &range) {
  auto end = [](const std::optional<llvm::DynamicAPInt> &value) {
    return value ? llvm::to_string(*value) : "";
  };
  return "[" + end(range.min) + ", " + end(range.max) + "]";
}

static json::Object describeValue(FunctionShapes &shapes, Value value,
                                  std::string name) {
  json::Object object{{"name", std::move(name)},
                      {"type", llvm::to_string(value.getType())}};
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return object;
  json::Array extents;
  for (int64_t d = 0; d < type.getRank(); ++d)
    extents.push_back(shapes.printExtent(value, d));
  object["extents"] = std::move(extents);
  return object;
}

SmallVector<Expr>
mlir::symshape::collectArgumentSymbols(FunctionShapes &shapes) {
  SmallVector<Expr> symbols;
  for (BlockArgument argument : shapes.function().getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      for (int64_t d = 0; d < type.getRank(); ++d)
        shapes.arena().collectSymbols(shapes.dim(argument, d), symbols);
  return symbols;
}

/// The policy that is declared of a symbol.
static SymbolPolicy policyOf(FunctionShapes &shapes, Expr symbol) {
  for (SymbolAttr attr : getSymbols(shapes.function()))
    if (attr.getName() == *symbol.asSymbol())
      return attr.getPolicy();
  return SymbolPolicy::Auto;
}

/// With what is declared of them, where each comes from, and whether it is a
/// symbol at all.
static json::Array describeSymbols(FunctionShapes &shapes) {
  json::Array result;
  ConstraintSet &facts = shapes.entryFacts();
  for (Expr symbol : collectArgumentSymbols(shapes)) {
    if (!shapes.isNamed(symbol))
      continue; // its argument shows what is known of it
    const SymbolDef *def = shapes.definition(symbol);
    std::string why =
        def && def->kind == SymbolDef::Solved
            ? "solved from an extent that is declared with it"
            : shapes.describeSymbol(symbol) + ", which its type leaves open";
    json::Object object{
        {"name", symbol.str()},
        {"range", textOf(facts.bounds(symbol))},
        {"policy", stringifySymbolPolicy(policyOf(shapes, symbol))},
        {"why", std::move(why)}};
    if (std::optional<int64_t> value = facts.simplify(symbol).asInt64()) {
      std::vector<std::string> chain;
      facts.explain(Relation::eq(symbol, shapes.arena().constant(*value)),
                    chain);
      object["value"] = *value;
      object["chain"] = json::Array(chain);
    }
    result.push_back(std::move(object));
  }
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

/// What is required, and by whom.
static json::Object describeCondition(FunctionShapes &shapes,
                                      const Formula &condition,
                                      ArrayRef<const Requirement *> reasons) {
  json::Array origins;
  llvm::StringSet<> seen; // an op may need the same twice
  for (const Requirement *reason : reasons)
    if (std::string origin = describeOrigin(*reason);
        seen.insert(origin).second)
      origins.push_back(std::move(origin));
  return json::Object{{"condition", describe(shapes, condition, nullptr)},
                      {"formula", condition.str()},
                      {"reasons", std::move(origins)}};
}

static json::Object describeGuard(FunctionShapes &shapes, const Guard &guard) {
  return describeCondition(shapes, guard.condition, guard.reasons);
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

static json::Array textsOf(ArrayRef<Relation> relations) {
  json::Array texts;
  for (const Relation &relation : relations)
    texts.push_back(relation.str());
  return texts;
}

/// The checks of data, and requirements that need none.
static void addChecks(FunctionShapes &shapes, const GuardPlan &plan,
                      json::Object &object) {
  json::Array checks, proved;
  for (const DeferredCheck &check : plan.deferred) {
    json::Object one =
        describeCondition(shapes, check.condition, check.reasons);
    Requirement at;
    at.op = check.anchor;
    one["before"] = describeOrigin(at);
    checks.push_back(std::move(one));
  }
  for (const Proof &proof : proveAgain(shapes, plan)) {
    json::Object one =
        describeCondition(shapes, proof.condition, proof.reasons);
    one["impliedBy"] = textsOf(proof.facts);
    one["ranges"] = textsOf(proof.ranges);
    proved.push_back(std::move(one));
  }
  object["checks"] = std::move(checks);
  object["proved"] = std::move(proved);
}

static void addGuards(FunctionShapes &shapes, const GuardPlan &plan,
                      json::Object &object) {
  json::Array guards, dropped;
  for (const Guard &guard : plan.guards) {
    json::Object one = describeGuard(shapes, guard);
    one["gone"] = describeEnd(shapes, guard);
    if (isStricterThanNumPy(guard))
      one["numpy"] = "NumPy's broadcasting would accept an extent of 1 as well";
    guards.push_back(std::move(one));
  }
  for (const Guard &guard : plan.dropped) {
    json::Object one = describeGuard(shapes, guard);
    json::Array certificate;
    for (unsigned index : certify(shapes, plan, guard))
      certificate.push_back(plan.guards[index].condition.str());
    one["impliedBy"] = std::move(certificate);
    dropped.push_back(std::move(one));
  }
  object["guards"] = std::move(guards);
  object["dropped"] = std::move(dropped);
  addChecks(shapes, plan, object);
}

static void addVersions(FunctionShapes &shapes, json::Object &object) {
  json::Array versions, unused;
  Violations neverChosen;
  for (const ChosenVersion &version : listVersions(shapes, neverChosen)) {
    std::string serves = "where " + version.condition;
    if (version.condition.empty())
      serves = "all other shapes";
    else if (!versions.empty())
      serves += " and none of the above does";
    versions.push_back(json::Object{{"name", version.name},
                                    {"condition", version.condition},
                                    {"serves", std::move(serves)}});
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

json::Object mlir::symshape::describeShapes(FunctionShapes &shapes,
                                            GuardPlans &plans) {
  func::FuncOp function = shapes.function();
  json::Array arguments, results;
  for (BlockArgument argument : function.getArguments())
    arguments.push_back(describeValue(
        shapes, argument, shapes.spellingOfArgument(argument.getArgNumber())));
  auto returns = function.getBody().getOps<func::ReturnOp>();
  if (llvm::hasSingleElement(returns))
    for (auto [i, value] : llvm::enumerate((*returns.begin())->getOperands()))
      results.push_back(
          describeValue(shapes, value, "result #" + std::to_string(i)));
  json::Object object{{"name", getPath(function)},
                      {"isPublic", function.isPublic()},
                      {"symbols", describeSymbols(shapes)},
                      {"arguments", std::move(arguments)},
                      {"results", std::move(results)}};
  if (!shapes.callersTakeOver())
    addGuards(shapes, plans.of(shapes), object);
  addVersions(shapes, object);
  return object;
}
