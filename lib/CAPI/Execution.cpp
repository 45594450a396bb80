//===- Execution.cpp - Compile and call programs from C -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin layer over AdaptiveProgram: types and errors are translated, nothing
// else.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "Tensors.h"
#include <chrono>

using namespace mlir::symshape;
using namespace mlir::symshape::capi;

int32_t symshape_version(void) { return SYMSHAPE_VERSION; }

const char *symshape_release(void) { return SYMSHAPE_RELEASE; }

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Compiles what `read` gives for the options, and keeps the error.
static symshape_program *compile(
    const symshape_options *given,
    llvm::function_ref<llvm::Expected<ProgramSource>(const CompileOptions &)>
        read) {
  auto begin = Clock::now();
  std::shared_ptr<Diagnostics> diagnostics;
  auto work = [&]() -> llvm::Expected<symshape_program *> {
    auto known = copyOptions(given);
    if (!known)
      return known.takeError();
    auto options = readOptions(*known);
    if (!options)
      return options.takeError();
    diagnostics = options->diagnostics;
    std::unique_ptr<EventLog> log;
    if (known->on_event) {
      auto opened = EventLog::open(
          known->events ? known->events : "",
          [handler = known->on_event, context = known->event_context](
              const std::string &event) { handler(context, event.c_str()); });
      if (!opened)
        return opened.takeError();
      log = std::move(*opened);
      options->adaptive.log = log.get();
    }
    auto source = read(options->adaptive.compile);
    options->adaptive.compile.firstInputs = nullptr; // they may be gone later
    if (source && !options->additions.isEmpty())
      source = addToEntry(*source, options->additions,
                          options->adaptive.compile.diagnostics);
    if (!source)
      return source.takeError();
    auto program = makeProgram(std::move(*source), std::move(*options),
                               secondsSince(begin));
    if (program)
      (*program)->log = std::move(log);
    return program;
  };
  auto program = work();
  if (program)
    return *program;
  keep(program.takeError(), diagnostics ? diagnostics->takeErrors() : "");
  return nullptr;
}

symshape_program *symshape_compile(const char *path,
                                   const symshape_options *options) {
  if (isMissing(path, "a path"))
    return nullptr;
  return compile(options, [&](const CompileOptions &how) {
    return ProgramSource::read(path, how.entry, how.firstInputs,
                               how.diagnostics);
  });
}

symshape_program *symshape_compile_memory(const void *bytes, size_t size,
                                          int32_t format, const char *name,
                                          const symshape_options *options) {
  if (isMissing(size ? bytes : "", "bytes") || isMissing(name, "a name"))
    return nullptr;
  auto read = [&](const CompileOptions &how) -> llvm::Expected<ProgramSource> {
    if (format != SYMSHAPE_MLIR && format != SYMSHAPE_ONNX)
      return makeInputError("expected a format of symshape_format, but got " +
                            llvm::Twine(format));
    return ProgramSource::parse(
        llvm::MemoryBuffer::getMemBufferCopy(
            llvm::StringRef(static_cast<const char *>(bytes), size), name),
        format == SYMSHAPE_ONNX, how.entry, how.firstInputs, how.diagnostics);
  };
  return compile(options, read);
}

void symshape_destroy(symshape_program *program) {
  if (!program)
    return;
  program->program.reset(); // it may still log
  delete program;
}

int64_t symshape_num_inputs(const symshape_program *program) {
  if (isMissing(program, "a program"))
    return 0;
  return program->getSignature().countInputs();
}

int64_t symshape_num_results(const symshape_program *program) {
  if (isMissing(program, "a program"))
    return 0;
  return program->getSignature().results.size();
}

int64_t symshape_donated_to(const symshape_program *program, int64_t input) {
  if (isMissing(program, "a program"))
    return 0;
  for (const ValueSignature &argument : program->getSignature().arguments)
    if (!argument.weight && input-- == 0)
      return argument.donatedTo ? int64_t(*argument.donatedTo) : -1;
  return -1;
}

int64_t symshape_num_compilations(const symshape_program *program) {
  if (isMissing(program, "a program"))
    return 0;
  return program->program->getNumCompilations();
}

symshape_times symshape_get_times(const symshape_program *program) {
  if (isMissing(program, "a program"))
    return {};
  return program->times;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Keeps the error of a call, and what the call passed.
static symshape_status keepOfCall(const symshape_program *program,
                                  llvm::ArrayRef<TensorView> inputs,
                                  llvm::Error error) {
  symshape_status status =
      keep(std::move(error), program->options.diagnostics->takeErrors());
  LastError &last = getLastError();
  last.program = program;
  llvm::Error unfit = program->getSignature().checkInputs(inputs);
  if (!unfit)
    last.dims = program->program->getDims(inputs);
  llvm::consumeError(std::move(unfit));
  return status;
}

/// Calls code that is made for the call if need be.
static llvm::Error serve(const symshape_program &program,
                         llvm::ArrayRef<TensorView> inputs,
                         llvm::SmallVectorImpl<MemRefDescriptor> &returned) {
  auto served = program.program->serve(inputs);
  if (!served)
    return served.takeError();
  const ProgramVariant &variant = *served->variant;
  llvm::Error error =
      variant.program->invoke(variant.weights.front(), inputs, returned);
  if (!error) {
    program.program->tellServed(*served, inputs);
    return error;
  }
  return llvm::handleErrors(
      std::move(error), [&](std::unique_ptr<RunError> e) -> llvm::Error {
        program.program->tellRefused(*served, e->getMessage());
        return llvm::Error(std::move(e));
      });
}

/// `strides` may be null: inputs are in row-major order.
static symshape_status call(const symshape_program *program,
                            const symshape_tensor *inputs,
                            const symshape_strides *strides, int64_t num_inputs,
                            symshape_tensor *results, int64_t num_results) {
  if (llvm::Error error = expectPointer(results, "results", num_results))
    return keep(std::move(error));
  symshape_release_results(results, num_results);
  const FunctionSignature &signature = program->getSignature();
  if (num_results != int64_t(signature.results.size()))
    return keep(makeInputError("@" + signature.name + ": expected " +
                               llvm::Twine(signature.results.size()) +
                               " results, but got " +
                               llvm::Twine(num_results)));
  llvm::SmallVector<TensorView, 8> views;
  if (llvm::Error error = readInputs(inputs, num_inputs, views))
    return keep(std::move(error));
  for (int64_t i = 0; strides && i < num_inputs; ++i)
    views[i].strides = llvm::ArrayRef(strides[i].strides, inputs[i].rank);
  llvm::SmallVector<MemRefDescriptor, 2> returned;
  const ProgramVariant *direct = program->direct;
  if (llvm::Error error = direct ? direct->program->invoke(
                                       direct->weights.front(), views, returned)
                                 : serve(*program, views, returned))
    return keepOfCall(program, views, std::move(error));
  for (size_t i = 0; i < returned.size(); ++i) {
    results[i].data = const_cast<char *>(returned[i].getAligned());
    results[i].owner = returned[i].getAllocated();
    results[i].type = toTypeNumber(signature.results[i].type);
    results[i].rank = returned[i].getRank();
    llvm::copy(returned[i].getShape(), results[i].extents);
  }
  return SYMSHAPE_OK;
}

symshape_status symshape_call(const symshape_program *program,
                              const symshape_tensor *inputs, int64_t num_inputs,
                              symshape_tensor *results, int64_t num_results) {
  if (isMissing(program, "a program"))
    return SYMSHAPE_BAD_INPUT;
  return call(program, inputs, /*strides=*/nullptr, num_inputs, results,
              num_results);
}

symshape_status symshape_call_strided(const symshape_program *program,
                                      const symshape_tensor *inputs,
                                      const symshape_strides *strides,
                                      int64_t num_inputs,
                                      symshape_tensor *results,
                                      int64_t num_results) {
  if (isMissing(program, "a program"))
    return SYMSHAPE_BAD_INPUT;
  if (llvm::Error error = expectPointer(strides, "strides", num_inputs))
    return keep(std::move(error));
  return call(program, inputs, strides, num_inputs, results, num_results);
}

void symshape_release_results(symshape_tensor *results, int64_t num_results) {
  for (int64_t i = 0; results && i < num_results; ++i) {
    if (results[i].owner)
      _mlir_memref_to_llvm_free(results[i].owner);
    results[i] = symshape_tensor();
  }
}

symshape_memory symshape_get_memory(void) {
  symshape_rt_counters counters = symshape_rt_get_counters();
  return {counters.live_bytes, counters.peak_bytes};
}

void symshape_reset_peak(void) { symshape_rt_reset_peak(); }
