//===- symshape-run.cpp - Compile a function and run it -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options and printing; the work is done in Execution.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/AdaptiveProgram.h"
#include "symshape/Execution/CallsFile.h"
#include "symshape/Execution/Npy.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include <algorithm>
#include <optional>
#include <unistd.h>

using namespace llvm;
using namespace mlir::symshape;

static cl::OptionCategory category("symshape-run options");

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("FILE"), cl::cat(category));
static cl::opt<std::string>
    entryName("entry", cl::desc("function to run (default: main)"),
              cl::value_desc("name"), cl::init("main"), cl::cat(category));
static cl::list<std::string>
    inputSpecs("input",
               cl::desc("next argument without symshape.weight: "
                        "2x3xf32=random:SEED[:LOW:HIGH], =zeros, =iota, a "
                        "scalar such as i64=5, or @FILE.npy"),
               cl::value_desc("spec"), cl::cat(category));
static cl::list<std::string>
    outputFiles("output",
                cl::desc("file for the next result; {call} becomes the number "
                         "of the call, from 0"),
                cl::value_desc("file.npy"), cl::cat(category));
static cl::opt<std::string>
    callsFile("calls",
              cl::desc("one call per line: inputs separated by blanks"),
              cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    weightsFile("weights", cl::desc("file for arguments with symshape.weight"),
                cl::value_desc("file.safetensors"), cl::cat(category));
enum class Switch { On, Off };
static cl::opt<Switch>
    guards("guards",
           cl::desc("check at entry what the program requires (default: on)"),
           cl::values(clEnumValN(Switch::On, "on", "check"),
                      clEnumValN(Switch::Off, "off", "trust the caller")),
           cl::init(Switch::On), cl::cat(category));
static cl::opt<Switch> planMemory(
    "plan-memory",
    cl::desc("one arena for the temporary buffers of a call (default: on, "
             "always off with --guard-pages)"),
    cl::values(clEnumValN(Switch::On, "on", "one allocation"),
               clEnumValN(Switch::Off, "off", "one for each buffer")),
    cl::init(Switch::On), cl::cat(category));
static unsigned threads = 1;
static cl::opt<bool> guardPages(
    "guard-pages",
    cl::desc("run twice, with everything ending, then beginning, at an "
             "inaccessible page; the results must be the same bits"),
    cl::cat(category));
static cl::opt<std::string>
    cpuName("cpu",
            cl::desc("CPU to compile for, as LLVM calls it, such as x86-64-v3 "
                     "(default: native; generic with a foreign --mtriple)"),
            cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string> targetTriple(
    "mtriple",
    cl::desc("architecture and system to compile for, x86_64 or aarch64, with "
             "--object or --assembly (default: this machine)"),
    cl::value_desc("triple"), cl::cat(category));
static cl::opt<DynamicMode> dynamicMode(
    "dynamic", cl::desc("which dims are symbols in the code (default: always)"),
    cl::values(
        clEnumValN(DynamicMode::Always, "always", "all: one compilation"),
        clEnumValN(DynamicMode::Auto, "auto",
                   "those that differ between calls; the first call is static"),
        clEnumValN(DynamicMode::Never, "never",
                   "none: a compilation for each shape")),
    cl::init(DynamicMode::Always), cl::cat(category));
enum class CompileWhen { Sync, Async };
static cl::opt<CompileWhen> compileWhen(
    "compile", cl::desc("when a call asks for other code (default: sync)"),
    cl::values(
        clEnumValN(CompileWhen::Sync, "sync", "the call waits for it"),
        clEnumValN(CompileWhen::Async, "async",
                   "code for all shapes serves calls until it is there")),
    cl::init(CompileWhen::Sync), cl::cat(category));
static cl::opt<std::string> stateFolder(
    "state",
    cl::desc(
        "folder that keeps, for later runs, which dims have varied and the "
        "machine code"),
    cl::value_desc("folder"), cl::cat(category));
static cl::opt<std::string>
    logCategories("log",
                  cl::desc("print events, one line each: some of symbols, "
                           "guards, versions, compiles, dispatch (default: "
                           "those of the variable SYMSHAPE_LOG)"),
                  cl::value_desc("names"), cl::cat(category));
static cl::opt<std::string>
    logFile("log-file",
            cl::desc("write the events to a file instead, as JSON, all of them "
                     "if none are named"),
            cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string> objectFile(
    "object", cl::desc("write the machine code to an object file; run nothing"),
    cl::value_desc("file.o"), cl::cat(category));
static cl::opt<std::string>
    assemblyFile("assembly",
                 cl::desc("write the machine code as assembly; run nothing"),
                 cl::value_desc("file.s"), cl::cat(category));
static cl::opt<unsigned> repeat("repeat",
                                cl::desc("runs of each call (default: 1)"),
                                cl::init(1), cl::cat(category));
static cl::opt<bool> printTime("time",
                               cl::desc("print median and minimum time of each "
                                        "call, in ms"),
                               cl::cat(category));
static cl::opt<bool>
    verbose("verbose",
            cl::desc("print compile times, allocations, and for "
                     "each call what served it"),
            cl::cat(category));

/// The calls to make: one from --input, or those of --calls.
static Expected<std::vector<CallSpec>> readCalls() {
  if (!callsFile.empty())
    return readCallsFile(callsFile);
  Expected<CallSpec> call =
      parseCall(std::vector<StringRef>(inputSpecs.begin(), inputSpecs.end()));
  if (!call)
    return call.takeError();
  return std::vector<CallSpec>{std::move(*call)};
}

/// Combinations of options that cannot be carried out.
static Error checkOptions(size_t numCalls) {
  if (!callsFile.empty() && !inputSpecs.empty())
    return makeInputError("expected either --calls or --input, but got both");
  if (repeat == 0)
    return makeInputError("expected --repeat to be at least 1, but got 0");
  if (threads == 0)
    return makeInputError("expected --threads to be at least 1, but got 0");
  bool writesCode = !objectFile.empty() || !assemblyFile.empty();
  if (!objectFile.empty() && !assemblyFile.empty())
    return makeInputError(
        "expected either --object or --assembly, but got both");
  if (writesCode && !(inputSpecs.empty() && callsFile.empty() &&
                      outputFiles.empty() && weightsFile.empty()))
    return makeInputError("expected no --input, --calls, --output or --weights "
                          "with --object or --assembly, which run nothing");
  if (!writesCode && !targetTriple.empty())
    return makeInputError(
        "expected --object or --assembly with --mtriple, but got neither");
  for (StringRef name : outputFiles)
    if (numCalls > 1 && !name.contains("{call}"))
      return makeInputError("expected {call} in --output for several calls, "
                            "but got '" +
                            name + "'");
  return Error::success();
}

/// Outputs that the results cannot be written to.
static Error checkOutputs(const FunctionSignature &signature) {
  if (outputFiles.size() > signature.results.size())
    return makeInputError("@" + signature.name + ": expected at most " +
                          Twine(signature.results.size()) +
                          " outputs, but got " + Twine(outputFiles.size()));
  for (auto [file, result] : zip(outputFiles, signature.results))
    if (!hasNpyForm(result.type))
      return makeInputError("@" + signature.name +
                            ": expected a type with a .npy form for " +
                            result.name + ", but got " + result.typeText);
  return Error::success();
}

static void printCompilation(const ProgramVariant &variant) {
  const CompileTimes &times = variant.program->getTimes();
  errs() << format("compile: parse %.2f ms, passes %.2f ms, code %.2f ms, "
                   "total %.2f ms\n",
                   1e3 * times.parse, 1e3 * times.passes, 1e3 * times.jit,
                   1e3 * (times.parse + times.passes + times.jit))
         << format("weights: %.2f ms\n", 1e3 * variant.bindSeconds);
}

/// What served call number `number`.
static void printService(const AdaptiveProgram &program,
                         const ServedCall &served, EntryChoice choice,
                         size_t number) {
  const char *origin = !served.isNew              ? "at hand"
                       : served.variant->isLoaded ? "loaded"
                                                  : "compiled";
  errs() << "call " << number << ": version " << choice.version;
  if (dynamicMode != DynamicMode::Always)
    errs() << " for " << program.describe(*served.variant);
  errs() << ", " << origin
         << format(", checks %.1f ns\n", 1e9 * choice.checkSeconds);
}

/// Runs a call under every set of weights: one, or one per guard mode, when the
/// results must agree.
static Expected<CallResults> runCall(AdaptiveProgram &program,
                                     const CallSpec &call, size_t number) {
  Expected<std::vector<TensorBuffer>> inputs = loadInputs(call);
  if (!inputs)
    return inputs.takeError();
  SmallVector<TensorView> views(inputs->begin(), inputs->end());
  Expected<ServedCall> served = program.serve(views);
  if (!served)
    return served.takeError();
  const ProgramVariant &variant = *served->variant;
  if (verbose && served->isNew)
    printCompilation(variant);
  std::optional<CallResults> first;
  for (const BoundWeights &bound : variant.weights) {
    Expected<CallResults> results =
        variant.program->call(bound, *inputs, repeat);
    if (!results) {
      Error error = results.takeError();
      program.tellRefused(*served, toStringWithoutConsuming(error));
      return std::move(error);
    }
    if (!first) {
      first = std::move(*results);
      continue;
    }
    for (auto [i, a, b] : enumerate(first->tensors, results->tensors))
      if (!a.isIdentical(b))
        return makeRunError(RunStatus::Internal,
                            "internal error: result #" + Twine(i) +
                                " depends on where its memory lies");
  }
  program.tellServed(*served, views);
  if (verbose)
    printService(program, *served,
                 variant.program->choose(variant.weights.front(), views),
                 number);
  return std::move(*first);
}

static Error printResults(const CallResults &results, size_t callNumber) {
  for (auto [i, tensor] : enumerate(results.tensors)) {
    if (i >= outputFiles.size()) {
      printTensor(outs(), tensor);
      outs() << '\n';
      continue;
    }
    std::string path = outputFiles[i];
    std::string number = std::to_string(callNumber);
    for (size_t at; (at = path.find("{call}")) != std::string::npos;)
      path.replace(at, 6, number);
    if (Error error = writeNpy(path, tensor))
      return error;
  }
  if (!printTime)
    return Error::success();
  std::vector<double> seconds = results.seconds;
  std::sort(seconds.begin(), seconds.end());
  size_t n = seconds.size();
  double median = (seconds[n / 2] + seconds[(n - 1) / 2]) / 2;
  outs() << format("time: median %.4f ms, minimum %.4f ms\n", 1e3 * median,
                   1e3 * seconds.front());
  return Error::success();
}

static void printCounters() {
  symshape_rt_counters counters = symshape_rt_get_counters();
  errs() << "allocations: live " << counters.live_allocations << ", total "
         << counters.total_allocations << ", peak "
         << counters.peak_bytes / 1024 << " KiB\n";
}

static Expected<CompileOptions> readCompileOptions() {
  CompileOptions options;
  options.entry = entryName;
  options.guards = guards == Switch::On;
  options.threads = threads;
  // A guard page tells nothing about neighbours inside of an arena.
  options.planMemory = planMemory == Switch::On && !guardPages;
  Expected<CPUTarget> target = CPUTarget::get(cpuName, targetTriple);
  if (!target)
    return makeInputError(toString(target.takeError()));
  options.target = std::move(*target);
  return options;
}

static AdaptiveOptions readAdaptiveOptions(CompileOptions compile,
                                           EventLog *log) {
  AdaptiveOptions options;
  options.log = log;
  options.compile = std::move(compile);
  options.dynamic = dynamicMode;
  options.async = compileWhen == CompileWhen::Async;
  options.stateFolder = stateFolder;
  if (guardPages)
    options.guardModes = {SYMSHAPE_RT_GUARD_END, SYMSHAPE_RT_GUARD_BEGIN};
  return options;
}

/// Null where nobody wants to know.
static Expected<std::unique_ptr<EventLog>> openLog() {
  std::string categories = logCategories;
  if (logCategories.getNumOccurrences() == 0)
    categories = sys::Process::GetEnv("SYMSHAPE_LOG").value_or("");
  if (categories.empty() && logFile.empty())
    return nullptr;
  return EventLog::open(categories, logFile);
}

static Expected<std::optional<SafeTensors>> openWeights() {
  if (weightsFile.empty())
    return std::nullopt;
  Expected<SafeTensors> file = SafeTensors::open(weightsFile);
  if (!file)
    return file.takeError();
  return std::move(*file);
}

static Error runCalls(AdaptiveProgram &program, ArrayRef<CallSpec> calls) {
  for (auto [number, call] : enumerate(calls)) {
    Expected<CallResults> results = runCall(program, call, number);
    if (!results) {
      if (calls.size() > 1)
        errs() << "note: in call " << number << '\n';
      return results.takeError();
    }
    if (Error error = printResults(*results, number))
      return error;
    outs().flush();
  }
  return Error::success();
}

static Error run() {
  Expected<std::vector<CallSpec>> calls = readCalls();
  if (!calls)
    return calls.takeError();
  if (Error error = checkOptions(calls->size()))
    return error;
  Expected<CompileOptions> options = readCompileOptions();
  if (!options)
    return options.takeError();
  if (!objectFile.empty())
    return writeCode(inputFile, *options, objectFile,
                     CodeGenFileType::ObjectFile);
  if (!assemblyFile.empty())
    return writeCode(inputFile, *options, assemblyFile,
                     CodeGenFileType::AssemblyFile);
  Expected<std::optional<SafeTensors>> weights = openWeights();
  if (!weights)
    return weights.takeError();
  Expected<std::unique_ptr<EventLog>> log = openLog();
  if (!log)
    return log.takeError();
  unsigned numCompilations = 0;
  {
    Expected<std::unique_ptr<AdaptiveProgram>> program = AdaptiveProgram::open(
        inputFile, readAdaptiveOptions(std::move(*options), log->get()),
        *weights ? &**weights : nullptr);
    if (!program)
      return program.takeError();
    if (Error error = checkOutputs((*program)->getSignature()))
      return error;
    if (Error error = runCalls(**program, *calls))
      return error;
    (*program)->finish();
    numCompilations = (*program)->getNumCompilations();
  }
  if (verbose) {
    printCounters();
    errs() << "compilations: " << numCompilations << '\n';
  }
  return Error::success();
}

/// Prints an error; returns the exit status.
static int report(Error error) {
  int status = 0;
  handleAllErrors(
      std::move(error),
      [&](const RunError &e) {
        status = static_cast<int>(e.getStatus());
        errs() << "error: "
               << (e.getStatus() == RunStatus::GuardFailed ? "symshape: " : "")
               << e.getMessage() << '\n';
      },
      [&](const ErrorInfoBase &e) {
        status = static_cast<int>(RunStatus::CannotCompile);
        errs() << "error: " << e.message() << '\n';
      });
  return status;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  // libLLVM registers a hidden option of this name, which nothing here reads.
  auto &registered = cl::getRegisteredOptions();
  if (auto taken = registered.find("threads"); taken != registered.end())
    taken->second->removeArgument();
  cl::opt<unsigned, /*ExternalStorage=*/true> threadsOption(
      "threads", cl::desc("threads that a call uses (default: 1)"),
      cl::location(threads), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Compiles a function of an MLIR file and runs it.\n\n"
          "exit status: 0 ran; 1 could not compile; 2 usage, or an input or "
          "weight that cannot be read or has the wrong type or rank; 3 a guard "
          "or assert failed, or an extent contradicts the type; 70 internal "
          "error\n",
          &errs()))
    return static_cast<int>(RunStatus::BadInput);
  CrashRecoveryContext::Enable();
  int status = report(run());
  if (status == static_cast<int>(RunStatus::Internal)) {
    outs().flush();
    _exit(status); // after a crash no destructor is safe
  }
  return status;
}
