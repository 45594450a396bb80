//===- Check.cpp - What a model declares, checked -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verb check, and what verbs report about guards and nodes.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/Extents/Check.h"
#include "symshape/Import/Extents/Conditions.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

std::vector<std::string>
mlir::symshape::onnx::describeNeeds(ArrayRef<const Requirement *> reasons) {
  std::vector<std::string> origins;
  auto add = [&](std::string origin) {
    if (!llvm::is_contained(origins, origin))
      origins.push_back(std::move(origin));
  };
  for (const Requirement *reason : reasons)
    if (isa<func::FuncOp>(reason->op))
      add("the declarations of the inputs");
    else if (auto place = reason->op->getLoc()->findInstanceOf<NameLoc>())
      add(escaped(place.getName()));
    else
      add(describeOrigin(*reason));
  return origins;
}

std::string
mlir::symshape::onnx::describeCondition(ModelExtents &extents,
                                        const Formula &condition,
                                        ArrayRef<const Requirement *> reasons) {
  // Of numbers alone, as 0 <= -1, it says nothing.
  if (condition.symbols().empty() && !reasons.front()->message.empty())
    return escaped(reasons.front()->message);
  return extents.text(condition);
}

/// `2 guards`.
static std::string counted(size_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

/// In words, with who needs it.
static void tell(ModelExtents &extents, const Formula &condition,
                 ArrayRef<const Requirement *> reasons, raw_ostream &os) {
  os << describeCondition(extents, condition, reasons) << '\n';
  std::vector<std::string> origins = describeNeeds(reasons);
  constexpr size_t most = 3;
  for (const std::string &origin : ArrayRef(origins).take_front(most))
    os << "  needed by " << origin << '\n';
  if (origins.size() > most)
    os << "  needed by " << origins.size() - most << " more\n";
}

bool mlir::symshape::onnx::tellGuards(ModelExtents &extents, bool all,
                                      raw_ostream &os) {
  const GuardPlan &plan = extents.plan();
  for (const Requirement *violated : plan.violated) {
    os << "never: ";
    tell(extents, violated->condition, violated, os);
  }
  unsigned numBounds = 0;
  for (const Guard &guard : plan.guards) {
    if (isCommonBound(guard.condition) && !all) {
      ++numBounds;
      continue;
    }
    os << "valid if: ";
    tell(extents, guard.condition, guard.reasons, os);
  }
  if (numBounds)
    os << "valid if: numbers of elements are at most 2^63 - 1 ("
       << counted(numBounds, "guard") << ")\n";
  for (const DeferredCheck &check : plan.deferred)
    if (all) {
      os << "checked on the way: ";
      tell(extents, check.condition, check.reasons, os);
    }
  if (!plan.deferred.empty() && !all)
    os << "checked on the way: " << counted(plan.deferred.size(), "condition")
       << '\n';
  bool isPossible = plan.violated.empty();
  if (isPossible && extents.facts().isContradictory()) {
    os << "no size is valid\n";
    isPossible = false;
  }
  return isPossible;
}

void mlir::symshape::onnx::tellSkipped(const ModelExtents &extents,
                                       raw_ostream &os) {
  using Skipped = ImportTrace::Skipped;
  SmallVector<StringRef> lines;
  std::string unknown = describeUnknownOps(extents.unknownOps());
  StringRef(unknown).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    os << line << '\n';
  for (const Skipped &skipped : extents.skipped())
    if (skipped.cause == Skipped::Refused)
      os << "error: " << escaped(skipped.reason) << '\n';
    else if (skipped.cause == Skipped::Asks)
      os << "for the first call: " << escaped(skipped.reason) << '\n';
  size_t numFollowing =
      llvm::count_if(extents.skipped(), [](const Skipped &skipped) {
        return skipped.cause == Skipped::Follows;
      });
  if (numFollowing)
    os << "nodes of which nothing is known, for one of these comes before: "
       << numFollowing << '\n';
}

Outcome mlir::symshape::onnx::checkModel(ModelExtents &extents, bool all,
                                         raw_ostream &os) {
  os << describeValidity(extents) << '\n';
  tellSkipped(extents, os);
  bool isPossible = extents.isPossible();
  std::vector<unsigned> counts;
  if (isPossible) {
    std::vector<ShapeClaim> claims = judgeClaims(extents);
    counts = tellClaims(extents, claims, all, os);
  }
  tellGuards(extents, all, os);
  if (!isPossible)
    return Outcome::Refused;
  auto count = [&](Standing standing) {
    return counts[static_cast<size_t>(standing)];
  };
  os << count(Standing::Proved) << " proved, " << count(Standing::Definition)
     << " definitions, " << count(Standing::Undecided) << " not decided, "
     << count(Standing::Contradicted) << " contradicted, "
     << count(Standing::Unknown) << " not inferred, "
     << extents.plan().guards.size() << " guards\n";
  if (count(Standing::Contradicted) || !extents.unknownOps().empty())
    return Outcome::Refused;
  return extents.isRefused() ? Outcome::Incomplete : Outcome::Done;
}
