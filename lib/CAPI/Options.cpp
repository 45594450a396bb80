//===- Options.cpp - Options of C callers ---------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Tensors.h"
#include "symshape/Execution/GPUDevice.h"
#include "symshape/Execution/SafeTensors.h"
#include "symshape/IR/Precision.h"

using namespace mlir::symshape;
using namespace mlir::symshape::capi;

llvm::Expected<TensorBuffer> GivenWeights::get(llvm::StringRef name) const {
  auto given = tensors.find(name);
  if (given != tensors.end())
    return given->second;
  if (rest)
    return rest->get(name);
  return makeInputError("expected a tensor '" + name + "', but there is none");
}

llvm::Expected<TensorBuffer>
GivenWeights::describe(llvm::StringRef name) const {
  return rest && !tensors.count(name) ? rest->describe(name) : get(name);
}

void GivenWeights::releasePages() const {
  if (rest)
    rest->releasePages();
}

llvm::Expected<symshape_options>
capi::copyOptions(const symshape_options *options) {
  if (options)
    return copySized(*options, "symshape_options");
  return symshape_options();
}

/// Tensors with the elements of inputs.
static llvm::Expected<std::vector<TensorBuffer>>
copyInputs(const symshape_tensor *inputs, int64_t count) {
  llvm::SmallVector<TensorView> views;
  if (llvm::Error error = readInputs(inputs, count, views))
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

/// Opens the device that the options name, if any.
static llvm::Error chooseTarget(const symshape_options &given,
                                CompileOptions &options) {
  llvm::StringRef name = given.target ? given.target : "cpu";
  if (name == "cpu")
    return llvm::Error::success();
  if (name != "nvvm")
    return makeInputError("expected the target to be cpu or nvvm, but got '" +
                          name + "'");
  auto device = GPUDevice::open(given.device);
  if (!device)
    return device.takeError();
  options.device = std::move(*device);
  auto target =
      given.chip ? GPUTarget::get(given.chip) : options.device->getTarget();
  if (!target)
    return makeInputError(llvm::toString(target.takeError()));
  options.gpu = std::move(*target);
  return llvm::Error::success();
}

static llvm::Error readCompileOptions(const symshape_options &given,
                                      CompileOptions &options) {
  if (given.entry)
    options.entry = given.entry;
  options.guards = !given.no_guards;
  options.planMemory = !given.no_memory_plan;
  options.showProgress = given.show_progress != 0;
  if (given.threads < 0)
    return makeInputError("expected threads from 0, but got " +
                          llvm::Twine(given.threads));
  auto threads = getDefaultThreads();
  if (!threads)
    return threads.takeError();
  options.threads = given.threads == 0 ? *threads : given.threads;
  if (llvm::Error error = chooseTarget(given, options))
    return error;
  if (given.cpu) {
    auto target = CPUTarget::get(given.cpu);
    if (!target)
      return makeInputError(llvm::toString(target.takeError()));
    options.target = std::move(*target);
  }
  if (given.tosa_broadcast) {
    options.tosaBroadcast = parseTosaBroadcast(given.tosa_broadcast);
    if (!options.tosaBroadcast)
      return makeInputError("expected tosa_broadcast to be strict or numpy, "
                            "but got '" +
                            llvm::Twine(given.tosa_broadcast) + "'");
  }
  if (given.precision) {
    if (!Precision::parse(given.precision))
      return makeInputError("expected precision to be " + kPrecisionForm +
                            ", but got '" + given.precision + "'");
    options.precision = given.precision;
  }
  if (given.num_first_inputs != 0)
    options.firstInputs = [inputs = given.first_inputs,
                           count = given.num_first_inputs] {
      return copyInputs(inputs, count);
    };
  return llvm::Error::success();
}

/// The tensors of the caller, and the file.
static llvm::Error readWeights(const symshape_options &given,
                               ReadOptions &options) {
  if (given.weights) {
    auto opened = SafeTensors::open(given.weights);
    if (!opened)
      return opened.takeError();
    options.weights = std::make_shared<SafeTensors>(std::move(*opened));
  }
  if (llvm::Error error = expectPointer(given.weight_tensors, "weight_tensors",
                                        given.num_weight_tensors))
    return error;
  for (int64_t i = 0; i < given.num_weight_tensors; ++i) {
    const symshape_named_tensor &named = given.weight_tensors[i];
    if (llvm::Error error =
            expectPointer(named.name, "the name of weight " + llvm::Twine(i)))
      return error;
    auto view = capi::readTensor(named.tensor,
                                 llvm::Twine("weight '") + named.name + "'");
    if (!view)
      return view.takeError();
    options.tensors[named.name] =
        TensorBuffer::view(view->type, view->shape, view->data, nullptr);
    options.additions.weights.push_back(named.name);
  }
  return llvm::Error::success();
}

/// The facts, versions and donations of the caller.
static llvm::Error readAdditions(const symshape_options &given,
                                 EntryAdditions &additions) {
  if (llvm::Error error = expectPointer(given.facts, "facts", given.num_facts))
    return error;
  for (int64_t i = 0; i < given.num_facts; ++i) {
    if (llvm::Error error =
            expectPointer(given.facts[i], "fact " + llvm::Twine(i)))
      return error;
    additions.facts.push_back(given.facts[i]);
  }
  if (llvm::Error error =
          expectPointer(given.versions, "versions", given.num_versions))
    return error;
  for (int64_t i = 0; i < given.num_versions; ++i) {
    const symshape_version_request &version = given.versions[i];
    if (llvm::Error error = expectPointer(
            version.name && version.condition ? &version : nullptr,
            "name and condition of version " + llvm::Twine(i)))
      return error;
    additions.versions.push_back({version.name, version.condition});
  }
  if (llvm::Error error =
          expectPointer(given.donations, "donations", given.num_donations))
    return error;
  for (int64_t i = 0; i < given.num_donations; ++i) {
    const symshape_donation &donation = given.donations[i];
    if (llvm::Error error = expectPointer(
            donation.input && donation.result ? &donation : nullptr,
            "input and result of donation " + llvm::Twine(i)))
      return error;
    additions.donations.emplace_back(donation.input, donation.result);
  }
  additions.donatesAll = given.donate_all != 0;
  return llvm::Error::success();
}

llvm::Expected<ReadOptions> capi::readOptions(const symshape_options &given) {
  ReadOptions options;
  options.diagnostics = std::make_shared<Diagnostics>(given.on_diagnostic,
                                                      given.diagnostic_context);
  AdaptiveOptions &adaptive = options.adaptive;
  if (llvm::Error error = readCompileOptions(given, adaptive.compile))
    return std::move(error);
  adaptive.compile.diagnostics = Diagnostics::sinkOf(options.diagnostics);
  if (given.dynamic < SYMSHAPE_DYNAMIC_ALWAYS ||
      given.dynamic > SYMSHAPE_DYNAMIC_NEVER)
    return makeInputError("expected a mode of symshape_dynamic, but got " +
                          llvm::Twine(given.dynamic));
  adaptive.dynamic = static_cast<DynamicMode>(given.dynamic);
  if (given.async < SYMSHAPE_COMPILE_SYNC ||
      given.async > SYMSHAPE_COMPILE_QUICK)
    return makeInputError("expected async to be a symshape_compile_when, but "
                          "got " +
                          llvm::Twine(given.async));
  adaptive.compile.quick = given.async == SYMSHAPE_COMPILE_QUICK;
  if (!adaptive.compile.quick)
    adaptive.when = static_cast<CompileWhen>(given.async);
  if (given.state)
    adaptive.stateFolder = given.state;
  adaptive.stateLimit = given.state_limit;
  adaptive.cacheFolder = getCacheFolder();
  if (llvm::Error error = readAdditions(given, options.additions))
    return std::move(error);
  if (llvm::Error error = readWeights(given, options))
    return std::move(error);
  return options;
}
