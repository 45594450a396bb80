//===- Program.cpp - Programs in Python -----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lock of the interpreter is not held while the library compiles or calls.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

using namespace symshape_python;

namespace {
/// Diagnostics that nobody has asked for yet.
struct Collected {
  struct Diagnostic {
    int severity;
    std::string message, file;
    int64_t line, column;
  };
  std::mutex mutex;
  std::vector<Diagnostic> diagnostics;

  static void add(void *context, const symshape_diagnostic *given);
};

/// A program, what it must outlive, and what it is called with.
struct Program {
  Program() = default;
  Program(const Program &) = delete;
  ~Program();

  void compile(nb::object path, nb::object data, int format,
               const std::string &name, nb::dict options, nb::object onEvent);
  /// `self` is the object of Python around this one; after an error its
  /// `_fail(status, message)` raises what that means.
  nb::object run(nb::handle self, const Inputs &inputs, bool asDLPack);
  nb::list resultExtents(nb::handle self, nb::args arguments);
  nb::list takeDiagnostics();
  /// Makes `into` the derivative of this program.
  void differentiate(Program &into, int kind,
                     const std::vector<std::string> &wrt,
                     const std::vector<int64_t> &results);

  /// Takes what another one has compiled, and gives it its own.
  void swap(Program &other);

  symshape_program *program = nullptr;
  std::unique_ptr<Collected> collected = std::make_unique<Collected>();
  InputKinds kinds;
  std::unique_ptr<Options> options; ///< weights that are shared
  nb::object onEvent;
};

/// Inputs that are read once, for many calls.
struct PreparedCall {
  nb::object program;
  Inputs inputs;

  nb::object run(bool asDLPack) {
    return nb::inst_ptr<Program>(program)->run(program, inputs, asDLPack);
  }
  std::string profile(int64_t repeat);
};
} // namespace

void Collected::add(void *context, const symshape_diagnostic *given) {
  auto *self = static_cast<Collected *>(context);
  std::lock_guard<std::mutex> lock(self->mutex);
  self->diagnostics.push_back({given->severity, given->message, given->file,
                               given->line, given->column});
}

Program::~Program() {
  nb::gil_scoped_release release; // what is compiled may have events
  symshape_destroy(program);
}

/// Gives an event to Python. An error there is printed, and changes nothing.
static void tellEvent(void *context, const char *event) {
  nb::gil_scoped_acquire acquire;
  try {
    nb::handle(static_cast<PyObject *>(context))(event);
  } catch (nb::python_error &error) {
    error.discard_as_unraisable("an event handler of symshape");
  }
}

void Program::compile(nb::object path, nb::object data, int format,
                      const std::string &name, nb::dict values,
                      nb::object handler) {
  options = std::make_unique<Options>(values);
  symshape_options &given = options->options;
  given.on_diagnostic = Collected::add;
  given.diagnostic_context = collected.get();
  if (!handler.is_none()) {
    onEvent = handler;
    given.on_event = tellEvent;
    given.event_context = handler.ptr();
  }
  if (!path.is_none()) {
    std::string file = nb::cast<std::string>(path);
    nb::gil_scoped_release release;
    program = symshape_compile(file.c_str(), &given);
  } else {
    nb::bytes bytes = nb::cast<nb::bytes>(data);
    nb::gil_scoped_release release;
    program = symshape_compile_memory(bytes.c_str(), bytes.size(), format,
                                      name.c_str(), &given);
  }
  if (!program)
    raiseLastError();
  for (int64_t i = 0, e = symshape_num_inputs(program); i < e; ++i)
    kinds.donated.push_back(symshape_donated_to(program, i) >= 0);
}

void Program::swap(Program &other) {
  std::swap(program, other.program);
  std::swap(kinds, other.kinds);
  std::swap(collected, other.collected);
  std::swap(options, other.options);
  std::swap(onEvent, other.onEvent);
}

/// Raises what a failed call of `self` means; returns where that says nothing.
static void fail(nb::handle self, symshape_status status) {
  self.attr("_fail")(static_cast<int>(status), symshape_last_error(nullptr));
}

nb::object Program::run(nb::handle self, const Inputs &inputs, bool asDLPack) {
  std::vector<symshape_tensor> results(symshape_num_results(program));
  symshape_status status;
  {
    nb::gil_scoped_release release;
    auto count = static_cast<int64_t>(inputs.tensors.size());
    status = inputs.strides.empty()
                 ? symshape_call(program, inputs.tensors.data(), count,
                                 results.data(), results.size())
                 : symshape_call_strided(program, inputs.tensors.data(),
                                         inputs.strides.data(), count,
                                         results.data(), results.size());
  }
  if (status != SYMSHAPE_OK)
    fail(self, status);
  if (!inputs.library.is_valid() || asDLPack)
    return makeResults(results, inputs, asDLPack);
  if (inputs.exchange)
    return exchangeResults(results, inputs);
  return self.attr("_convert")(inputs.library,
                               makeResults(results, inputs, true));
}

/// Calls the program of `self`.
template <bool asDLPack>
static nb::object call(nb::handle self, nb::args arguments) {
  Inputs inputs;
  Program *program = nb::inst_ptr<Program>(self);
  readInputs(self, arguments, program->kinds, inputs);
  return program->run(self, inputs, asDLPack);
}

static PreparedCall *prepare(nb::handle self, nb::args arguments) {
  auto *made = new PreparedCall(); // Python owns it
  made->program = nb::borrow(self);
  Program *program = nb::inst_ptr<Program>(self);
  readInputs(self, arguments, program->kinds, made->inputs);
  return made;
}

/// Whether the inputs are given as one dictionary of names.
static bool areNamed(nb::args arguments) {
  return arguments.size() == 1 && nb::isinstance<nb::dict>(arguments[0]);
}

/// `run` of inputs some of which are given by name.
template <typename Result, Result (*run)(nb::handle, nb::args)>
static Result runNamed(nb::handle_t<Program> self, nb::args arguments,
                       nb::kwargs named) {
  return run(self, nb::cast<nb::args>(self.attr("_order")(arguments, named)));
}

/// Defines a method that takes inputs in order, and some of them by name, when
/// `runNamed` is asked.
template <typename Result>
static void defineCall(nb::class_<Program> &program, const char *name,
                       Result (*run)(nb::handle, nb::args),
                       Result (*runNamed)(nb::handle_t<Program>, nb::args,
                                          nb::kwargs)) {
  program.def(name, [run](nb::handle_t<Program> self, nb::args arguments) {
    if (areNamed(arguments))
      return run(self, nb::cast<nb::args>(
                           self.attr("_order")(nb::tuple(), arguments[0])));
    return run(self, arguments);
  });
  program.def(name, runNamed);
}

/// A call with names, among which `out` are arrays for the results, unless the
/// program has an input of that name.
static nb::object callNamed(nb::handle_t<Program> self, nb::args arguments,
                            nb::kwargs named) {
  nb::object out = self.attr("_take_out")(named);
  nb::object results = call<false>(
      self, nb::cast<nb::args>(self.attr("_order")(arguments, named)));
  return out.is_none() ? results : self.attr("_fill")(out, results);
}

static void bindCalls(nb::class_<Program> &program) {
  defineCall(program, "__call__", &call<false>, &callNamed);
  defineCall(program, "dlpack", &call<true>,
             &runNamed<nb::object, &call<true>>);
  defineCall(program, "prepare", &prepare, &runNamed<PreparedCall *, &prepare>);
}

nb::list Program::resultExtents(nb::handle self, nb::args arguments) {
  std::vector<symshape_tensor> inputs;
  for (nb::handle argument : arguments) {
    nb::tuple typed = nb::cast<nb::tuple>(argument);
    symshape_tensor tensor = {};
    tensor.type = nb::cast<int>(typed[0]);
    for (nb::handle extent : nb::cast<nb::tuple>(typed[1])) {
      if (tensor.rank == SYMSHAPE_MAX_RANK)
        throw nb::value_error("expected at most 16 extents");
      tensor.extents[tensor.rank++] = nb::cast<int64_t>(extent);
    }
    inputs.push_back(tensor);
  }
  std::vector<symshape_tensor> results(symshape_num_results(program));
  symshape_status status;
  {
    nb::gil_scoped_release release;
    status = symshape_result_extents(program, inputs.data(), inputs.size(),
                                     results.data(), results.size());
  }
  if (status != SYMSHAPE_OK)
    fail(self, status);
  nb::list shapes;
  for (const symshape_tensor &result : results) {
    nb::list shape;
    for (int32_t i = 0; i < result.rank; ++i)
      shape.append(result.extents[i]);
    shapes.append(nb::tuple(shape));
  }
  return shapes;
}

nb::list Program::takeDiagnostics() {
  std::lock_guard<std::mutex> lock(collected->mutex);
  nb::list list;
  for (const Collected::Diagnostic &one : collected->diagnostics)
    list.append(nb::make_tuple(one.severity, one.message, one.file, one.line,
                               one.column));
  collected->diagnostics.clear();
  return list;
}

void Program::differentiate(Program &into, int kind,
                            const std::vector<std::string> &wrt,
                            const std::vector<int64_t> &results) {
  std::vector<const char *> names;
  for (const std::string &name : wrt)
    names.push_back(name.c_str());
  symshape_derivative_options request = {};
  request.size = sizeof(request);
  request.kind = kind;
  request.wrt = names.data();
  request.num_wrt = static_cast<int64_t>(names.size());
  request.results = results.data();
  request.num_results = static_cast<int64_t>(results.size());
  request.on_diagnostic = Collected::add;
  request.diagnostic_context = into.collected.get();
  {
    nb::gil_scoped_release release;
    into.program = symshape_differentiate(program, &request);
  }
  if (!into.program)
    raiseLastError();
}

/// Asks for text without the lock of the interpreter.
template <typename Ask>
static std::string ask(Ask question) {
  char *text;
  {
    nb::gil_scoped_release release;
    text = question();
  }
  return takeText(text);
}

std::string PreparedCall::profile(int64_t repeat) {
  if (!inputs.strides.empty())
    throw nb::value_error("expected a program of tensors and scalars, but got "
                          "one that reads buffers: it has no profile");
  const symshape_program *called = nb::inst_ptr<Program>(program)->program;
  return ask([&] {
    return symshape_profile(called, inputs.tensors.data(),
                            static_cast<int64_t>(inputs.tensors.size()),
                            repeat);
  });
}

/// Binds what is not a call.
static void bindQuestions(nb::class_<Program> &program) {
  program
      .def("_describe",
           [](Program &self) {
             return ask([&] { return symshape_describe(self.program); });
           })
      .def("_report_text",
           [](Program &self, const std::string &format) {
             return ask(
                 [&] { return symshape_report(self.program, format.c_str()); });
           })
      .def("_compile_report",
           [](Program &self) {
             return ask([&] { return symshape_compile_report(self.program); });
           })
      .def("_describe_failure",
           [](Program &self) {
             return ask(
                 [&] { return symshape_describe_failure(self.program); });
           })
      .def("_result_extents",
           [](nb::handle_t<Program> self, nb::args arguments) {
             return nb::inst_ptr<Program>(self)->resultExtents(self, arguments);
           })
      .def("_take_diagnostics", &Program::takeDiagnostics)
      .def("_facts",
           [](Program &self) {
             symshape_facts *facts = symshape_program_facts(self.program);
             if (!facts)
               raiseLastError();
             return new Facts(facts); // Python owns it
           })
      .def("_signature",
           [](Program &self) {
             return takeText(symshape_signature(self.program));
           })
      .def(
          "_num_compilations",
          [](Program &self) { return symshape_num_compilations(self.program); })
      .def("_times", [](Program &self) {
        symshape_times times = symshape_get_times(self.program);
        return nb::make_tuple(times.parse, times.passes, times.jit,
                              times.weights);
      });
}

void symshape_python::bindProgram(nb::module_ &module) {
  nb::class_<Program> program(module, "Program", nb::dynamic_attr());
  program.def(nb::init<>())
      .def("_compile", &Program::compile, nb::arg("path").none(),
           nb::arg("data").none(), nb::arg("format"), nb::arg("name"),
           nb::arg("options"), nb::arg("on_event").none())
      .def("_differentiate", &Program::differentiate)
      .def("_swap", &Program::swap, nb::arg("other"))
      .def(
          "_set_kinds",
          [](Program &self, std::vector<bool> integers, bool hasBuffers) {
            self.kinds.integers = std::move(integers);
            self.kinds.hasBuffers = hasBuffers;
          },
          nb::arg("integers"), nb::arg("has_buffers"));
  bindCalls(program);
  bindQuestions(program);
  nb::class_<PreparedCall>(module, "PreparedCall")
      .def("__call__", [](PreparedCall &self) { return self.run(false); })
      .def("dlpack", [](PreparedCall &self) { return self.run(true); })
      .def("_profile", &PreparedCall::profile, nb::arg("repeat"));
}
