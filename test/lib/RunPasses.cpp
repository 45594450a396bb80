//===- RunPasses.cpp - Passes alone over the sections of files ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits files at `// -----` and runs each pipeline over each section, in a
// context of its own where only the parser and the dependent dialects of the
// passes have loaded dialects; then orders of passes, in one context for all. A
// run that ends its process ends no other one. One line of JSON per run that
// must not happen, and one per section. Not for: which pipelines, and what the
// outcomes mean together (utils/run_passes.py).
//
//===----------------------------------------------------------------------===//

#include "ForkedRun.h"
#include "FunctionFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "symshape/InitAll.h"
#include "symshape/Reducer/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::symshape::test;
namespace json = llvm::json;

static llvm::cl::list<std::string>
    files(llvm::cl::Positional, llvm::cl::OneOrMore, llvm::cl::desc("FILE..."));
static llvm::cl::list<std::string>
    pipelines("run",
              llvm::cl::desc("passes, as text; with {function}, once for each "
                             "function of the section, up to four"));
static llvm::cl::list<std::string>
    orders("order", llvm::cl::desc("passes, as text, for one context"));
static llvm::cl::opt<unsigned>
    seconds("seconds", llvm::cl::desc("of the processor for one run"),
            llvm::cl::init(20));
static llvm::cl::opt<unsigned>
    share("one-in",
          llvm::cl::desc("run one of so many pairs of a section and "
                         "a pipeline, drawn by the seed"),
          llvm::cl::init(1));
static llvm::cl::opt<unsigned> seed("seed", llvm::cl::desc("of the draw"));
static llvm::cl::opt<bool>
    nested("nested", llvm::cl::desc("put each section into a module of its "
                                    "own inside of another one"));
static llvm::cl::opt<unsigned>
    onlyLine("line", llvm::cl::desc("only the section that begins here"));

static llvm::cl::opt<bool>
    comparesFacts("facts", llvm::cl::desc("ask whether what was known of each "
                                          "function still is after each pass"));

/// What a message says that only the author of a pass understands.
static constexpr StringRef kInternalWords[] = {
    "unresolved materialization", "unrealized_conversion_cast",
    "explicitly marked illegal", "does not dominate"};

namespace {
/// The facts of a section's functions, and which of them modules have lost, by
/// the text of these: many passes leave the same one.
struct KnownFacts {
  FunctionFacts facts;
  llvm::StringMap<LostFacts> lost;

  const LostFacts &compare(ModuleOp module);
};

/// Notes the first pass after which a fact is lost that no remark of it tells.
struct FactObserver : PassInstrumentation {
  FactObserver(ModuleOp module, KnownFacts &facts, const std::string &remarks,
               Shared &shared, json::Object &record)
      : module(module), facts(facts), remarks(remarks), shared(shared),
        record(record) {}

  void runAfterPass(Pass *, Operation *op) override {
    if (op != module || record.get("lost"))
      return;
    const LostFacts &lost = facts.compare(module);
    record["compared"] = int64_t(lost.numCompared);
    if (lost.stated.empty() && lost.needed.empty())
      return;
    std::string text = lost.stated.empty() ? "needs " + lost.needed.front()
                                           : lost.stated.front();
    record["lost"] = std::string(shared.pass);
    record["message"] = json::fixUTF8(StringRef(text).take_front(300));
    record["remarks"] = json::fixUTF8(StringRef(remarks).take_front(1000));
  }

  ModuleOp module;
  KnownFacts &facts;
  const std::string &remarks;
  Shared &shared;
  json::Object &record;
};
} // namespace

const LostFacts &KnownFacts::compare(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().useLocalScope().assumeVerified());
  auto [it, isNew] = lost.try_emplace(text);
  if (isNew)
    it->second = findLostFacts(module, facts);
  return it->second;
}

static json::Object runPipeline(ModuleOp module, const Section &section,
                                StringRef text, KnownFacts &facts,
                                Shared &shared) {
  MLIRContext *context = module.getContext();
  Errors errors;
  std::string invalid, internal, remarks;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
    errors.add(diag);
    if (diag.getSeverity() == DiagnosticSeverity::Remark &&
        StringRef(diag.str()).contains("] facts | "))
      remarks += diag.str() + "\n";
    for (StringRef words : kInternalWords)
      if (StringRef(diag.str()).contains(words) &&
          !section.text.contains(words))
        internal = diag.str();
  });
  PassManager manager(context, ModuleOp::getOperationName(),
                      PassManager::Nesting::Implicit);
  manager.addInstrumentation(std::make_unique<PassObserver>(shared, invalid));
  if (failed(parsePassPipeline(text, manager)))
    return json::Object{{"status", "no pipeline"}};
  json::Object kept;
  if (comparesFacts)
    manager.addInstrumentation(
        std::make_unique<FactObserver>(module, facts, remarks, shared, kept));
  LogicalResult result = manager.run(module);
  json::Object record = describeRun(errors, invalid, result);
  record["pass"] = StringRef(shared.pass);
  if (!internal.empty() && *record.getString("status") == "refused") {
    record["status"] = "words";
    record["message"] = json::fixUTF8(StringRef(internal).take_front(300));
  }
  if (*record.getString("status") == "ok") {
    if (auto pass = kept.getString("lost")) {
      kept["status"] = "lost";
      kept["pass"] = *pass;
      return kept;
    }
    if (auto compared = kept.getInteger("compared"))
      record["compared"] = *compared;
  }
  return record;
}

/// True for a pair that is drawn: the same ones for the same seed, in any
/// folder.
static bool isDrawn(const Section &section, StringRef pipeline) {
  std::string text = (Twine(seed) + llvm::sys::path::filename(section.path) +
                      ":" + Twine(section.linesBefore) + ":" + pipeline)
                         .str();
  return llvm::xxh3_64bits(text) % share == 0;
}

/// `text` with the names of functions of `module` in place of "{function}".
static SmallVector<std::string> nameFunctions(ModuleOp module, StringRef text) {
  StringRef hole = "{function}";
  size_t place = text.find(hole);
  if (place == StringRef::npos)
    return {text.str()};
  SmallVector<std::string> texts;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() && texts.size() < 4)
      texts.push_back((text.take_front(place) + "\"" + function.getName() +
                       "\"" + text.drop_front(place + hole.size()))
                          .str());
  return texts;
}

static MLIRContext *prepare(MLIRContext &context) {
  context.allowUnregisteredDialects();
  context.printOpOnDiagnostic(false);
  if (!comparesFacts)
    return &context;
  remark::RemarkCategories categories;
  categories.passed = ".*";
  (void)remark::enableOptimizationRemarks(
      context, nullptr, std::make_unique<remark::RemarkEmittingPolicyAll>(),
      categories, /*printAsEmitRemarks=*/true);
  return &context;
}

static OwningOpRef<ModuleOp> read(MLIRContext &context,
                                  const Section &section) {
  OwningOpRef<ModuleOp> module = parseSection(context, section);
  if (!module || !nested)
    return module;
  OwningOpRef<ModuleOp> outer = ModuleOp::create(module->getLoc());
  outer->push_back(module.release());
  return outer;
}

namespace {
/// What is said of the runs over one section.
struct Tally {
  const Section &section;
  int64_t compared = 0;
  llvm::MapVector<StringRef, json::Object> counts; ///< by pipeline

  void add(StringRef pipeline, StringRef text, json::Object record);
  void print();
};
} // namespace

/// Counts a run, and prints what must not happen.
void Tally::add(StringRef pipeline, StringRef text, json::Object record) {
  std::string status = record.getString("status")->str();
  compared += record.getInteger("compared").value_or(0);
  json::Object &row = counts[pipeline];
  row[status] = row.getInteger(status).value_or(0) + 1;
  if (status == "ok" || status == "refused")
    return;
  record["pipeline"] = text;
  record["file"] = section.path;
  record["line"] = section.linesBefore + 1;
  llvm::outs() << json::Value(std::move(record)) << '\n';
  llvm::outs().flush();
}

void Tally::print() {
  json::Object statuses;
  for (auto &[pipeline, row] : counts)
    statuses[pipeline] = std::move(row);
  llvm::outs() << json::Value(json::Object{{"file", section.path},
                                           {"line", section.linesBefore + 1},
                                           {"status", "done"},
                                           {"compared", compared},
                                           {"counts", std::move(statuses)}})
               << '\n';
}

static void runSection(const DialectRegistry &registry,
                       const Section &section) {
  if (onlyLine && onlyLine != section.linesBefore + 1)
    return;
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = read(*prepare(context), section);
  if (!module)
    return printNotParsed(section);
  KnownFacts facts;
  if (comparesFacts)
    facts.facts = collectFacts(*module);
  Tally tally{section};

  SmallVector<std::pair<StringRef, std::string>> alone, together;
  for (StringRef pipeline : pipelines)
    if (isDrawn(section, pipeline))
      for (std::string &text : nameFunctions(*module, pipeline))
        alone.push_back({pipeline, std::move(text)});
  for (StringRef order : orders)
    if (isDrawn(section, order))
      together.push_back({order, order.str()});

  runForked(
      alone.size(), seconds,
      [&](unsigned number, Shared &shared) {
        MLIRContext context(registry, MLIRContext::Threading::DISABLED);
        OwningOpRef<ModuleOp> module = read(*prepare(context), section);
        return runPipeline(*module, section, alone[number].second, facts,
                           shared);
      },
      [&](unsigned number, json::Object record) {
        tally.add(alone[number].first, alone[number].second, std::move(record));
      });
  runForked(
      together.size(), seconds,
      [&](unsigned number, Shared &shared) {
        OwningOpRef<ModuleOp> copy = module->clone();
        return runPipeline(*copy, section, together[number].second, facts,
                           shared);
      },
      [&](unsigned number, json::Object record) {
        tally.add(together[number].first, together[number].second,
                  std::move(record));
      });
  tally.print();
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "Runs passes alone\n");
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registerAllExtensions(registry);
  symshape::registerAllDialects(registry);
  symshape::registerTMTensorReader(registry);
  mlir::registerAllPasses();
  symshape::registerAllPasses();
  symshape::registerSymShapeReducerPasses();
  return forEachSection(
      files, [&](const Section &section) { runSection(registry, section); });
}
