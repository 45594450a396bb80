//===- Violations.cpp - What contradicts declarations ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds them. Not for: reporting and correcting them (TellViolations.cpp).
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/Violations.h"
#include "Corrections.h"
#include "VersionChoice.h"

#include "symshape/Constraints/Irreducible.h"
#include "symshape/IR/Places.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape;

static void addChain(Violation &violation, ArrayRef<std::string> chain,
                     Location loc) {
  for (const std::string &step : chain)
    violation.notes.push_back({loc, step});
}

/// The only value that the facts leave `symbol`, if it must keep several.
static std::optional<llvm::DynamicAPInt>
findOnlyValue(FunctionShapes &shapes, ConstraintSet &facts, SymbolAttr symbol) {
  if (symbol.getPolicy() != SymbolPolicy::Dynamic)
    return std::nullopt;
  Expr e = shapes.arena().symbol(symbol.getName());
  if (auto value = facts.simplify(e).asConstant())
    return value;
  symshape::Range range = facts.bounds(e);
  return range.min && range.min == range.max ? range.min : std::nullopt;
}

static Violation makeOneValue(FunctionShapes &shapes, ConstraintSet &facts,
                              SymbolAttr symbol,
                              const llvm::DynamicAPInt &value) {
  func::FuncOp function = shapes.function();
  Expr e = shapes.arena().symbol(symbol.getName());
  Violation violation{Violation::OneValue,
                      function.getLoc(),
                      ("expected dynamic symbol '" + symbol.getName() +
                       "' to have several values, but got " +
                       llvm::to_string(value) + " alone")
                          .str(),
                      {},
                      leaveOpen(function, symbol)};
  std::vector<std::string> chain;
  facts.explain(Relation::eq(e, shapes.arena().constant(value)), chain);
  addChain(violation, chain, function.getLoc());
  if (size_t numFacts = chain.size() - 1; numFacts > 1)
    violation.message +=
        " (joint specialisation by " + std::to_string(numFacts) + " facts)";
  return violation;
}

//===----------------------------------------------------------------------===//
// What is required
//===----------------------------------------------------------------------===//

namespace {
/// Lists what a plan requires but must not.
class PlanChecker {
public:
  PlanChecker(FunctionShapes &shapes, const GuardPlan &plan, bool frozen)
      : shapes(shapes), plan(plan), frozen(frozen) {
    for (SymbolAttr symbol : getSymbols(shapes.function()))
      if (symbol.getPolicy() == SymbolPolicy::Dynamic)
        dynamic.insert(symbol.getName());
  }

  Violations run();

private:
  bool isDeclared(const Guard &guard) const;
  std::string findDynamic(const Formula &condition) const;
  void addNarrowed(const Requirement &reason, std::string what,
                   Correction correction);
  void checkGuard(const Guard &guard);
  void checkTogether();
  void addImpossible(const Requirement &requirement);
  Correction correctImpossible(const Requirement &requirement,
                               std::vector<std::string> &chain);
  bool findContradiction();

  FunctionShapes &shapes;
  const GuardPlan &plan;
  bool frozen;
  llvm::StringSet<> dynamic;
  Violations found;
};
} // namespace

/// Whether the signature, or an assert in the program, declares it.
bool PlanChecker::isDeclared(const Guard &guard) const {
  ArrayRef<Requirement> declared = shapes.declared();
  return llvm::any_of(guard.reasons, [&](const Requirement *reason) {
    return reason->isUserAssert ||
           (reason >= declared.begin() && reason < declared.end());
  });
}

/// A symbol of `condition` that must keep its values; empty if there is none.
std::string PlanChecker::findDynamic(const Formula &condition) const {
  for (Expr symbol : condition.symbols())
    if (dynamic.contains(*symbol.asSymbol()))
      return symbol.asSymbol()->str();
  return "";
}

void PlanChecker::addNarrowed(const Requirement &reason, std::string what,
                              Correction correction) {
  Violation violation{Violation::Narrowed,
                      shapes.function().getLoc(),
                      std::move(what),
                      {},
                      std::move(correction)};
  // Further lines say where its names come from.
  auto [sentence, origins] = StringRef(violation.message).split('\n');
  violation.notes.push_back(
      {reason.op->getLoc(),
       (sentence + "; needed by " + describeOrigin(reason) +
        (origins.empty() ? "" : "\n") + origins)
           .str()});
  if (reason.call)
    violation.notes.push_back({reason.call->getLoc(), "through this call"});
  found.push_back(std::move(violation));
}

void PlanChecker::checkGuard(const Guard &guard) {
  std::string symbol = findDynamic(guard.condition);
  if (isDeclared(guard) || guard.condition.isFalse() ||
      (symbol.empty() && !frozen))
    return;
  std::string what = describe(shapes, guard.condition, nullptr);
  if (!symbol.empty())
    what = "'" + symbol + "' is dynamic, but " + what;
  bool isFact = guard.condition.isLiteral() && !guard.condition.negated;
  addNarrowed(*guard.reasons.front(), std::move(what),
              isFact ? declareFact(shapes, guard.condition.relation)
                     : assertAtEntry(shapes, guard.condition));
}

/// Symbols that all guards together leave one value.
void PlanChecker::checkTogether() {
  ConstraintSet &facts = shapes.entryFacts();
  facts.push();
  for (const Guard &guard : plan.guards)
    assume(facts, guard.condition);
  for (SymbolAttr symbol : getSymbols(shapes.function())) {
    auto value = findOnlyValue(shapes, facts, symbol);
    if (value && !facts.isContradictory())
      found.push_back(makeOneValue(shapes, facts, symbol, *value));
  }
  facts.pop();
}

Violations PlanChecker::run() {
  if (findContradiction())
    return std::move(found);
  for (const Requirement *requirement : plan.violated)
    addImpossible(*requirement);
  for (const Guard &guard : plan.guards)
    if (guard.condition.isFalse())
      for (const Requirement *reason : guard.reasons)
        addImpossible(*reason);
  for (const Guard &guard : plan.guards)
    checkGuard(guard);
  if (frozen)
    for (const DeferredCheck &check : plan.deferred)
      if (llvm::none_of(check.reasons, [](const Requirement *reason) {
            return reason->isUserAssert;
          }))
        addNarrowed(*check.reasons.front(),
                    describe(shapes, check.condition, nullptr),
                    assertBefore(shapes, check));
  if (!found.empty() && found.back().kind == Violation::Narrowed)
    checkTogether();
  return std::move(found);
}

Violations mlir::symshape::findPlanViolations(FunctionShapes &shapes,
                                              const GuardPlan &plan,
                                              bool frozen) {
  return PlanChecker(shapes, plan, frozen).run();
}

//===----------------------------------------------------------------------===//
// What is impossible
//===----------------------------------------------------------------------===//

/// An irreducible part of what the signature declares for which `holds` is true
/// of the facts; empty if it is not even true of all.
static SmallVector<const Requirement *>
findCore(FunctionShapes &shapes,
         llvm::function_ref<bool(ConstraintSet &)> holds) {
  auto holdsOf = [&](ArrayRef<const Requirement *> declared) {
    ConstraintSet facts(shapes.arena());
    for (const Requirement &requirement : shapes.declared()) {
      for (Expr symbol : requirement.condition.symbols())
        if (const SymbolDef *def = shapes.definition(symbol)) {
          facts.declare(symbol,
                        {def->backed ? symshape::Range::between(0, kMaxExtent)
                                     : symshape::Range::all()});
        }
    }
    for (const Requirement *requirement : declared)
      assume(facts, requirement->condition);
    return holds(facts);
  };
  SmallVector<const Requirement *> kept;
  for (const Requirement &requirement : shapes.declared())
    kept.push_back(&requirement);
  return irreducible(std::move(kept), holdsOf);
}

/// The part of `core` to take back: the first that is one of the attributes.
static Correction withdrawOneOf(FunctionShapes &shapes,
                                ArrayRef<const Requirement *> core) {
  for (const Requirement *declared : llvm::reverse(core))
    if (Correction correction = withdraw(shapes, *declared); correction.apply)
      return correction;
  return {};
}

static void addDeclared(std::vector<std::string> &chain,
                        ArrayRef<const Requirement *> core) {
  for (const Requirement *declared : core)
    chain.push_back(declared->field + ": " + declared->condition.str());
}

/// What the signature says of an extent that a return contradicts, corrected.
static Correction redeclareResult(FunctionShapes &shapes,
                                  const Requirement &requirement) {
  auto ret = dyn_cast<func::ReturnOp>(requirement.op);
  if (!ret || !requirement.condition.isLiteral())
    return {};
  func::FuncOp function = shapes.function();
  for (OpOperand &operand : ret->getOpOperands()) {
    unsigned result = operand.getOperandNumber();
    auto shape = function.getResultAttrOfType<ShapeAttr>(
        result, SymShapeDialect::kShape);
    for (int64_t d = 0, e = shape ? shape.getRank() : 0; d < e; ++d) {
      Extent declared = shape.getExtent(d, shapes.arena());
      Expr actual = shapes.dim(operand.get(), d);
      if (declared.kind == Extent::Unknown ||
          !(declared.relationOf(actual) == requirement.condition.relation))
        continue;
      return redeclareResultExtent(function, result, d,
                                   shapes.printExtent(operand.get(), d));
    }
  }
  return {};
}

/// Declarations that contradict one another: then nothing else says anything.
bool PlanChecker::findContradiction() {
  SmallVector<const Requirement *> core =
      findCore(shapes, [](ConstraintSet &facts) {
        return facts.isContradictory() || !facts.conflictCore().empty();
      });
  if (core.empty())
    return false;
  func::FuncOp function = shapes.function();
  Violation violation{Violation::Contradictory,
                      function.getLoc(),
                      "what is declared contradicts itself",
                      {},
                      withdrawOneOf(shapes, core)};
  std::vector<std::string> chain;
  addDeclared(chain, core);
  addChain(violation, chain, function.getLoc());
  found.push_back(std::move(violation));
  return true;
}

Correction PlanChecker::correctImpossible(const Requirement &requirement,
                                          std::vector<std::string> &chain) {
  SmallVector<const Requirement *> core =
      findCore(shapes, [&](ConstraintSet &facts) {
        return prove(facts, requirement.condition).isNo();
      });
  addDeclared(chain, core);
  Correction correction = withdrawOneOf(shapes, core);
  return correction.apply ? correction : redeclareResult(shapes, requirement);
}

/// What the operands are, where a condition is of numbers alone, which say
/// nothing of where they come from.
static std::string describeOperands(FunctionShapes &shapes,
                                    const Requirement &requirement) {
  std::string text;
  if (requirement.call || !requirement.condition.symbols().empty())
    return text;
  for (Value operand : requirement.op->getOperands()) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!type || !type.hasRank())
      continue;
    SmallVector<std::string> extents;
    for (int64_t d = 0; d < type.getRank(); ++d)
      extents.push_back(shapes.printExtent(operand, d));
    text += (text.empty() ? ", of operands [" : ", [") +
            llvm::join(extents, ", ") + "]";
  }
  return text;
}

void PlanChecker::addImpossible(const Requirement &requirement) {
  Operation *at = requirement.call ? requirement.call : requirement.op;
  Violation violation{
      Violation::Impossible, findPlaced(at)->getLoc(), "", {}, {}};
  if (requirement.isUserAssert)
    violation.message = "assert always fails: " + requirement.message;
  else
    violation.message = "requirement can never hold: " +
                        describe(shapes, requirement.condition, nullptr);
  violation.notes.push_back({findPlaced(requirement.op)->getLoc(),
                             "needed by " + describeOrigin(requirement) +
                                 describeOperands(shapes, requirement)});
  std::vector<std::string> chain;
  violation.correction = correctImpossible(requirement, chain);
  addChain(violation, chain, shapes.function().getLoc());
  found.push_back(std::move(violation));
}

//===----------------------------------------------------------------------===//
// Policies and versions
//===----------------------------------------------------------------------===//

Violations mlir::symshape::findPolicyViolations(FunctionShapes &shapes) {
  Violations found;
  ConstraintSet &facts = shapes.entryFacts();
  for (SymbolAttr symbol : getSymbols(shapes.function())) {
    if (auto value = findOnlyValue(shapes, facts, symbol))
      found.push_back(makeOneValue(shapes, facts, symbol, *value));
    Expr e = shapes.arena().symbol(symbol.getName());
    if (symbol.getPolicy() == SymbolPolicy::Static &&
        !facts.simplify(e).isConstant())
      found.push_back(
          {Violation::Open,
           shapes.function().getLoc(),
           ("expected static symbol '" + symbol.getName() +
            "' to have one value; symshape-fixate gives it one, and "
            "symshape-run compiles for each")
               .str(),
           {},
           leaveOpen(shapes.function(), symbol)});
  }
  return found;
}

/// Versions that no call reaches.
static Violations findUnusedVersions(FunctionShapes &shapes) {
  if (!shapes.function()->hasAttr(SymShapeDialect::kVersions))
    return {};
  return orderVersions(shapes).unused;
}

Violations mlir::symshape::findViolations(ModuleOp module, GuardPlans &plans,
                                          bool frozen) {
  Violations all;
  module.walk([&](func::FuncOp function) {
    FunctionShapes *shapes = plans.lookup(function);
    if (!shapes)
      return;
    llvm::append_range(all,
                       findPlanViolations(*shapes, plans.of(*shapes), frozen));
    bool isContradictory =
        !all.empty() && all.back().kind == Violation::Contradictory;
    if (isContradictory)
      return;
    llvm::append_range(all, findPolicyViolations(*shapes));
    llvm::append_range(all, findUnusedVersions(*shapes));
  });
  return all;
}
