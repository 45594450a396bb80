//===- Options.cpp - The command line of symshape-run ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "../NumberOption.h"
#include "../OtherOptions.h"
#include "../QuietOption.h"
#include "../WordOption.h"

#include "symshape/Execution/GPUDevice.h"
#include "symshape/Execution/ProgramSource.h"
#include "symshape/IR/Precision.h"
#include "symshape/Process/Tool.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"

using namespace llvm;
using namespace mlir::symshape;

static cl::OptionCategory category("symshape-run options");

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("FILE"), cl::cat(category));
static cl::opt<std::string>
    entryName("entry",
              cl::desc("function to run (default: main, or else the only "
                       "public function)"),
              cl::value_desc("name"), cl::cat(category));
static cl::list<std::string>
    inputSpecs("input",
               cl::desc("next argument without symshape.weight: "
                        "2x3xf32=random:SEED[:LOW:HIGH], =zeros, =iota, "
                        "=[VALUES], a scalar such as i64=5, or @FILE.npy; "
                        "NAME=SPEC is for "
                        "the input, or the argument, of that name"),
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
static WordOption<Switch>
    guards("guards",
           cl::desc("check at entry what the program requires (default: on)"),
           cl::values(clEnumValN(Switch::On, "on", "check"),
                      clEnumValN(Switch::Off, "off", "trust the caller")),
           cl::init(Switch::On), cl::cat(category));
static WordOption<Switch> planMemory(
    "plan-memory",
    cl::desc("one arena for the temporary buffers of a call (default: on, "
             "always off with --guard-pages)"),
    cl::values(clEnumValN(Switch::On, "on", "one allocation"),
               clEnumValN(Switch::Off, "off", "one for each buffer")),
    cl::init(Switch::On), cl::cat(category));
static Number<unsigned> threads = 1;
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
    cl::desc("architecture and system to compile for, x86_64 or aarch64, where "
             "nothing runs (default: this machine)"),
    cl::value_desc("triple"), cl::cat(category));
enum class Target { CPU, NVVM };
static WordOption<Target>
    targetKind("target", cl::desc("what computes (default: cpu)"),
               cl::values(clEnumValN(Target::CPU, "cpu", "the CPU"),
                          clEnumValN(Target::NVVM, "nvvm", "a GPU of NVIDIA")),
               cl::init(Target::CPU), cl::cat(category));
static cl::opt<std::string> chipName(
    "chip",
    cl::desc("GPU to compile for, such as sm_80 or sm_90a (default: that of "
             "the device; sm_80 where nothing runs)"),
    cl::value_desc("name"), cl::cat(category));
static WordOption<WgmmaUse> wgmmaUse(
    "wgmma",
    cl::desc("which products of bf16 and f16 are by wgmma, which sm_90a has "
             "(default: off)"),
    getWgmmaValues(), cl::init(WgmmaUse::Off), cl::cat(category));
static NumberOption<int64_t>
    deviceNumber("device", cl::desc("number of the GPU (default: 0)"),
                 cl::init(0), cl::cat(category));
static WordOption<DynamicMode> dynamicMode(
    "dynamic", cl::desc("which dims are symbols in the code (default: always)"),
    cl::values(
        clEnumValN(DynamicMode::Always, "always", "all: one compilation"),
        clEnumValN(DynamicMode::Auto, "auto",
                   "those that differ between calls; the first call is static"),
        clEnumValN(DynamicMode::Never, "never",
                   "none: a compilation for each shape")),
    cl::init(DynamicMode::Always), cl::cat(category));
enum class Manner { Sync, Async, Auto, Quick };
static WordOption<Manner> manner(
    "compile",
    cl::desc("when a call asks for other code (default: auto with --calls, "
             "else sync)"),
    cl::values(
        clEnumValN(Manner::Sync, "sync", "the call waits for it"),
        clEnumValN(Manner::Async, "async",
                   "code that is made quickly serves calls until it is there"),
        clEnumValN(Manner::Auto, "auto",
                   "async for a program that takes about a second or more, "
                   "else sync"),
        clEnumValN(Manner::Quick, "quick",
                   "it gets no other code than such as is made quickly")),
    cl::init(Manner::Sync), cl::cat(category));
static cl::opt<std::string> stateFolder(
    "state",
    cl::desc(
        "folder that keeps, for later runs, which dims have varied and the "
        "machine code (default: code alone is kept, in the user's cache; the "
        "variable SYMSHAPE_CACHE names another folder, or is off)"),
    cl::value_desc("folder"), cl::cat(category));
static NumberOption<uint64_t> stateLimit(
    "state-limit",
    cl::desc("KiB of machine code that the folder keeps, of all programs: what "
             "was not used for longest goes first (default: 0, no limit)"),
    cl::value_desc("KiB"), cl::init(0), cl::cat(category));
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
static cl::opt<std::string>
    bundleFolder("save-bundle",
                 cl::desc("write a folder that symshape-bundle-run runs "
                          "without a compiler, with the weights; run nothing"),
                 cl::value_desc("folder"), cl::cat(category));
static cl::list<std::string>
    cubinChips("cubin",
               cl::desc("GPU to assemble kernels for, by ptxas, with "
                        "--save-bundle; others compile them when they run"),
               cl::value_desc("name"), cl::cat(category));
static WordOption<TosaBroadcast> tosaBroadcast(
    "symshape-tosa-broadcast",
    cl::desc("which extents of ops of TOSA expand (default: as the program "
             "says, strict if it says nothing)"),
    cl::values(clEnumValN(TosaBroadcast::Strict, "strict",
                          "those whose type says 1; others must be equal"),
               clEnumValN(TosaBroadcast::NumPy, "numpy",
                          "also those that turn out to be 1")),
    cl::cat(category));
static cl::opt<std::string> precision(
    "precision",
    cl::desc("in which type products of f32 are formed (default: as the "
             "program says, f32 if it says nothing): f32; bf16, which rounds "
             "their operands and nothing else; int8 or int4, which keeps their "
             "weights in 8 or 4 bits; bf16,-NAME,-NAME, where layers of these "
             "names stay"),
    cl::value_desc("type"), cl::cat(category));
static NumberOption<unsigned> repeat("repeat",
                                     cl::desc("runs of each call (default: 1)"),
                                     cl::init(1), cl::cat(category));
static cl::opt<bool> printTime("time",
                               cl::desc("print median and minimum time of each "
                                        "call, in ms"),
                               cl::cat(category));
static cl::opt<bool>
    timeReport("time-report",
               cl::desc("print what each compilation takes, by stage and pass, "
                        "the costliest questions, and which ops its code "
                        "comes from"),
               cl::cat(category));
static cl::opt<bool> profile(
    "profile",
    cl::desc("print no results but where the time of the call goes: time, "
             "bytes and FLOP of each node of the program, and the share of "
             "what this machine can do; --repeat calls count"),
    cl::cat(category));
static cl::opt<std::string>
    traceFile("trace",
              cl::desc("as --profile, and write the kernels of the last call "
                       "as a trace for Chrome or Perfetto"),
              cl::value_desc("file.json"), cl::cat(category));
static cl::opt<bool>
    isJson("json",
           cl::desc("print a line of JSON for each call: results with type, "
                    "shape, and file or values, and seconds of each run"),
           cl::cat(category));
static QuietOption quiet(category);
static cl::opt<bool>
    noProgress("no-progress",
               cl::desc("show no line of progress while it compiles, if "
                        "standard error is a terminal"),
               cl::cat(category));
static cl::opt<bool>
    verbose("verbose",
            cl::desc("print compile times, allocations, and for "
                     "each call what served it"),
            cl::cat(category));

bool parseCommandLine(int argc, char **argv) {
  // libLLVM registers a hidden option of this name, which nothing here reads.
  auto &registered = cl::getRegisteredOptions();
  if (auto taken = registered.find("threads"); taken != registered.end())
    taken->second->removeArgument();
  // It lives as long as what reads it.
  static NumberOption<unsigned, /*hasExternalStorage=*/true> threadsOption(
      "threads",
      cl::desc("threads that a call uses (default: the environment's "
               "SYMSHAPE_THREADS, or 1)"),
      cl::location(threads), cl::cat(category));
  hideOtherOptions(category);
  Expected<int64_t> defaultThreads = getDefaultThreads();
  if (!defaultThreads) {
    errs() << "error: " << toString(defaultThreads.takeError()) << "\n";
    return false;
  }
  threads = *defaultThreads;
  bool isRead = parseOptions(
      argc, argv,
      "Compiles a function of an MLIR file and runs it.\n\n"
      "exit status: 0 ran; 1 could not compile; 2 usage, or an input or "
      "weight that cannot be read or has the wrong type or rank; 3 a guard "
      "or assert failed, or an extent contradicts the type; 70 internal "
      "error\n");
  if (isRead && quiet)
    Tool::silence();
  return isRead;
}

/// Options of --save-bundle, and those that it rules out.
static Error checkBundleOptions(bool writesCode, bool isForGPU) {
  if (bundleFolder.empty() || !isForGPU)
    if (!cubinChips.empty())
      return makeInputError(
          "expected --save-bundle and --target=nvvm with --cubin");
  if (bundleFolder.empty())
    return Error::success();
  if (writesCode)
    return makeInputError("expected either --save-bundle, --object or "
                          "--assembly, but got several");
  if (!(inputSpecs.empty() && callsFile.empty() && outputFiles.empty()))
    return makeInputError("expected no --input, --calls or --output with "
                          "--save-bundle, which runs nothing");
  if (dynamicMode != DynamicMode::Always || !stateFolder.empty())
    return makeInputError("expected no --dynamic or --state with "
                          "--save-bundle, which compiles once");
  for (cl::Option *option : std::initializer_list<cl::Option *>{
           &guardPages, &repeat, &printTime, &timeReport, &verbose,
           &deviceNumber, &logCategories, &logFile})
    if (option->getNumOccurrences() != 0)
      return makeInputError("expected no --" + option->ArgStr +
                            " with --save-bundle, which runs nothing");
  return Error::success();
}

/// Combinations of options that cannot be carried out.
static Error checkOptions(size_t numCalls) {
  if (!callsFile.empty() && !inputSpecs.empty())
    return makeInputError("expected either --calls or --input, but got both");
  if (repeat == 0)
    return makeInputError("expected --repeat to be at least 1, but got 0");
  if (threads == 0)
    return makeInputError("expected --threads to be at least 1, but got 0");
  if (stateLimit != 0 && stateFolder.empty())
    return makeInputError("expected --state with --state-limit, but got none");
  bool writesCode = !objectFile.empty() || !assemblyFile.empty();
  if (!objectFile.empty() && !assemblyFile.empty())
    return makeInputError(
        "expected either --object or --assembly, but got both");
  if (writesCode && !(inputSpecs.empty() && callsFile.empty() &&
                      outputFiles.empty() && weightsFile.empty()))
    return makeInputError("expected no --input, --calls, --output or --weights "
                          "with --object or --assembly, which run nothing");
  if (writesCode && timeReport)
    return makeInputError("expected no --time-report with --object or "
                          "--assembly, which run nothing");
  bool isForGPU = targetKind == Target::NVVM;
  if (Error error = checkBundleOptions(writesCode, isForGPU))
    return error;
  if (!isForGPU && (!chipName.empty() || deviceNumber.getNumOccurrences() ||
                    wgmmaUse.getNumOccurrences()))
    return makeInputError(
        "expected --target=nvvm with --chip, --device or --wgmma");
  if (!writesCode && bundleFolder.empty() && !targetTriple.empty())
    return makeInputError(
        "expected --object or --assembly with --mtriple, but got neither");
  if (profile || !traceFile.empty()) {
    if (writesCode || !bundleFolder.empty() || isForGPU || guardPages)
      return makeInputError("expected no --profile or --trace with "
                            "--target=nvvm, --guard-pages, or options that run "
                            "nothing");
    if (numCalls != 1 || !outputFiles.empty())
      return makeInputError("expected one call and no --output with --profile "
                            "or --trace");
  }
  for (StringRef name : outputFiles)
    if (numCalls > 1 && !name.contains("{call}"))
      return makeInputError("expected {call} in --output for several calls, "
                            "but got '" +
                            name + "'");
  return Error::success();
}

Expected<RunOptions> readRunOptions(size_t numCalls) {
  if (Error error = checkOptions(numCalls))
    return std::move(error);
  return RunOptions{inputFile,    std::vector<std::string>(outputFiles),
                    objectFile,   assemblyFile,
                    bundleFolder, dynamicMode,
                    repeat,       printTime,
                    timeReport,   verbose,
                    isJson,       profile || !traceFile.empty(),
                    traceFile,    !stateFolder.empty()};
}

Expected<std::vector<CallSpec>> readCalls() {
  std::vector<std::string> names;
  auto read = [&]() -> Expected<std::vector<CallSpec>> {
    if (!callsFile.empty())
      return readCallsFile(callsFile, names);
    Expected<CallSpec> call = parseCall(
        std::vector<StringRef>(inputSpecs.begin(), inputSpecs.end()), names);
    if (!call)
      return call.takeError();
    return std::vector<CallSpec>{std::move(*call)};
  };
  // Names cost another reading of the program, and most inputs have none.
  Expected<std::vector<CallSpec>> calls = read();
  if (calls || callsFile == "-")
    return calls;
  names = readInputNames(inputFile, entryName);
  if (names.empty() && inputFile != "-") {
    // What is wrong with the program comes first.
    auto source = ProgramSource::read(inputFile, entryName);
    if (!source) {
      consumeError(calls.takeError());
      return source.takeError();
    }
  }
  if (names.empty())
    return calls;
  consumeError(calls.takeError());
  return read();
}

/// The device, unless code is only written, and what to compile for.
static Error chooseGPU(CompileOptions &options) {
  options.gpu = GPUTarget();
  if (objectFile.empty() && assemblyFile.empty() && bundleFolder.empty()) {
    auto device = GPUDevice::open(deviceNumber);
    if (!device)
      return device.takeError();
    options.device = std::move(*device);
    auto target = options.device->getTarget();
    if (!target)
      return target.takeError();
    options.gpu = std::move(*target);
  }
  if (!chipName.empty()) {
    auto target = GPUTarget::get(chipName);
    if (!target)
      return makeInputError(toString(target.takeError()));
    options.gpu = std::move(*target);
  }
  options.gpu->wgmma = wgmmaUse;
  if (wgmmaUse != WgmmaUse::Off && !options.gpu->hasWgmma())
    return makeInputError("expected --chip=sm_90a with --wgmma, but got '" +
                          options.gpu->chip + "'");
  return Error::success();
}

/// Whether a person watches standard error, where a line can be erased.
static bool isTerminal() {
  return sys::Process::StandardErrIsDisplayed() &&
         sys::Process::GetEnv("TERM").value_or("dumb") != "dumb";
}

/// Prints errors with their notes, and leaves the rest out.
static DiagnosticSink printErrors() {
  return [isOfError = false](const ProgramDiagnostic &diagnostic) mutable {
    if (diagnostic.severity != ProgramDiagnostic::Note)
      isOfError = diagnostic.severity == ProgramDiagnostic::Error;
    if (isOfError)
      errs() << diagnostic.str() << '\n';
  };
}

Expected<CompileOptions> readCompileOptions() {
  CompileOptions options;
  options.entry = entryName;
  options.guards = guards == Switch::On;
  options.threads = threads;
  options.timeReport = timeReport;
  options.showProgress = !noProgress && !quiet && isTerminal();
  if (quiet)
    options.diagnostics = printErrors();
  if (tosaBroadcast.getNumOccurrences() != 0)
    options.tosaBroadcast = tosaBroadcast;
  options.precision = precision;
  if (precision.getNumOccurrences() != 0 && !Precision::parse(precision))
    return makeInputError("expected --precision to be " + kPrecisionForm.str() +
                          ", but got '" + precision + "'");
  // A guard page tells nothing about neighbours inside of an arena.
  options.planMemory = planMemory == Switch::On && !guardPages;
  Expected<CPUTarget> target = CPUTarget::get(cpuName, targetTriple);
  if (!target)
    return makeInputError(toString(target.takeError()));
  options.target = std::move(*target);
  if (targetKind == Target::NVVM)
    if (Error error = chooseGPU(options))
      return std::move(error);
  return options;
}

AdaptiveOptions readAdaptiveOptions(CompileOptions compile, EventLog *log) {
  AdaptiveOptions options;
  options.log = log;
  options.compile = std::move(compile);
  options.dynamic = dynamicMode;
  bool isDefault = manner.getNumOccurrences() == 0;
  if (manner == Manner::Auto || (isDefault && !callsFile.empty()))
    options.when = CompileWhen::Auto;
  else if (manner == Manner::Async)
    options.when = CompileWhen::Async;
  options.compile.quick = manner == Manner::Quick;
  options.stateFolder = stateFolder;
  options.stateLimit = stateLimit * 1024;
  options.cacheFolder = getCacheFolder();
  if (guardPages)
    options.guardModes = {SYMSHAPE_RT_GUARD_END, SYMSHAPE_RT_GUARD_BEGIN};
  return options;
}

Expected<std::unique_ptr<EventLog>> openLog() {
  std::string categories = logCategories;
  if (logCategories.getNumOccurrences() == 0)
    categories = sys::Process::GetEnv("SYMSHAPE_LOG").value_or("");
  if (categories.empty() && logFile.empty())
    return nullptr;
  return EventLog::open(categories, logFile);
}

Expected<std::vector<GPUTarget>> readCubinTargets() {
  std::vector<GPUTarget> targets;
  for (const std::string &chip : cubinChips) {
    auto target = GPUTarget::get(chip);
    if (!target)
      return makeInputError(toString(target.takeError()));
    targets.push_back(std::move(*target));
  }
  return targets;
}

Expected<std::optional<SafeTensors>> openWeights() {
  if (weightsFile.empty())
    return std::nullopt;
  Expected<SafeTensors> file = SafeTensors::open(weightsFile);
  if (!file)
    return file.takeError();
  return std::move(*file);
}
