//===- RequirementWords.cpp - What ops need, in words ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequirementWords.h"
#include "symshape/IR/Places.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Writes what the ops of one function need.
class RequirementWriter {
public:
  RequirementWriter(FunctionShapes &shapes,
                    DenseMap<Operation *, std::string> &words)
      : shapes(shapes), words(words) {}
  /// `what` says what becomes of the condition.
  void add(StringRef what, const Formula &condition,
           ArrayRef<const Requirement *> reasons);

private:
  FunctionShapes &shapes;
  DenseMap<Operation *, std::string> &words;
};
} // namespace

/// An item of a list: a sentence, and where its names come from below it.
static std::string itemOf(StringRef what, StringRef description) {
  auto [sentence, origins] = description.split('\n');
  std::string item = ("- " + what + ": `" + sentence + "`\n").str();
  SmallVector<StringRef> lines;
  origins.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    item += ("  - `" + line.trim() + "`\n").str();
  return item;
}

void RequirementWriter::add(StringRef what, const Formula &condition,
                            ArrayRef<const Requirement *> reasons) {
  std::string item = itemOf(what, describe(shapes, condition, nullptr));
  llvm::SetVector<Operation *> ops;
  for (const Requirement *reason : reasons)
    ops.insert(findPlaced(reason->call ? reason->call : reason->op));
  for (Operation *op : ops) {
    std::string &text = words[op];
    if (!StringRef(text).contains(item)) // an op may need the same twice
      text += item;
  }
}

void mlir::symshape::describeRequirements(
    FunctionShapes &shapes, GuardPlans &plans,
    DenseMap<Operation *, std::string> &words) {
  RequirementWriter writer(shapes, words);
  if (!shapes.callersTakeOver()) {
    const GuardPlan &plan = plans.of(shapes);
    for (const Guard &guard : plan.guards)
      writer.add("checked at entry", guard.condition, guard.reasons);
    for (const Guard &guard : plan.dropped)
      writer.add("implied by checks at entry", guard.condition, guard.reasons);
    for (const DeferredCheck &check : plan.deferred)
      writer.add("checked when it runs", check.condition, check.reasons);
    for (const DeferredCheck &check : plan.droppedChecks)
      writer.add("implied by what is checked when it runs", check.condition,
                 check.reasons);
    for (const Requirement *requirement : plan.violated)
      writer.add("can never hold", requirement->condition, requirement);
  }
  // An op may need the same twice, and the first check proves the second.
  std::set<std::pair<const Operation *, std::string>> isChecked;
  for (const Requirement &requirement : shapes.requirements())
    if (!requirement.answer.isYes())
      isChecked.insert({requirement.op, requirement.condition.str()});
  for (const Requirement &requirement : shapes.requirements()) {
    const Formula &condition = requirement.condition;
    if (!requirement.answer.isYes()) {
      if (shapes.callersTakeOver())
        writer.add("checked by callers", condition, &requirement);
    } else if (!condition.symbols().empty() &&
               !isChecked.count({requirement.op, condition.str()})) {
      writer.add("proved", condition, &requirement);
    }
  }
}

std::string mlir::symshape::summariseRequirements(FunctionShapes &shapes,
                                                  GuardPlans &plans) {
  if (shapes.callersTakeOver())
    return "Callers check what it requires.\n";
  const GuardPlan &plan = plans.of(shapes);
  auto count = [](size_t number, StringRef what) {
    return (llvm::Twine(number) + " " + what + (number == 1 ? "" : "s")).str();
  };
  std::string text = std::to_string(plan.numProved) + " proved, " +
                     count(plan.guards.size(), "guard") + ", " +
                     count(plan.deferred.size(), "check") + "\n\n";
  for (const Guard &guard : plan.guards) {
    text += itemOf("guard", describe(shapes, guard.condition, nullptr));
    for (const Requirement *reason : guard.reasons)
      if (std::string origin =
              "  - needed by " + describeOrigin(*reason) + "\n";
          !StringRef(text).ends_with(origin))
        text += origin;
  }
  return text;
}
