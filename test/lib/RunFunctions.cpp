//===- RunFunctions.cpp - Each function of a file through our pipelines ---===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits files at `// -----` and runs each function, alone in a module with
// the symbols that it uses, through each mode in a process of its own: one that
// is forked, since to start one costs more than most runs. One line of JSON per
// run. Not for: what the outcomes mean together (utils/run_upstream.py).
//
//===----------------------------------------------------------------------===//

#include "RunFunctions.h"

#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "symshape/Execution/Jit.h"
#include "symshape/InitAll.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <csignal>
#include <ctime>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

namespace {
/// A part of a file between two lines `// -----`.
struct Section {
  StringRef text;
  unsigned linesBefore;
};
} // namespace

static std::vector<Section> splitSections(StringRef text) {
  std::vector<Section> sections{{text.take_front(0), 0}};
  unsigned lines = 0;
  const char *begin = text.begin();
  for (StringRef rest = text; !rest.empty();) {
    StringRef line = rest.take_front(rest.find('\n') + 1);
    if (line.empty())
      line = rest;
    rest = rest.drop_front(line.size());
    ++lines;
    if (line.ltrim().starts_with("// -----")) {
      begin = rest.begin();
      sections.push_back({rest.take_front(0), lines});
    }
    sections.back().text = StringRef(begin, rest.begin() - begin);
  }
  return sections;
}

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

namespace {
/// What a run shares with the process that waits for it.
struct Shared {
  char pass[128]; ///< the last pass that was begun
  char record[8192];
};

/// Notes which pass runs, and whether one leaves IR that does not verify.
struct PassObserver : PassInstrumentation {
  PassObserver(Shared &shared, std::string &invalid)
      : shared(shared), invalid(invalid) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    StringRef name = pass->getArgument();
    if (name.empty() && pass->getName().contains("Adaptor"))
      return;
    snprintf(shared.pass, sizeof(shared.pass), "%s",
             (name.empty() ? pass->getName() : name).str().c_str());
  }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diag) {
      if (invalid.empty())
        invalid = diag.str();
    });
    (void)verify(op);
  }

  Shared &shared;
  std::string &invalid;
};
} // namespace

/// The errors of one run.
struct Errors {
  std::string first, place, placeless, last;
  void add(Diagnostic &diag);
};

void Errors::add(Diagnostic &diag) {
  if (diag.getSeverity() != DiagnosticSeverity::Error)
    return;
  last = diag.str();
  auto place = diag.getLocation()->findInstanceOf<FileLineColLoc>();
  if (!place && placeless.empty())
    placeless = last;
  if (!first.empty())
    return;
  first = last;
  if (place)
    this->place = (place.getFilename().getValue() + ":" +
                   Twine(place.getLine()) + ":" + Twine(place.getColumn()))
                      .str();
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
  json::Object record = std::move(run.details);
  record["seconds"] = time;
  record["pass"] = StringRef(shared.pass);
  bool isInvalid = !invalid.empty() && invalid == errors.last;
  record["status"] = isInvalid ? "invalid"
                     : errors.first.empty()
                         ? (succeeded(result) ? "ok" : "silent")
                     : !errors.placeless.empty() ? "no place"
                     : succeeded(result)         ? "odd"
                                                 : "refused";
  if (!errors.first.empty()) {
    record["message"] = json::fixUTF8(StringRef(errors.first).take_front(300));
    record["place"] = errors.place;
  }
  if (!errors.placeless.empty())
    record["placeless"] =
        json::fixUTF8(StringRef(errors.placeless).take_front(300));
  return record;
}

static void limitResources() {
  rlimit none{0, 0}, time{seconds, seconds + 5};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_CPU, &time);
  for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    signal(number, SIG_DFL);
  alarm(10 * seconds); // one that waits for ever
}

/// Forks a process for one run, and says how it ended.
static json::Object observe(func::FuncOp function, StringRef mode) {
  auto *shared = static_cast<Shared *>(mmap(nullptr, sizeof(Shared),
                                            PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  int errors = memfd_create("stderr", 0);
  shared->pass[0] = shared->record[0] = 0;
  pid_t child = fork();
  if (child == 0) {
    dup2(errors, STDERR_FILENO);
    limitResources();
    std::string text;
    llvm::raw_string_ostream os(text);
    os << json::Value(runMode(function, mode, *shared));
    snprintf(shared->record, sizeof(shared->record), "%s", text.c_str());
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  json::Object record;
  if (auto value = json::parse(shared->record))
    record = std::move(*value->getAsObject());
  else
    llvm::consumeError(value.takeError());
  if (!WIFEXITED(status) || WEXITSTATUS(status) || record.empty()) {
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    bool late = number == SIGXCPU || number == SIGALRM || number == SIGKILL;
    char text[400] = "";
    ssize_t size = pread(errors, text, sizeof(text) - 1, 0);
    record = json::Object{
        {"status", late ? "late" : "crash"},
        {"signal", number},
        {"pass", std::string(shared->pass)},
        {"message", json::fixUTF8(StringRef(text, size > 0 ? size : 0))}};
  }
  close(errors);
  munmap(shared, sizeof(Shared));
  record["mode"] = mode;
  record["function"] = function.getName();
  return record;
}

static void runSection(const DialectRegistry &registry, StringRef path,
                       const Section &section) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  context.printOpOnDiagnostic(false);
  // Places are those of the file.
  std::string text(section.linesBefore, '\n');
  text += section.text;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, path),
                             llvm::SMLoc());
  OwningOpRef<ModuleOp> module;
  {
    ScopedDiagnosticHandler handler(&context, [](Diagnostic &) {});
    module = parseSourceFile<ModuleOp>(sources, &context);
  }
  if (!module) {
    llvm::outs() << json::Value(json::Object{{"file", path},
                                             {"line", section.linesBefore + 1},
                                             {"status", "not parsed"}})
                 << '\n';
    return;
  }
  module->walk([&](func::FuncOp function) {
    if (function.isDeclaration() ||
        (!only.empty() && function.getName() != only))
      return;
    if (print) {
      isolate(function)->print(llvm::outs());
      return;
    }
    for (StringRef mode : modes) {
      json::Object record = observe(function, mode);
      record["file"] = path;
      record["line"] = section.linesBefore + 1;
      llvm::outs() << json::Value(std::move(record)) << '\n';
      llvm::outs().flush();
    }
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
  for (const std::string &path : files) {
    auto file = llvm::MemoryBuffer::getFile(path);
    if (!file) {
      llvm::errs() << path << ": " << file.getError().message() << '\n';
      return 2;
    }
    for (const Section &section : splitSections((*file)->getBuffer())) {
      llvm::outs().flush();
      // Upstream's parser, too, may crash on what is meant to be refused.
      pid_t child = fork();
      if (child == 0) {
        runSection(registry, path, section);
        llvm::outs().flush();
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (status != 0)
        llvm::outs() << json::Value(
                            json::Object{{"file", path},
                                         {"line", section.linesBefore + 1},
                                         {"status", "not parsed"}})
                     << '\n';
    }
  }
  return 0;
}
