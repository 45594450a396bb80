//===- DeclaredPolicies.cpp - What may become of symbols ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeclaredPolicies.h"
#include "DeclaredFacts.h"

#include "mlir/Pass/Pass.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_CHECKPOLICIESPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static SmallVector<SymbolAttr> getSymbols(func::FuncOp function) {
  auto symbols = function->getAttrOfType<ArrayAttr>(SymShapeDialect::kSymbols);
  if (!symbols)
    return {};
  return llvm::to_vector(symbols.getAsRange<SymbolAttr>());
}

//===----------------------------------------------------------------------===//
// What is required
//===----------------------------------------------------------------------===//

namespace {
/// Lists what a plan requires and must not.
class PlanChecker {
public:
  PlanChecker(FunctionShapes &shapes, const GuardPlan &plan)
      : shapes(shapes), plan(plan) {
    for (SymbolAttr symbol : getSymbols(shapes.function()))
      if (symbol.getPolicy() == SymbolPolicy::Dynamic)
        dynamic.insert(symbol.getName());
  }

  LogicalResult run(bool frozen);

private:
  struct Violation {
    std::string what;
    const Requirement *reason;
    std::string cure;
  };

  bool isDeclared(const Guard &guard) const;
  std::string findDynamic(const Formula &condition) const;
  std::string getCure(const Formula &condition) const;
  void report(ArrayRef<Violation> violations);
  void attachOnlyValues(InFlightDiagnostic &diag);

  FunctionShapes &shapes;
  const GuardPlan &plan;
  llvm::StringSet<> dynamic;
};
} // namespace

/// By the signature, or an assert in the program.
bool PlanChecker::isDeclared(const Guard &guard) const {
  ArrayRef<Requirement> declared = shapes.declared();
  return llvm::any_of(guard.reasons, [&](const Requirement *reason) {
    return reason->isUserAssert ||
           (reason >= declared.begin() && reason < declared.end());
  });
}

/// A symbol of `condition` that must keep its values; empty if there is none.
std::string PlanChecker::findDynamic(const Formula &condition) const {
  SmallVector<Expr> symbols;
  condition.collectSymbols(symbols);
  for (Expr symbol : symbols)
    if (dynamic.contains(*symbol.asSymbol()))
      return symbol.asSymbol()->str();
  return "";
}

/// What to write so that `condition` is declared; the names of dims that have
/// none are given by the analysis.
std::string PlanChecker::getCure(const Formula &condition) const {
  SmallVector<Expr> symbols;
  condition.collectSymbols(symbols);
  std::string unnamed;
  func::FuncOp function = shapes.function();
  for (BlockArgument argument : function.getArguments()) {
    auto shape = function.getArgAttrOfType<ShapeAttr>(argument.getArgNumber(),
                                                      SymShapeDialect::kShape);
    auto type = dyn_cast<ShapedType>(argument.getType());
    for (int64_t d = 0, e = type && type.hasRank() ? type.getRank() : 0; d < e;
         ++d) {
      bool isMeant =
          llvm::is_contained(symbols, shapes.dim(argument, d)) &&
          !(shape && shape.getExtent(d, shapes.arena()).kind == Extent::Exact);
      if (isMeant)
        unnamed += (unnamed.empty() ? "name dim " : ", dim ") +
                   std::to_string(d) + " of " +
                   shapes.spellingOfArgument(argument.getArgNumber()) + " '" +
                   shapes.dim(argument, d).str() + "'";
    }
  }
  if (!unnamed.empty())
    unnamed += ", and ";
  if (!condition.isLiteral() || condition.negated)
    return unnamed + "check it before the call, or branch on it";
  return unnamed + "declare symshape.assume = [#symshape.fact<\"" +
         condition.relation.str() + "\">]";
}

/// Says which symbols all guards together leave one value.
void PlanChecker::attachOnlyValues(InFlightDiagnostic &diag) {
  ConstraintSet &facts = shapes.entryFacts();
  facts.push();
  for (const Guard &guard : plan.guards)
    assume(facts, guard.condition);
  for (SymbolAttr attr : getSymbols(shapes.function())) {
    Expr symbol = shapes.arena().symbol(attr.getName());
    symshape::Range range = facts.bounds(symbol);
    if (!dynamic.contains(attr.getName()) || !range.min ||
        range.min != range.max)
      continue;
    std::string value;
    llvm::raw_string_ostream(value) << *range.min;
    diag.attachNote() << "together they leave '" << attr.getName()
                      << "' the value " << value << " alone";
  }
  facts.pop();
}

void PlanChecker::report(ArrayRef<Violation> violations) {
  InFlightDiagnostic diag = shapes.function().emitError()
                            << "expected no requirement beyond what is "
                               "declared, but got "
                            << violations.size();
  for (const Violation &violation : violations) {
    const Requirement &reason = *violation.reason;
    diag.attachNote(reason.op->getLoc())
        << violation.what << "; needed by " << describeOrigin(reason);
    diag.attachNote() << "to accept it, " << violation.cure;
  }
  attachOnlyValues(diag);
}

LogicalResult PlanChecker::run(bool frozen) {
  SmallVector<Violation> violations;
  for (const Guard &guard : plan.guards) {
    if (isDeclared(guard))
      continue;
    std::string symbol = findDynamic(guard.condition);
    if (symbol.empty() && !frozen)
      continue;
    std::string what = describe(shapes, guard.condition, nullptr);
    if (!symbol.empty())
      what = "'" + symbol + "' is dynamic, but " + what;
    violations.push_back(
        {what, guard.reasons.front(), getCure(guard.condition)});
  }
  if (frozen)
    for (const DeferredCheck &check : plan.deferred)
      if (!check.requirement->isUserAssert)
        violations.push_back(
            {describe(shapes, check.requirement->condition, nullptr),
             check.requirement, "assert it before the op, or branch on it"});
  if (violations.empty())
    return success();
  report(violations);
  return failure();
}

LogicalResult mlir::symshape::checkPlan(FunctionShapes &shapes,
                                        const GuardPlan &plan, bool frozen) {
  return PlanChecker(shapes, plan).run(frozen);
}

//===----------------------------------------------------------------------===//
// What symbols are
//===----------------------------------------------------------------------===//

/// Checks one symbol against its policy.
static LogicalResult checkSymbol(FunctionShapes &shapes, SymbolAttr symbol) {
  if (symbol.getPolicy() == SymbolPolicy::Auto)
    return success();
  ConstraintSet &facts = shapes.entryFacts();
  Expr e = shapes.arena().symbol(symbol.getName());
  std::optional<llvm::DynamicAPInt> value = facts.simplify(e).asConstant();
  if (symbol.getPolicy() == SymbolPolicy::Static && !value)
    return shapes.function().emitError()
           << "expected static symbol '" << symbol.getName()
           << "' to have one value; symshape-fixate gives it one, and "
              "symshape-run compiles for each";
  if (symbol.getPolicy() == SymbolPolicy::Dynamic && value) {
    std::string text;
    llvm::raw_string_ostream(text) << *value;
    InFlightDiagnostic diag = shapes.function().emitError()
                              << "expected dynamic symbol '" << symbol.getName()
                              << "' to have several values, but got " << text
                              << " alone";
    std::vector<std::string> chain;
    facts.explain(Relation::eq(e, shapes.arena().constant(*value)), chain);
    attachChain(diag, chain);
    return diag;
  }
  return success();
}

namespace {
struct CheckPoliciesPass
    : symshape::impl::CheckPoliciesPassBase<CheckPoliciesPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    getOperation().walk([&](func::FuncOp function) {
      if (llvm::any_of(getSymbols(function), [](SymbolAttr symbol) {
            return symbol.getPolicy() != SymbolPolicy::Auto;
          }))
        functions.push_back(function);
    });
    if (functions.empty())
      return;
    ShapeAnalysis analysis(getOperation());
    for (func::FuncOp function : functions)
      if (FunctionShapes *shapes = analysis.lookup(function))
        for (SymbolAttr symbol : getSymbols(function))
          if (failed(checkSymbol(*shapes, symbol)))
            signalPassFailure();
  }
};
} // namespace
