//===- VersionOrder.cpp - Which versions there are, and in what order -----===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorts the versions of a function so that the most specific one is asked
// first, and leaves out those that no call would take.
//
//===----------------------------------------------------------------------===//

#include "Corrections.h"
#include "VersionChoice.h"

using namespace mlir;
using namespace mlir::symshape;

Formula Version::getCondition() const {
  Formula all = Formula::truth(true);
  for (const Formula &part : parts)
    all = Formula::conj(all, part);
  return all;
}

namespace {
class VersionSorter {
public:
  explicit VersionSorter(FunctionShapes &shapes)
      : shapes(shapes), facts(shapes.entryFacts()) {}

  VersionOrder run();

private:
  void readVersions();
  bool isReachable(const Version &version);
  bool implies(const Version &a, const Formula &condition);
  void dropUnreachable();
  void dropEqual();
  void sortBySpecificity();
  void dropCovered();
  void addUnused(const Version &version, const Twine &why,
                 ArrayRef<std::string> chain = {});

  FunctionShapes &shapes;
  ConstraintSet &facts;
  SmallVector<Version> versions; ///< as declared, then as preferred
  Violations unused;
};
} // namespace

void VersionSorter::addUnused(const Version &version, const Twine &why,
                              ArrayRef<std::string> chain) {
  func::FuncOp function = shapes.function();
  Location loc = function.getLoc();
  unused.push_back(
      {Violation::UnusedVersion,
       loc,
       ("version '" + version.attr.getName() + "' is never chosen: " + why)
           .str(),
       {},
       removeVersion(function, version.attr)});
  for (const std::string &step : chain)
    unused.back().notes.push_back({loc, step});
}

void VersionSorter::readVersions() {
  auto declared =
      shapes.function()->getAttrOfType<ArrayAttr>(SymShapeDialect::kVersions);
  for (auto attr : declared.getAsRange<VersionAttr>()) {
    Version &version = versions.emplace_back();
    version.attr = attr;
    for (const Relation &relation : attr.getCondition(shapes.arena()))
      version.parts.push_back(relation);
  }
}

/// Reports why if it is not.
bool VersionSorter::isReachable(const Version &version) {
  facts.push();
  bool isReachable = true;
  for (const Formula &part : version.parts) {
    std::vector<std::string> chain;
    if (facts.explain(part.relation, chain).isNo()) {
      addUnused(version, "'" + part.str() + "' cannot hold", chain);
      isReachable = false;
      break;
    }
    assume(facts, part);
  }
  facts.pop();
  return isReachable;
}

bool VersionSorter::implies(const Version &a, const Formula &condition) {
  facts.push();
  assume(facts, a.getCondition());
  bool isImplied = prove(facts, condition).isYes();
  facts.pop();
  return isImplied;
}

void VersionSorter::dropUnreachable() {
  llvm::erase_if(versions,
                 [&](const Version &version) { return !isReachable(version); });
}

/// Of versions with equal conditions, the first stays.
void VersionSorter::dropEqual() {
  SmallVector<Version> kept;
  for (Version &version : versions) {
    auto isEqual = [&](const Version &other) {
      return implies(version, other.getCondition()) &&
             implies(other, version.getCondition());
    };
    auto *equal = llvm::find_if(kept, isEqual);
    if (equal == kept.end())
      kept.push_back(std::move(version));
    else
      addUnused(version,
                "its condition is that of '" + equal->attr.getName() + "'");
  }
  versions = std::move(kept);
}

/// Repeatedly takes the first version such that no other remaining one is more
/// specific.
void VersionSorter::sortBySpecificity() {
  SmallVector<Version> sorted;
  while (!versions.empty()) {
    auto *next = llvm::find_if(versions, [&](const Version &version) {
      return llvm::none_of(versions, [&](const Version &other) {
        return other.attr != version.attr &&
               implies(other, version.getCondition());
      });
    });
    sorted.push_back(std::move(*next));
    versions.erase(next);
  }
  versions = std::move(sorted);
}

/// Drops versions whose arguments all go to earlier versions.
void VersionSorter::dropCovered() {
  SmallVector<Version> kept;
  Formula before = Formula::truth(false);
  for (Version &version : versions) {
    if (implies(version, before)) {
      std::string others;
      for (const Version &other : kept)
        others +=
            (others.empty() ? " '" : ", '") + other.attr.getName().str() + "'";
      addUnused(version, "others admit all that it admits:" + others);
      continue;
    }
    before = Formula::disj(before, version.getCondition());
    kept.push_back(std::move(version));
  }
  versions = std::move(kept);
}

VersionOrder VersionSorter::run() {
  readVersions();
  dropUnreachable();
  dropEqual();
  sortBySpecificity();
  dropCovered();
  Formula any = Formula::truth(false);
  for (const Version &version : versions)
    any = Formula::disj(any, version.getCondition());
  bool isComplete = prove(facts, any).isYes();
  return {std::move(versions), isComplete, std::move(unused)};
}

VersionOrder mlir::symshape::orderVersions(FunctionShapes &shapes) {
  return VersionSorter(shapes).run();
}
