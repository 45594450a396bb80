//===- CompileRecord.cpp - What a compilation takes -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CompileRecord.h.
//
//===----------------------------------------------------------------------===//

#include "CompileRecord.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "symshape/IR/Places.h"
#include "symshape/Transforms/Canonicalizer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::symshape;
namespace json = llvm::json;

/// How many of the costliest are told.
static constexpr size_t most = 10;

namespace {
/// Takes the times of MLIR's timers: of what is nested in the root, which are
/// stages, and of what is below.
class TimeTaker final : public OutputStrategy {
public:
  explicit TimeTaker(json::Object &report)
      : OutputStrategy(llvm::nulls()), report(report) {}

  void printHeader(const TimeRecord &total) override {
    report["seconds"] = total.wall;
  }
  void printTime(const TimeRecord &, const TimeRecord &) override {}
  void printListEntry(StringRef, const TimeRecord &, const TimeRecord &,
                      bool) override {}
  void printTreeEntry(unsigned indent, StringRef name, const TimeRecord &time,
                      const TimeRecord &) override {
    if (indent == 0)
      stages.push_back(
          json::Object{{"name", name.str()}, {"seconds", time.wall}});
    else if (!name.ends_with(" Pipeline"))
      passes[name.str()] += time.wall;
  }
  void printTreeEntryEnd(unsigned, bool) override {}
  void printFooter() override {
    SmallVector<std::pair<double, StringRef>> sorted;
    for (auto &[name, seconds] : passes)
      sorted.emplace_back(-seconds, name);
    llvm::sort(sorted);
    json::Array list;
    for (auto [seconds, name] : sorted)
      list.push_back(json::Object{{"name", name.str()}, {"seconds", -seconds}});
    report["stages"] = std::move(stages);
    report["passes"] = std::move(list);
  }

private:
  json::Object &report;
  json::Array stages;
  std::map<std::string, double> passes;
};
} // namespace

CompileRecord::CompileRecord(bool isWanted) : isWanted(isWanted) {
  rewriteStepsBefore = countRewriteSteps();
  manager.setEnabled(isWanted);
  manager.setDisplayMode(DefaultTimingManager::DisplayMode::Tree);
  manager.setOutput(std::make_unique<TimeTaker>(report));
  whole = manager.getRootScope();
  if (isWanted)
    questions.emplace();
}

/// The node of a model, or the place in a file; empty if there is none.
static std::string nameOf(Location loc) {
  std::string node = describeNode(loc);
  return node.empty() ? describePlace(loc) : node;
}

void CompileRecord::countCode(ModuleOp lowered) {
  if (!isWanted)
    return;
  llvm::DenseMap<Location, int64_t> countOf;
  int64_t total = 0;
  lowered.walk([&](LLVM::LLVMFuncOp function) {
    function.walk([&](Operation *op) {
      ++countOf[op->getLoc()];
      ++total;
    });
  });
  std::map<std::string, int64_t> countAt;
  for (auto [loc, count] : countOf) {
    std::string name = nameOf(loc);
    countAt[name.empty() ? "no op of the program" : name] += count;
  }
  SmallVector<std::pair<int64_t, StringRef>> sorted;
  for (auto &[name, count] : countAt)
    sorted.emplace_back(-count, name);
  llvm::sort(sorted);
  json::Array places;
  for (auto [count, name] : ArrayRef(sorted).take_front(most))
    places.push_back(
        json::Object{{"place", name.str()}, {"instructions", -count}});
  report["numInstructions"] = total;
  report["places"] = std::move(places);
}

static json::Array describeQuestions(const QuestionLog &log) {
  json::Array list;
  for (const QuestionLog::Question &one : log.getCostliest(most)) {
    std::string place;
    if (one.place)
      place = nameOf(Location::getFromOpaquePointer(one.place));
    list.push_back(json::Object{{"question", one.text},
                                {"place", place},
                                {"asked", one.numAsked},
                                {"decided", one.numDecided},
                                {"steps", one.numSteps},
                                {"seconds", one.seconds}});
  }
  return list;
}

std::shared_ptr<const json::Object>
CompileRecord::finish(llvm::StringRef function) {
  if (!isWanted)
    return nullptr;
  whole.stop();
  manager.print();
  QuestionLog::Question total = questions->getTotal();
  report["function"] = function.str();
  report["numAsked"] = total.numAsked;
  report["numDecided"] = total.numDecided;
  report["numRewriteSteps"] = countRewriteSteps() - rewriteStepsBefore;
  report["questionSeconds"] = total.seconds;
  report["questions"] = describeQuestions(*questions);
  return std::make_shared<const json::Object>(std::move(report));
}
