//===- symshape-run.cpp - Compile a function and run it -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls and printing; the work is done in Execution.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "symshape/Execution/CheckCalls.h"
#include "symshape/Execution/CompileReport.h"
#include "symshape/Execution/Npy.h"
#include "symshape/Execution/Profile.h"
#include "symshape/Execution/ProgramSource.h"
#include "symshape/Execution/SaveBundle.h"
#include "symshape/Pipelines/BriefReport.h"
#include "symshape/Process/Files.h"
#include "symshape/Process/Tool.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <unistd.h>

using namespace llvm;
using namespace mlir::symshape;

static void printCompilation(const ProgramVariant &variant) {
  const CompileTimes &times = variant.program->getTimes();
  errs() << format("compile: parse %.2f ms, passes %.2f ms, code %.2f ms, "
                   "total %.2f ms\n",
                   1e3 * times.parse, 1e3 * times.passes, 1e3 * times.jit,
                   1e3 * (times.parse + times.passes + times.jit))
         << format("weights: %.2f ms\n", 1e3 * variant.bindSeconds);
}

/// Of code that an earlier process has kept, there is nothing to report.
static void printTimeReport(const ProgramVariant &variant) {
  if (variant.isLoaded)
    errs() << "note: no time report of code that was kept; "
              "SYMSHAPE_CACHE=off compiles anew\n";
  else
    printCompileReport(errs(), *variant.program->getTimes().report);
}

/// What served call number `number`.
static void printService(const RunOptions &options,
                         const AdaptiveProgram &program,
                         const ServedCall &served, EntryChoice choice,
                         size_t number) {
  const char *origin = !served.isNew              ? "at hand"
                       : served.variant->isLoaded ? "loaded"
                       : served.variant->isQuick  ? "compiled quickly"
                                                  : "compiled";
  errs() << "call " << number << ": version " << choice.version;
  if (options.dynamicMode != DynamicMode::Always)
    errs() << " for " << program.describe(*served.variant);
  errs() << ", " << origin
         << format(", checks %.1f ns\n", 1e9 * choice.checkSeconds);
}

/// Runs a call under every set of weights: one, or one per guard mode, when the
/// results must agree.
static Expected<CallResults> runCall(const RunOptions &options,
                                     AdaptiveProgram &program,
                                     const CallSpec &call, size_t number) {
  Expected<std::vector<TensorBuffer>> inputs = loadInputs(call);
  if (!inputs)
    return inputs.takeError();
  SmallVector<TensorView> views(inputs->begin(), inputs->end());
  Expected<ServedCall> served = program.serve(views);
  if (!served)
    return served.takeError();
  const ProgramVariant &variant = *served->variant;
  if (options.verbose && served->isNew)
    printCompilation(variant);
  if (options.timeReport && served->isNew)
    printTimeReport(variant);
  std::optional<CallResults> first;
  for (const BoundWeights &bound : variant.weights) {
    Expected<CallResults> results =
        variant.program->call(bound, *inputs, options.repeat);
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
  if (options.verbose)
    printService(options, program, *served,
                 variant.program->choose(variant.weights.front(), views),
                 number);
  return std::move(*first);
}

/// Prints a line for a call, some of whose first results are in files.
static void printAsJSON(const CallResults &results, ArrayRef<std::string> names,
                        ArrayRef<std::string> files) {
  json::OStream line(outs());
  line.object([&] {
    line.attributeArray("results", [&] {
      for (auto [i, tensor] : enumerate(results.tensors))
        line.object([&, i = i, &tensor = tensor] {
          if (i < names.size())
            line.attribute("name", names[i]);
          line.attribute("element", tensor.getElementType().getName());
          line.attribute("shape", json::Array(tensor.getShape()));
          if (i < files.size()) {
            line.attribute("file", files[i]);
            return;
          }
          line.attributeBegin("values");
          line.rawValue(
              [&](raw_ostream &os) { printElementsAsJSON(os, tensor); });
          line.attributeEnd();
        });
    });
    line.attribute("seconds", json::Array(results.seconds));
  });
  outs() << '\n';
}

static Error printResults(const RunOptions &options, const CallResults &results,
                          ArrayRef<std::string> names, size_t callNumber) {
  std::vector<std::string> files;
  for (auto [i, tensor] : enumerate(results.tensors)) {
    if (i < options.outputFiles.size()) {
      files.push_back(makeOutputPath(options.outputFiles[i], callNumber));
      if (Error error = writeNpy(files.back(), tensor))
        return error;
    } else if (!options.isJson) {
      printTensor(outs(), tensor);
      outs() << '\n';
    }
  }
  if (options.isJson)
    printAsJSON(results, names, files);
  if (!options.printTime || options.isJson)
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

/// What results are named, as by a model; nothing where one has no name.
static std::vector<std::string>
readResultNames(const AdaptiveProgram &program) {
  std::vector<std::string> names;
  for (const ValueSignature &result : program.getSignature().results)
    if (!StringRef(result.name).starts_with("result #"))
      names.push_back(StringRef(result.name).ltrim('%').str());
  return names.size() == program.getSignature().results.size()
             ? names
             : std::vector<std::string>();
}

static Error runCalls(const RunOptions &options, AdaptiveProgram &program,
                      ArrayRef<CallSpec> calls) {
  std::vector<std::string> names = readResultNames(program);
  for (auto [number, call] : enumerate(calls)) {
    Expected<CallResults> results = runCall(options, program, call, number);
    if (!results) {
      if (calls.size() > 1)
        errs() << "note: in call " << number << '\n';
      return results.takeError();
    }
    if (Error error = printResults(options, *results, names, number))
      return error;
    outs().flush();
  }
  return Error::success();
}

/// Writes the machine code, and runs nothing.
static Error writeCode(const RunOptions &options,
                       const CompileOptions &compile) {
  bool isObject = !options.objectFile.empty();
  StringRef output = isObject ? options.objectFile : options.assemblyFile;
  if (Error error = toInputError(checkWritable(output)))
    return error;
  return writeCode(options.inputFile, compile, output,
                   isObject ? CodeGenFileType::ObjectFile
                            : CodeGenFileType::AssemblyFile);
}

/// Writes the program with its weights, and runs nothing.
static Error saveProgram(const RunOptions &options,
                         const CompileOptions &compile) {
  Expected<std::vector<GPUTarget>> cubins = readCubinTargets();
  if (!cubins)
    return cubins.takeError();
  Expected<ProgramSource> source =
      ProgramSource::read(options.inputFile, compile.entry);
  if (!source)
    return source.takeError();
  Expected<std::optional<SafeTensors>> opened = openWeights();
  if (!opened)
    return opened.takeError();
  BundleContents contents;
  contents.weights = *opened ? &**opened : source->weights.get();
  contents.inputNames = readInputNames(options.inputFile, compile.entry);
  contents.cubins = std::move(*cubins);
  if (contents.weights)
    if (Error error = checkWeights(source->signature, contents.weights))
      return error;
  return saveBundle(*source, compile, contents, options.bundleFolder);
}

/// Says where the time of a call goes.
static Error runProfile(const RunOptions &options, const ProgramSource &source,
                        const CompileOptions &compile,
                        const WeightFile *weights, const CallSpec &call) {
  if (!options.traceFile.empty())
    if (Error error = toInputError(checkWritable(options.traceFile)))
      return error;
  Expected<std::vector<TensorBuffer>> inputs = loadInputs(call);
  if (!inputs)
    return inputs.takeError();
  auto profile =
      profileProgram(source, compile, weights, *inputs, options.repeat);
  if (!profile)
    return profile.takeError();
  if (options.isJson)
    outs() << formatv("{0:2}\n", json::Value(json::Object(*profile)));
  else
    printProfile(outs(), *profile);
  if (options.traceFile.empty())
    return Error::success();
  return toInputError(replaceFile(options.traceFile, [&](raw_ostream &os) {
    os << formatv("{0:2}\n", json::Value(makeTrace(*profile)));
  }));
}

/// Compiles, and makes the calls.
static Error runProgram(const RunOptions &options, CompileOptions compile,
                        ArrayRef<CallSpec> calls, EventLog *log) {
  Expected<ProgramSource> source =
      ProgramSource::read(options.inputFile, compile.entry,
                          [&] { return loadInputs(calls.front()); });
  if (!source)
    return source.takeError();
  Expected<std::optional<SafeTensors>> opened = openWeights();
  Error wrong = checkCalls(source->signature, calls, options.outputFiles);
  if (!opened)
    return joinErrors(opened.takeError(), std::move(wrong));
  const WeightFile *weights = *opened ? &**opened : source->weights.get();
  wrong =
      joinErrors(checkWeights(source->signature, weights), std::move(wrong));
  if (wrong)
    return wrong;
  if (options.profile)
    return runProfile(options, *source, compile, weights, calls.front());
  unsigned numCompilations = 0;
  {
    Expected<std::unique_ptr<AdaptiveProgram>> program = AdaptiveProgram::open(
        std::move(*source), readAdaptiveOptions(std::move(compile), log),
        weights);
    if (!program)
      return program.takeError();
    if (Error error = runCalls(options, **program, calls))
      return error;
    // Code that has not served a call yet is of use to a later process alone.
    if (options.keepsCode)
      (*program)->finish();
    numCompilations = (*program)->getNumCompilations();
  }
  if (options.verbose) {
    printCounters();
    errs() << "compilations: " << numCompilations << '\n';
  }
  return Error::success();
}

static Error run() {
  Expected<std::vector<CallSpec>> calls = readCalls();
  if (!calls)
    return calls.takeError();
  Expected<RunOptions> options = readRunOptions(calls->size());
  if (!options)
    return options.takeError();
  Expected<CompileOptions> compile = readCompileOptions();
  if (!compile)
    return compile.takeError();
  if (!options->objectFile.empty() || !options->assemblyFile.empty())
    return writeCode(*options, *compile);
  if (!options->bundleFolder.empty())
    return saveProgram(*options, *compile);
  Expected<std::unique_ptr<EventLog>> log = openLog();
  if (!log)
    return log.takeError();
  Error error = runProgram(*options, std::move(*compile), *calls, log->get());
  return *log ? joinErrors(std::move(error), (*log)->checkWritten())
              : std::move(error);
}

/// The message of a refused call of a model, with its conditions in Python's
/// syntax; the places of nodes stay.
static std::string sayOfModel(StringRef message) {
  std::string said;
  while (!message.empty()) {
    auto [line, rest] = message.split('\n');
    said += line.starts_with("  needed by ") ? line.str()
                                             : spellInPython(line.str());
    said += rest.empty() ? "" : "\n";
    message = rest;
  }
  return said;
}

/// Prints what went wrong; returns the exit status: that of a wrong input, if
/// there is one, else that of the first error.
static int report(Error error, bool isModel) {
  // More than one mends at a time.
  constexpr int most = 20;
  int status = 0, count = 0;
  auto tell = [&](RunStatus of, StringRef message) {
    if (status == 0 || of == RunStatus::BadInput)
      status = static_cast<int>(of);
    if (++count <= most)
      errs() << "error: " << (of == RunStatus::GuardFailed ? "symshape: " : "")
             << (isModel ? sayOfModel(message) : message.str()) << '\n';
  };
  handleAllErrors(
      std::move(error),
      [&](const RunError &e) { tell(e.getStatus(), e.getMessage()); },
      [&](const ErrorInfoBase &e) {
        tell(RunStatus::CannotCompile, e.message());
      });
  if (count > most)
    errs() << "note: and " << count - most << " more errors\n";
  return status;
}

int main(int argc, char **argv) {
  Tool tool(argc, argv);
  if (!parseCommandLine(argc, argv))
    return static_cast<int>(RunStatus::BadInput);
  bool isModel =
      llvm::any_of(ArrayRef(argv, argc).drop_front(), [](StringRef argument) {
        return !argument.starts_with("-") && isModelFile(argument);
      });
  int status = tool.finish(report(run(), isModel));
  if (status == static_cast<int>(RunStatus::Internal))
    _exit(status); // after a crash no destructor is safe
  return status;
}
