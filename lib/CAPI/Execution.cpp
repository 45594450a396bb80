//===- Execution.cpp - Compile and call programs from C -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin layer over Program: types and errors are translated, nothing else.
//
//===----------------------------------------------------------------------===//

#include "symshape-c/Execution.h"
#include "symshape/Execution/Program.h"
#include "symshape/Execution/SafeTensors.h"
#include <chrono>
#include <cstring>

using namespace mlir::symshape;

struct symshape_program {
  std::unique_ptr<Program> program;
  std::optional<BoundWeights> weights;
  symshape_times times;
};

namespace {
struct LastError {
  std::string message;
  symshape_status status = SYMSHAPE_OK;
};
} // namespace

static thread_local LastError lastError;

/// Keeps the message of an error, or the lines of several, with the status of
/// the first.
static symshape_status keep(llvm::Error error) {
  lastError = LastError();
  auto add = [&](symshape_status status, const std::string &message) {
    if (lastError.status == SYMSHAPE_OK)
      lastError.status = status;
    else
      lastError.message += '\n';
    lastError.message += message;
  };
  llvm::handleAllErrors(
      std::move(error),
      [&](const RunError &e) {
        add(static_cast<symshape_status>(e.getStatus()), e.getMessage());
      },
      [&](const llvm::ErrorInfoBase &e) {
        add(SYMSHAPE_CANNOT_COMPILE, e.message());
      });
  return lastError.status;
}

using Kind = ElementType::Kind;

/// The element type of each `symshape_type`.
static constexpr ElementType elementTypes[] = {
    {Kind::Bool, 1},      {Kind::Signed, 8},    {Kind::Signed, 16},
    {Kind::Signed, 32},   {Kind::Signed, 64},   {Kind::Unsigned, 8},
    {Kind::Unsigned, 16}, {Kind::Unsigned, 32}, {Kind::Unsigned, 64},
    {Kind::Float, 16},    {Kind::BFloat, 16},   {Kind::Float, 32},
    {Kind::Float, 64},    {Kind::Index, 64},
};

static int32_t toTypeNumber(ElementType type) {
  for (auto [number, known] : llvm::enumerate(elementTypes))
    if (known == type)
      return number;
  llvm_unreachable("an element type is one of the list");
}

/// The inputs of a call, or an error that names the first that is not a tensor.
static llvm::Error readInputs(llvm::ArrayRef<symshape_tensor> inputs,
                              llvm::SmallVectorImpl<TensorView> &views) {
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto bad = [&, number = i](const llvm::Twine &expected) {
      return makeInputError("input " + llvm::Twine(number) + ": expected " +
                            expected);
    };
    if (input.type < 0 || input.type >= int32_t(std::size(elementTypes)))
      return bad("a type of symshape_type, but got " + llvm::Twine(input.type));
    if (input.rank < 0 || input.rank > SYMSHAPE_MAX_RANK)
      return bad("a rank from 0 to " + llvm::Twine(SYMSHAPE_MAX_RANK) +
                 ", but got " + llvm::Twine(input.rank));
    ElementType type = elementTypes[input.type];
    llvm::ArrayRef<int64_t> shape(input.extents, input.rank);
    if (!checkedByteSize(type, shape))
      return bad("extents from 0 and a size of at most 2^47 bytes");
    views.emplace_back(type, shape, input.data);
  }
  return llvm::Error::success();
}

/// Tensors with the elements of inputs.
static llvm::Expected<std::vector<TensorBuffer>>
copyInputs(llvm::ArrayRef<symshape_tensor> inputs) {
  llvm::SmallVector<TensorView> views;
  if (llvm::Error error = readInputs(inputs, views))
    return std::move(error);
  std::vector<TensorBuffer> copies;
  for (const TensorView &view : views) {
    auto copy = TensorBuffer::allocate(view.type, view.shape);
    if (!copy)
      return copy.takeError();
    if (int64_t size = copy->getNumBytes())
      std::memcpy(copy->getData(), view.data, size);
    copies.push_back(std::move(*copy));
  }
  return copies;
}

/// An error if a result has a rank that `symshape_tensor` cannot hold.
static llvm::Error checkRanks(const FunctionSignature &signature) {
  for (const ValueSignature &result : signature.results)
    if (result.getRank() > SYMSHAPE_MAX_RANK)
      return makeInputError("@" + signature.name + ": expected rank at most " +
                            llvm::Twine(SYMSHAPE_MAX_RANK) + " for " +
                            result.name + ", but got " + result.typeText);
  return llvm::Error::success();
}

static llvm::Expected<symshape_program *>
compile(const char *path, const symshape_options &options) {
  CompileOptions compileOptions;
  if (options.entry)
    compileOptions.entry = options.entry;
  compileOptions.guards = !options.no_guards;
  compileOptions.planMemory = !options.no_memory_plan;
  if (options.threads < 0)
    return makeInputError("expected threads from 0, but got " +
                          llvm::Twine(options.threads));
  compileOptions.threads = std::max(options.threads, 1);
  if (options.cpu) {
    auto target = CPUTarget::get(options.cpu);
    if (!target)
      return makeInputError(llvm::toString(target.takeError()));
    compileOptions.target = std::move(*target);
  }
  if (options.tosa_broadcast) {
    compileOptions.tosaBroadcast = parseTosaBroadcast(options.tosa_broadcast);
    if (!compileOptions.tosaBroadcast)
      return makeInputError("expected tosa_broadcast to be strict or numpy, "
                            "but got '" +
                            llvm::Twine(options.tosa_broadcast) + "'");
  }
  compileOptions.firstInputs =
      [&]() -> llvm::Expected<std::vector<TensorBuffer>> {
    return copyInputs(
        {options.first_inputs, static_cast<size_t>(options.num_first_inputs)});
  };
  if (!options.first_inputs || options.num_first_inputs <= 0)
    compileOptions.firstInputs = nullptr;
  auto program = Program::compile(path, compileOptions);
  if (!program)
    return program.takeError();
  if (llvm::Error error = checkRanks((*program)->getSignature()))
    return std::move(error);
  auto begin = std::chrono::steady_clock::now();
  std::optional<SafeTensors> file;
  if (options.weights) {
    auto opened = SafeTensors::open(options.weights);
    if (!opened)
      return opened.takeError();
    file = std::move(*opened);
  }
  auto weights = (*program)->bindWeights(file ? &*file : nullptr);
  if (!weights)
    return weights.takeError();
  std::chrono::duration<double> bindTime =
      std::chrono::steady_clock::now() - begin;
  const CompileTimes &times = (*program)->getTimes();
  return new symshape_program{
      std::move(*program),
      std::move(*weights),
      {times.parse, times.passes, times.jit, bindTime.count()}};
}

symshape_program *symshape_compile(const char *path,
                                   const symshape_options *options) {
  auto program = compile(path, options ? *options : symshape_options());
  if (program)
    return *program;
  keep(program.takeError());
  return nullptr;
}

void symshape_destroy(symshape_program *program) { delete program; }

int64_t symshape_num_inputs(const symshape_program *program) {
  return llvm::count_if(
      program->program->getSignature().arguments,
      [](const ValueSignature &argument) { return !argument.weight; });
}

int64_t symshape_num_results(const symshape_program *program) {
  return program->program->getSignature().results.size();
}

symshape_times symshape_get_times(const symshape_program *program) {
  return program->times;
}

symshape_status symshape_call(const symshape_program *program,
                              const symshape_tensor *inputs, int64_t num_inputs,
                              symshape_tensor *results, int64_t num_results) {
  symshape_release_results(results, num_results);
  const FunctionSignature &signature = program->program->getSignature();
  if (num_results != int64_t(signature.results.size()))
    return keep(makeInputError("@" + signature.name + ": expected " +
                               llvm::Twine(signature.results.size()) +
                               " results, but got " +
                               llvm::Twine(num_results)));
  llvm::SmallVector<TensorView, 8> views;
  if (llvm::Error error = readInputs({inputs, size_t(num_inputs)}, views))
    return keep(std::move(error));
  llvm::SmallVector<MemRefDescriptor, 2> returned;
  if (llvm::Error error =
          program->program->invoke(*program->weights, views, returned))
    return keep(std::move(error));
  for (size_t i = 0; i < returned.size(); ++i) {
    results[i].data = const_cast<char *>(returned[i].getAligned());
    results[i].owner = returned[i].getAllocated();
    results[i].type = toTypeNumber(signature.results[i].type);
    results[i].rank = returned[i].getRank();
    llvm::copy(returned[i].getShape(), results[i].extents);
  }
  return SYMSHAPE_OK;
}

void symshape_release_results(symshape_tensor *results, int64_t num_results) {
  for (int64_t i = 0; i < num_results; ++i) {
    if (results[i].owner)
      _mlir_memref_to_llvm_free(results[i].owner);
    results[i] = symshape_tensor();
  }
}

const char *symshape_last_error(symshape_status *status) {
  if (status)
    *status = lastError.status;
  return lastError.message.c_str();
}

symshape_memory symshape_get_memory(void) {
  symshape_rt_counters counters = symshape_rt_get_counters();
  return {counters.live_bytes, counters.peak_bytes};
}

void symshape_reset_peak(void) { symshape_rt_reset_peak(); }
