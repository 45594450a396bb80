//===- Inspect.cpp - What is known of a program, from C -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape-c/Inspect.h"
#include "FactSet.h"
#include "Program.h"
#include "Tensors.h"
#include "symshape/Execution/CompileReport.h"
#include "symshape/Execution/Profile.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir::symshape;
using namespace mlir::symshape::capi;

/// Runs `ask` with the inspector of a program; an error is kept, and gives
/// NULL.
static char *askInspector(
    const symshape_program *program,
    llvm::function_ref<llvm::Expected<char *>(ProgramInspector &)> ask) {
  if (isMissing(program, "a program"))
    return nullptr;
  auto shared = program->inspect();
  auto answer = [&]() -> llvm::Expected<char *> {
    if (!shared)
      return shared.takeError();
    std::lock_guard<std::mutex> lock((*shared)->mutex);
    return ask(*(*shared)->inspector);
  }();
  if (answer)
    return *answer;
  keep(answer.takeError(), program->options.diagnostics->takeErrors());
  return nullptr;
}

/// The strides that the type of a buffer has, null where any will do.
static llvm::json::Array describeStrides(const BufferLayout &layout) {
  llvm::json::Array list;
  for (std::optional<int64_t> stride : layout.strides)
    list.push_back(stride ? llvm::json::Value(*stride) : nullptr);
  return list;
}

/// Arguments or results as their types have them.
static llvm::json::Array describeValues(llvm::ArrayRef<ValueSignature> values) {
  llvm::json::Array list;
  for (const ValueSignature &value : values) {
    llvm::json::Object object{{"name", value.name},
                              {"type", value.typeText},
                              {"element", value.type.getName()},
                              {"says", value.describe()}};
    if (value.weight)
      object["weight"] = *value.weight;
    if (value.layout)
      object["strides"] = describeStrides(*value.layout);
    list.push_back(std::move(object));
  }
  return list;
}

char *symshape_signature(const symshape_program *program) {
  if (isMissing(program, "a program"))
    return nullptr;
  const FunctionSignature &signature = program->getSignature();
  return copyJSON(
      llvm::json::Object{{"name", signature.name},
                         {"arguments", describeValues(signature.arguments)},
                         {"results", describeValues(signature.results)}});
}

char *symshape_describe(const symshape_program *program) {
  return askInspector(program, [](ProgramInspector &inspector) {
    return copyJSON(inspector.describe());
  });
}

char *symshape_report(const symshape_program *program, const char *format) {
  if (isMissing(format, "a format"))
    return nullptr;
  auto form = llvm::StringSwitch<std::optional<ReportForm>>(format)
                  .Case("text", ReportForm::Text)
                  .Case("json", ReportForm::Json)
                  .Case("html", ReportForm::Html)
                  .Case("brief", ReportForm::Brief)
                  .Default(std::nullopt);
  return askInspector(
      program, [&](ProgramInspector &inspector) -> llvm::Expected<char *> {
        if (!form)
          return makeInputError(
              llvm::Twine("expected the format 'text', 'json', 'html' or "
                          "'brief', but got '") +
              format + "'");
        auto text = inspector.report(*form);
        if (!text)
          return text.takeError();
        return copyText(*text);
      });
}

char *symshape_compile_report(const symshape_program *program) {
  if (isMissing(program, "a program"))
    return nullptr;
  const ProgramSource &source = program->program->getSource();
  CompileOptions options = program->options.adaptive.compile;
  options.entry = source.signature.name;
  // Who made the program was told.
  options.diagnostics = [](const ProgramDiagnostic &) {};
  auto report = measureCompilation(source, options);
  if (report)
    return copyJSON(std::move(*report));
  keep(report.takeError());
  return nullptr;
}

static llvm::Expected<char *> profile(const symshape_program &program,
                                      const symshape_tensor *inputs,
                                      int64_t count, int64_t repeat) {
  if (repeat < 1 || repeat > std::numeric_limits<int32_t>::max())
    return makeInputError("expected repeat to be at least 1, but got " +
                          llvm::Twine(repeat));
  llvm::SmallVector<TensorView, 8> views;
  if (llvm::Error error = readInputs(inputs, count, views))
    return std::move(error);
  std::vector<TensorBuffer> buffers;
  for (const TensorView &view : views)
    buffers.push_back(
        TensorBuffer::view(view.type, view.shape, view.data, nullptr));
  CompileOptions options = program.options.adaptive.compile;
  options.diagnostics = [](const ProgramDiagnostic &) {};
  auto made = profileProgram(program.program->getSource(), options,
                             program.weights.get(), buffers, repeat);
  if (!made)
    return made.takeError();
  auto shared = program.inspect();
  if (!shared)
    return shared.takeError();
  {
    std::lock_guard<std::mutex> lock((*shared)->mutex);
    (*shared)->inspector->setProfile(*made);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  printProfile(os, *made);
  llvm::json::Object trace = makeTrace(*made);
  (*made)["text"] = std::move(text);
  (*made)["trace"] = std::move(trace);
  return copyJSON(std::move(*made));
}

char *symshape_profile(const symshape_program *program,
                       const symshape_tensor *inputs, int64_t num_inputs,
                       int64_t repeat) {
  if (isMissing(program, "a program"))
    return nullptr;
  auto made = profile(*program, inputs, num_inputs, repeat);
  if (made)
    return *made;
  keep(made.takeError());
  return nullptr;
}

symshape_status symshape_result_extents(const symshape_program *program,
                                        const symshape_tensor *inputs,
                                        int64_t num_inputs,
                                        symshape_tensor *results,
                                        int64_t num_results) {
  if (isMissing(program, "a program"))
    return SYMSHAPE_BAD_INPUT;
  const FunctionSignature &signature = program->getSignature();
  llvm::SmallVector<TensorView, 8> views;
  if (llvm::Error error =
          readInputs(inputs, num_inputs, views, /*withData=*/false))
    return keep(std::move(error));
  if (llvm::Error error = expectPointer(results, "results", num_results))
    return keep(std::move(error));
  if (num_results != int64_t(signature.results.size()))
    return keep(makeInputError("@" + signature.name + ": expected " +
                               llvm::Twine(signature.results.size()) +
                               " results, but got " +
                               llvm::Twine(num_results)));
  std::vector<int64_t> dims;
  auto ask = [&]() -> llvm::Expected<std::vector<std::vector<int64_t>>> {
    if (llvm::Error error = signature.checkInputs(views))
      return std::move(error);
    dims = program->program->getDims(views);
    auto shared = program->inspect();
    if (!shared)
      return shared.takeError();
    std::lock_guard<std::mutex> lock((*shared)->mutex);
    if (llvm::Error error = (*shared)->inspector->checkGuards(dims))
      return std::move(error);
    return (*shared)->inspector->computeResults(dims);
  };
  auto shapes = ask();
  if (!shapes) {
    symshape_status status = keep(shapes.takeError());
    getLastError().program = program;
    getLastError().dims = std::move(dims);
    return status;
  }
  for (auto [i, shape] : llvm::enumerate(*shapes)) {
    results[i] = symshape_tensor();
    results[i].type = toTypeNumber(signature.results[i].type);
    results[i].rank = shape.size();
    llvm::copy(shape, results[i].extents);
  }
  return SYMSHAPE_OK;
}

char *symshape_describe_failure(const symshape_program *program) {
  if (isMissing(program, "a program"))
    return nullptr;
  const LastError last = getLastError(); // a question may fail as well
  if (last.program != program) {
    keep(makeInputError("expected a call of this program to have failed last "
                        "on this thread"));
    return nullptr;
  }
  return askInspector(program, [&](ProgramInspector &inspector) {
    llvm::json::Object object = inspector.explain(last.message, last.dims);
    object["status"] = static_cast<int>(last.status);
    return copyJSON(std::move(object));
  });
}

symshape_facts *symshape_program_facts(const symshape_program *program) {
  if (isMissing(program, "a program"))
    return nullptr;
  auto shared = program->inspect();
  if (!shared) {
    keep(shared.takeError(), program->options.diagnostics->takeErrors());
    return nullptr;
  }
  ConstraintSet &set = (*shared)->inspector->facts();
  return new symshape_facts(set, *shared, (*shared)->mutex);
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

static llvm::Expected<DerivativeRequest>
readRequest(const symshape_derivative_options &given) {
  DerivativeRequest request;
  if (given.kind < SYMSHAPE_GRADIENT || given.kind > SYMSHAPE_JVP)
    return makeInputError("expected a kind of symshape_derivative, but got " +
                          llvm::Twine(given.kind));
  request.kind = static_cast<DerivativeKind>(given.kind);
  if (llvm::Error error = expectPointer(given.wrt, "wrt", given.num_wrt))
    return std::move(error);
  if (llvm::Error error =
          expectPointer(given.results, "results", given.num_results))
    return std::move(error);
  for (int64_t i = 0; i < given.num_wrt; ++i) {
    if (llvm::Error error =
            expectPointer(given.wrt[i], "wrt " + llvm::Twine(i)))
      return std::move(error);
    request.wrt.push_back(given.wrt[i]);
  }
  request.results.assign(given.results, given.results + given.num_results);
  return request;
}

symshape_program *
symshape_differentiate(const symshape_program *program,
                       const symshape_derivative_options *options) {
  if (isMissing(program, "a program") || isMissing(options, "options"))
    return nullptr;
  // The handler of `program` may be gone.
  auto diagnostics = std::make_shared<Diagnostics>(nullptr, nullptr);
  auto work = [&]() -> llvm::Expected<symshape_program *> {
    auto known = copySized(*options, "symshape_derivative_options");
    if (!known)
      return known.takeError();
    diagnostics = std::make_shared<Diagnostics>(known->on_diagnostic,
                                                known->diagnostic_context);
    auto request = readRequest(*known);
    if (!request)
      return request.takeError();
    ReadOptions how = program->options;
    how.diagnostics = diagnostics;
    how.adaptive.compile.diagnostics = Diagnostics::sinkOf(diagnostics);
    how.adaptive.log = nullptr;
    auto source = differentiate(program->program->getSource(), *request,
                                how.adaptive.compile.diagnostics);
    if (!source)
      return source.takeError();
    return makeProgram(std::move(*source), std::move(how), 0);
  };
  auto derived = work();
  if (derived)
    return *derived;
  keep(derived.takeError(), diagnostics->takeErrors());
  return nullptr;
}
