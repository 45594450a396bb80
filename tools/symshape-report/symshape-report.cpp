//===- symshape-report.cpp - What is known of a program -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options and files; the report is made in Pipelines.
//
//===----------------------------------------------------------------------===//

#include "../Heap.h"
#include "../OtherOptions.h"
#include "../QuietOption.h"
#include "../WordOption.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/Execution/ArgumentNames.h"
#include "symshape/Execution/Compile.h"
#include "symshape/Execution/CompileReport.h"
#include "symshape/Execution/EditSource.h"
#include "symshape/Execution/EventFile.h"
#include "symshape/Execution/EventLog.h"
#include "symshape/Execution/Profile.h"
#include "symshape/Execution/ProgramSource.h"
#include "symshape/Execution/StateFolder.h"
#include "symshape/InitAll.h"
#include "symshape/Pipelines/BriefReport.h"
#include "symshape/Pipelines/Report.h"
#include "symshape/Pipelines/SuggestVersions.h"
#include "symshape/Process/Files.h"
#include "symshape/Process/Tool.h"
#include "symshape/Transforms/TellViolations.h"
#include "symshape/Transforms/TosaBroadcast.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

static cl::OptionCategory category("symshape-report options");
static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("FILE (- for standard input)"),
                                  cl::cat(category));
enum class Format { Text, Json, Html };
static mlir::symshape::WordOption<Format> formatOption(
    "format", cl::desc("form of the report"),
    cl::values(clEnumValN(Format::Text, "text", "for people (default)"),
               clEnumValN(Format::Json, "json", "for programs"),
               clEnumValN(Format::Html, "html", "a page to look at")),
    cl::init(Format::Text), cl::cat(category));
static cl::opt<bool> isJson("json", cl::desc("the same as --format=json"),
                            cl::cat(category));
static mlir::symshape::QuietOption quiet(category);
static cl::opt<std::string>
    output("o", cl::value_desc("file"),
           cl::desc("write the report there (default: standard output)"),
           cl::init("-"), cl::cat(category));
static cl::opt<std::string>
    shape("shape", cl::value_desc("\"B=8 L=128\""),
          cl::desc("values of symbols for which sizes are computed"),
          cl::cat(category));

static cl::opt<std::string>
    eventsFile("events", cl::value_desc("file"),
               cl::desc("also say, of the events that symshape-run "
                        "--log-file wrote, why code was compiled and what "
                        "served each call"),
               cl::cat(category));
static cl::opt<bool>
    timeReport("time-report",
               cl::desc("also compile each public function for the CPU, and "
                        "say what that takes"),
               cl::cat(category));
static cl::opt<std::string>
    profileFile("profile", cl::value_desc("file"),
                cl::desc("also show where the time of a call goes, as "
                         "symshape-run --profile --json has measured it, in "
                         "JSON and the page"),
                cl::cat(category));
static cl::opt<std::string>
    stateFolder("state", cl::value_desc("folder"),
                cl::desc("also say which dims have varied in the calls that "
                         "symshape-run --state kept"),
                cl::cat(category));
static cl::opt<std::string>
    fixedFile("fix", cl::value_desc("OUT.mlir"),
              cl::desc("write the module with what it declares corrected, and "
                       "report nothing but the corrections"),
              cl::cat(category));
static cl::opt<bool> suggest(
    "suggest-versions",
    cl::desc("print the versions that code generation would make use of, "
             "with the reason, and nothing else"),
    cl::cat(category));
static cl::opt<std::string>
    cpu("cpu", cl::value_desc("name"),
        cl::desc("CPU that --suggest-versions is about, as for symshape-run "
                 "(default: native)"),
        cl::cat(category));
static cl::opt<bool>
    brief("brief",
          cl::desc("print no more than inputs, results, weights, and for which "
                   "sizes each public function is valid"),
          cl::cat(category));
enum class Target { Cpu, Nvvm };
static mlir::symshape::WordOption<Target>
    target("target", cl::desc("what the program is to run on"),
           cl::values(clEnumValN(Target::Cpu, "cpu", "a processor (default)"),
                      clEnumValN(Target::Nvvm, "nvvm",
                                 "a GPU: its memory, and kernels with their "
                                 "launches")),
           cl::init(Target::Cpu), cl::cat(category));
static mlir::symshape::WordOption<mlir::symshape::TosaBroadcast> tosaBroadcast(
    "symshape-tosa-broadcast",
    cl::desc("which extents of ops of TOSA expand (default: as the program "
             "says, strict if it says nothing)"),
    cl::values(clEnumValN(mlir::symshape::TosaBroadcast::Strict, "strict",
                          "those whose type says 1; others must be equal"),
               clEnumValN(mlir::symshape::TosaBroadcast::NumPy, "numpy",
                          "also those that turn out to be 1")),
    cl::cat(category));
static cl::opt<bool>
    frozen("frozen",
           cl::desc("take what is required and nobody declared as a violation"),
           cl::cat(category));

/// Reads "B=8 L=128"; nullopt, after a message, if it is not of that form.
static std::optional<mlir::symshape::SymbolValues64> readShape() {
  mlir::symshape::SymbolValues64 values;
  SmallVector<StringRef> words;
  SplitString(shape, words);
  for (StringRef word : words) {
    auto [name, number] = word.split('=');
    int64_t value;
    if (name.empty() || number.getAsInteger(10, value) || value < 0) {
      errs() << "error: expected NAME=NUMBER in --shape, but got '" << word
             << "'\n";
      return std::nullopt;
    }
    values[name] = value;
  }
  return values;
}

/// Returns the exit status.
static int complain(Error error) {
  errs() << "error: " << toString(std::move(error)) << '\n';
  return 2;
}

/// Writes the corrected module, which was parsed from `text`: as that text
/// where only declarations change. Returns the exit status.
static int fix(mlir::ModuleOp module, StringRef text) {
  mlir::symshape::SourceEditor editor(module, text);
  auto written = mlir::symshape::correctViolations(module, frozen);
  if (mlir::failed(written) || mlir::failed(mlir::verify(module)))
    return 1;
  Error error = mlir::symshape::writeOutput(fixedFile, [&](raw_ostream &os) {
    if (std::optional<std::string> edited = editor.edit())
      os << *edited;
    else
      mlir::symshape::printWithArgumentNames(os, module);
  });
  if (error)
    return complain(std::move(error));
  for (const std::string &text : *written)
    outs() << "corrected: " << text << '\n';
  return 0;
}

/// Prints versions that are worth declaring; returns the exit status.
static int printSuggestions(mlir::ModuleOp module) {
  Expected<mlir::symshape::CPUTarget> processor =
      mlir::symshape::CPUTarget::get(cpu);
  if (!processor)
    return complain(processor.takeError());
  auto versions = mlir::symshape::suggestVersions(module, *processor);
  if (mlir::failed(versions))
    return 1;
  if (formatOption == Format::Json) {
    json::Array list;
    for (const mlir::symshape::SuggestedVersion &version : *versions) {
      json::Object object{{"function", version.function},
                          {"declaration", version.declaration()},
                          {"divisor", version.divisor},
                          {"symbol", version.symbol},
                          {"contractions", version.contractions},
                          {"of", version.all}};
      if (!version.naming.empty())
        object["naming"] = version.naming;
      list.push_back(std::move(object));
    }
    outs() << formatv("{0:2}\n", json::Value(std::move(list)));
    return 0;
  }
  for (const mlir::symshape::SuggestedVersion &version : *versions)
    outs() << '@' << version.function << ": " << version.naming
           << (version.naming.empty() ? "" : ", and declare ")
           << version.declaration() << "\n  " << version.contractions << " of "
           << version.all
           << " contractions with a dynamic number of columns gain: panels of "
              "three vectors, each of them whole\n";
  if (versions->empty())
    outs() << "no version of which code generation would make use\n";
  return 0;
}

/// Prints public functions on a screen each; returns the exit status.
static int writeBrief(mlir::ModuleOp module,
                      mlir::symshape::GuardPlans &plans) {
  json::Array functions;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (mlir::symshape::FunctionShapes *shapes = plans.lookup(function);
        shapes && function.isPublic())
      functions.push_back(mlir::symshape::makeBriefReport(*shapes, plans));
  Error error = mlir::symshape::writeOutput(output, [&](raw_ostream &os) {
    if (formatOption == Format::Json)
      os << formatv("{0:2}\n", json::Value(std::move(functions)));
    else
      for (const json::Value &function : functions)
        mlir::symshape::printBriefReport(os, *function.getAsObject());
  });
  return error ? complain(std::move(error)) : 0;
}

/// Calls `add` with each function that can be called from outside, and with
/// the program that it is the entry of.
static Error forEachEntry(
    mlir::ModuleOp module,
    function_ref<Error(StringRef, const mlir::symshape::ProgramSource &)> add) {
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.isDeclaration() || function.isPrivate())
      continue;
    StringRef name = function.getName();
    Expected<mlir::symshape::ProgramSource> source =
        mlir::symshape::ProgramSource::read(input, name);
    if (!source)
      return source.takeError();
    if (Error error = add(name, *source))
      return error;
  }
  return Error::success();
}

/// Adds to `report` what compiling the program takes.
static Error addCompilations(mlir::ModuleOp module, json::Object &report) {
  using namespace mlir::symshape;
  if (!timeReport)
    return Error::success();
  json::Array compilations;
  Error error = forEachEntry(
      module, [&](StringRef name, const ProgramSource &source) -> Error {
        CompileOptions options;
        options.entry = name;
        if (tosaBroadcast.getNumOccurrences() != 0)
          options.tosaBroadcast = tosaBroadcast;
        // The report has said it.
        options.diagnostics = [](const ProgramDiagnostic &) {};
        Expected<json::Object> measured = measureCompilation(source, options);
        if (!measured)
          return measured.takeError();
        compilations.push_back(std::move(*measured));
        return Error::success();
      });
  report["compilations"] = std::move(compilations);
  return error;
}

/// Adds to `report` what is known of runs of the program.
static Error addRuns(mlir::ModuleOp module, json::Object &report) {
  using namespace mlir::symshape;
  if (!stateFolder.empty()) {
    json::Array profiles;
    Error error = forEachEntry(
        module, [&](StringRef name, const ProgramSource &source) -> Error {
          json::Array dims = describeProfile(
              source, StateFolder(stateFolder, source, name).loadProfile());
          if (!dims.empty())
            profiles.push_back(
                json::Object{{"function", name}, {"dims", std::move(dims)}});
          return Error::success();
        });
    if (error)
      return error;
    report["profiles"] = std::move(profiles);
  }
  if (!profileFile.empty()) {
    Expected<json::Object> profile = readProfile(profileFile);
    if (!profile)
      return profile.takeError();
    report["profile"] = std::move(*profile);
  }
  if (eventsFile.empty())
    return Error::success();
  Expected<json::Array> events = readEvents(eventsFile);
  if (!events)
    return events.takeError();
  report["events"] = std::move(*events);
  return Error::success();
}

/// The sentences of a field of the report.
static void printSentences(raw_ostream &os, const json::Array &array) {
  for (const json::Value &element : array)
    if (auto says = element.getAsObject()->getString("says"))
      os << *says << '\n';
}

static void printRuns(raw_ostream &os, const json::Object &report) {
  if (const json::Array *compilations = report.getArray("compilations"))
    for (const json::Value &one : *compilations)
      mlir::symshape::printCompileReport(os, *one.getAsObject());
  if (const json::Array *profiles = report.getArray("profiles")) {
    if (profiles->empty())
      os << "no call is known\n";
    for (const json::Value &profile : *profiles) {
      const json::Object &ofFunction = *profile.getAsObject();
      os << "calls of @" << *ofFunction.getString("function") << ":\n";
      printSentences(os, *ofFunction.getArray("dims"));
    }
  }
  if (const json::Array *events = report.getArray("events"))
    printSentences(os, *events);
}

/// Writes the report in the form that is asked for; returns the exit status.
static int write(const json::Value &report) {
  Error error = mlir::symshape::writeOutput(output, [&](raw_ostream &os) {
    switch (formatOption) {
    case Format::Json:
      os << formatv("{0:2}\n", report);
      break;
    case Format::Html:
      mlir::symshape::printReportPage(os, report);
      break;
    case Format::Text:
      mlir::symshape::printReport(os, report);
      printRuns(os, *report.getAsObject());
      break;
    }
  });
  return error ? complain(std::move(error)) : 0;
}

/// The text of the program; empty if it is bytecode, as of a model.
static StringRef getText(const SourceMgr &sourceMgr) {
  const MemoryBuffer &buffer =
      *sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  return mlir::isBytecode(buffer) ? StringRef() : buffer.getBuffer();
}

/// Whether the options go together; says what does not.
static bool checkOptions() {
  if (isJson && formatOption.getNumOccurrences() != 0 &&
      formatOption != Format::Json) {
    errs() << "error: expected either --json or another --format, but got "
              "both\n";
    return false;
  }
  if (isJson)
    formatOption = Format::Json;
  bool writesNoReport = suggest || !fixedFile.empty();
  if (brief && (writesNoReport || formatOption == Format::Html || timeReport ||
                !eventsFile.empty() || !stateFolder.empty() || !shape.empty() ||
                target == Target::Nvvm)) {
    errs() << "error: expected no other option with --brief but "
              "--format=text or json, -o, --frozen and "
              "--symshape-tosa-broadcast\n";
    return false;
  }
  if (!profileFile.empty() &&
      (writesNoReport || brief || formatOption == Format::Text)) {
    errs() << "error: expected --format=html or json with --profile\n";
    return false;
  }
  if (timeReport && (writesNoReport || input == "-")) {
    errs() << "error: expected no --time-report with "
           << (suggest          ? "--suggest-versions, which reports nothing "
                                  "else"
               : writesNoReport ? "--fix, which reports nothing else"
                                : "standard input, which is read once")
           << '\n';
    return false;
  }
  if (!writesNoReport || (formatOption != Format::Html && output == "-"))
    return true;
  errs() << "error: expected no --format=html and no -o with "
         << (suggest ? "--suggest-versions" : "--fix")
         << ", which reports nothing else\n";
  return false;
}

/// With --quiet, a handler that is asked before others, and leaves them errors.
static std::unique_ptr<mlir::ScopedDiagnosticHandler>
dropWarnings(mlir::MLIRContext *context) {
  if (!quiet)
    return nullptr;
  return std::make_unique<mlir::ScopedDiagnosticHandler>(
      context, [](mlir::Diagnostic &diagnostic) {
        return mlir::success(diagnostic.getSeverity() !=
                             mlir::DiagnosticSeverity::Error);
      });
}

static int makeReport() {
  if (!checkOptions())
    return 2;
  if (quiet)
    mlir::symshape::Tool::silence();
  auto values = readShape();
  if (!values)
    return 2;
  for (StringRef path : {StringRef(output), StringRef(fixedFile)})
    if (!path.empty() && path != "-")
      if (Error error = mlir::symshape::checkWritable(path))
        return complain(std::move(error));
  Expected<std::unique_ptr<MemoryBuffer>> file =
      mlir::symshape::readProgramBytes(input);
  if (!file)
    return complain(file.takeError());
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::symshape::registerAllDialects(registry);
  mlir::symshape::registerTMTensorReader(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  // An op may hold a whole function; its name and place are enough.
  context.printOpOnDiagnostic(false);
  SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(std::move(*file), SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sourceMgr, &context);
  auto filter = dropWarnings(&context);
  auto module = mlir::symshape::parseWithArgumentNames(sourceMgr, &context);
  if (!module || mlir::failed(mlir::symshape::lowerTMTensor(*module)))
    return 1;
  if (tosaBroadcast.getNumOccurrences() != 0)
    mlir::symshape::setTosaBroadcast(*module, tosaBroadcast);
  if (!fixedFile.empty())
    return fix(*module, sourceMgr.getMemoryBuffer(1)->getBuffer());
  mlir::symshape::ShapeAnalysis analysis(*module);
  mlir::symshape::GuardPlans plans(analysis);
  if (mlir::failed(mlir::symshape::checkDeclarations(*module, plans, frozen)))
    return 1;
  if (suggest)
    return printSuggestions(*module);
  if (brief)
    return writeBrief(*module, plans);
  auto report =
      mlir::symshape::makeReport(*module, plans,
                                 {*values, formatOption != Format::Text,
                                  getText(sourceMgr), target == Target::Nvvm});
  if (mlir::failed(report))
    return 1;
  json::Object &fields = *report->getAsObject();
  if (Error error = addRuns(*module, fields))
    return complain(std::move(error));
  if (Error error = addCompilations(*module, fields))
    return complain(std::move(error));
  return write(*report);
}

static int run(int argc, char **argv) {
  mlir::symshape::hideOtherOptions(category);
  if (!mlir::symshape::parseOptions(
          argc, argv,
          "Says what is known of a program: symbols, extents, guards, "
          "memory.\n\n"
          "exit status: 0 reported; 1 the program cannot be read, or does not "
          "fit what it declares; 2 usage, or a file that cannot be read or "
          "written; 70 internal error\n"))
    return 2;
  return makeReport();
}

int main(int argc, char **argv) {
  mlir::symshape::joinFreeBlocks();
  mlir::symshape::Tool tool(argc, argv);
  return tool.finish(run(argc, argv));
}
