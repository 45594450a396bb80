//===- RunFunctions.cpp - Each function of a file through our pipelines ---===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits files at `// -----` and runs each function, alone in a module with
// the symbols that it uses, through each mode in a process of its own. One line
// of JSON per run. Not for: what the outcomes mean together
// (utils/run_upstream.py).
//
//===----------------------------------------------------------------------===//

#include "RunFunctions.h"

#include "ForkedRun.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "symshape/Execution/ObjectCode.h"
#include "symshape/InitAll.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CommandLine.h"
#include <ctime>

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::test;
namespace json = llvm::json;

static llvm::cl::list<std::string>
    files(llvm::cl::Positional, llvm::cl::OneOrMore, llvm::cl::desc("FILE..."));
static llvm::cl::list<std::string> modes("mode", llvm::cl::CommaSeparated,
                                         llvm::cl::OneOrMore,
                                         llvm::cl::desc("what to run"));
static llvm::cl::opt<std::string>
    only("only", llvm::cl::desc("only the functions of this name"));
static llvm::cl::opt<bool> print("print",
                                 llvm::cl::desc("print the modules, run none"));
static llvm::cl::opt<unsigned>
    seconds("seconds", llvm::cl::desc("of the processor for one run"),
            llvm::cl::init(20));

/// The roots of all symbols that `op` names.
static void collectSymbols(Operation *op, llvm::SetVector<StringAttr> &names) {
  op->walk([&](Operation *inner) {
    inner->getAttrDictionary().walk([&](SymbolRefAttr reference) {
      names.insert(reference.getRootReference());
    });
    if (Attribute properties = inner->getPropertiesAsAttribute())
      properties.walk([&](SymbolRefAttr reference) {
        names.insert(reference.getRootReference());
      });
  });
}

/// Gives `op` a place, where the file says that it has none.
static void fillPlace(Operation *op, Location place) {
  if (!op->getLoc()->findInstanceOf<FileLineColLoc>())
    op->setLoc(place);
}

OwningOpRef<ModuleOp> test::isolate(func::FuncOp function) {
  Operation *table = function->getParentOp();
  llvm::SetVector<Operation *> needed;
  needed.insert(function);
  for (size_t i = 0; i < needed.size(); ++i) {
    llvm::SetVector<StringAttr> names;
    collectSymbols(needed[i], names);
    for (StringAttr name : names)
      if (Operation *symbol = SymbolTable::lookupSymbolIn(table, name))
        needed.insert(symbol);
  }
  // What is wrong has a place inside of the function, not that of a module.
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(function.getContext()));
  if (isa<ModuleOp>(table))
    (*module)->setDiscardableAttrs(DictionaryAttr::get(
        table->getContext(), llvm::to_vector(table->getDiscardableAttrs())));
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  Location file = FileLineColLoc::get(function.getContext(), "file", 1, 1);
  for (Region &region : table->getRegions())
    for (Operation &op : region.getOps())
      if (needed.contains(&op))
        fillPlace(builder.clone(op), file);
  return module;
}

/// Runs one mode in this process; the record says how it went.
static json::Object runMode(func::FuncOp function, StringRef mode,
                            Shared &shared) {
  OwningOpRef<ModuleOp> module = isolate(function);
  Errors errors;
  std::string invalid;
  ScopedDiagnosticHandler handler(function.getContext(),
                                  [&](Diagnostic &diag) { errors.add(diag); });
  if (failed(verify(*module)))
    return json::Object{{"status", "not alone"}, {"message", errors.first}};
  auto begin = std::clock();
  auto watch = [&](PassManager &manager) {
    manager.addInstrumentation(std::make_unique<PassObserver>(shared, invalid));
  };
  auto setPhase = [&](StringRef phase) {
    snprintf(shared.pass, sizeof(shared.pass), "%s", phase.str().c_str());
  };
  ModeRun run{*module, function.getName().str(), json::Object(), watch,
              setPhase};
  LogicalResult result = runMode(mode, run);
  double time = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  json::Object record = describeRun(errors, invalid, result);
  for (auto &detail : run.details)
    record[detail.first] = std::move(detail.second);
  record["seconds"] = time;
  record["pass"] = StringRef(shared.pass);
  return record;
}

static void runSection(const DialectRegistry &registry,
                       const Section &section) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  context.printOpOnDiagnostic(false);
  OwningOpRef<ModuleOp> module = parseSection(context, section);
  if (!module)
    return printNotParsed(section);
  module->walk([&](func::FuncOp function) {
    if (function.isDeclaration() ||
        (!only.empty() && function.getName() != only))
      return;
    if (print) {
      isolate(function)->print(llvm::outs());
      return;
    }
    // Each in a process of its own, since times are compared.
    for (StringRef mode : modes)
      runForked(
          1, seconds,
          [&](unsigned, Shared &shared) {
            return runMode(function, mode, shared);
          },
          [&](unsigned, json::Object record) {
            record["mode"] = mode;
            record["function"] = function.getName();
            record["file"] = section.path;
            record["line"] = section.linesBefore + 1;
            llvm::outs() << json::Value(std::move(record)) << '\n';
            llvm::outs().flush();
          });
  });
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "Runs each function alone\n");
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registerAllExtensions(registry);
  symshape::registerAllDialects(registry);
  registerJitTranslations(registry);
  mlir::registerAllPasses(); // of upstream, by name
  return forEachSection(
      files, [&](const Section &section) { runSection(registry, section); });
}
