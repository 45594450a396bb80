//===- Simulator.cpp - Memory, modules and launches -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device as its users see it.
//
//===----------------------------------------------------------------------===//

#include "symshape/PTXSimulator/Simulator.h"
#include "Block.h"
#include "Decoder.h"
#include "Parser.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace mlir::symshape::ptx;

/// What this device is.
static constexpr unsigned defaultArchitecture = 80;

const char *mlir::symshape::ptx::nameOfFault(Fault::Kind kind) {
  static const char *const names[] = {"none",
                                      "out of bounds",
                                      "misaligned",
                                      "race",
                                      "uninitialized",
                                      "divergence",
                                      "missing barrier",
                                      "order of warps",
                                      "trap",
                                      "too many instructions",
                                      "launch"};
  return names[kind];
}

struct mlir::symshape::ptx::LoadedModule {
  Module module;
  Symbols symbols;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
  std::map<std::string, const Variable *> variables;
  std::vector<uint64_t> allocations;
};

struct Simulator::State {
  DeviceMemory memory;
  std::vector<std::unique_ptr<LoadedModule>> modules;
  uint32_t nextSerial = 1;

  bool place(LoadedModule &loaded, std::string &error);
  Fault runGrid(const Kernel &kernel, const LaunchShape &shape,
                const std::vector<uint8_t> &parameters,
                const SimulatorOptions &options, bool backward,
                SimulatorCounts &counts);
  Fault runBoth(const Kernel &kernel, const LaunchShape &shape,
                const std::vector<uint8_t> &parameters,
                const SimulatorOptions &options, SimulatorCounts &counts);
};

Simulator::Simulator(SimulatorOptions options)
    : options(options), state(new State) {}
Simulator::~Simulator() = default;

uint64_t Simulator::allocate(uint64_t bytes) {
  return state->memory.allocate(bytes);
}
bool Simulator::free(uint64_t address) { return state->memory.free(address); }
uint64_t Simulator::liveAllocations() const {
  return state->memory.liveCount();
}
uint64_t Simulator::liveBytes() const { return state->memory.liveBytes(); }
uint64_t Simulator::totalBytes() { return DeviceMemory::totalBytes; }

bool Simulator::write(uint64_t address, const void *from, uint64_t bytes) {
  uint8_t *to = state->memory.translate(address, bytes);
  if (to)
    std::memcpy(to, from, bytes);
  return to != nullptr;
}

bool Simulator::read(void *to, uint64_t address, uint64_t bytes) {
  const uint8_t *from = state->memory.translate(address, bytes);
  if (from)
    std::memcpy(to, from, bytes);
  return from != nullptr;
}

bool Simulator::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  uint8_t *target = state->memory.translate(to, bytes);
  const uint8_t *source = state->memory.translate(from, bytes);
  if (target && source)
    std::memmove(target, source, bytes);
  return target && source;
}

bool Simulator::fill(uint64_t address, uint32_t value, unsigned elementBytes,
                     uint64_t count) {
  if (count > DeviceMemory::totalBytes)
    return false;
  uint8_t *to = state->memory.translate(address, count * elementBytes);
  for (uint64_t i = 0; to && i < count; ++i)
    std::memcpy(to + i * elementBytes, &value, elementBytes);
  return to != nullptr;
}

bool Simulator::rangeOf(uint64_t address, uint64_t &begin, uint64_t &bytes) {
  Allocation *allocation = state->memory.find(address);
  if (!allocation)
    return false;
  begin = allocation->begin;
  bytes = allocation->bytes;
  return true;
}

/// Gives variables of a module their memory and what they begin with.
bool Simulator::State::place(LoadedModule &loaded, std::string &error) {
  for (const Variable &variable : loaded.module.variables) {
    if (variable.space != Space::Global && variable.space != Space::Const)
      continue;
    if (variable.isExtern) {
      error = std::to_string(variable.line) + ": variable '" + variable.name +
              "' is not defined";
      return false;
    }
    uint64_t address = memory.allocate(variable.bytes());
    if (!address) {
      error = std::to_string(variable.line) + ": no memory for variable '" +
              variable.name + "'";
      return false;
    }
    Allocation &allocation = *memory.find(address);
    allocation.name = variable.name;
    allocation.isConstant = variable.space == Space::Const;
    std::fill(allocation.data, allocation.data + allocation.bytes, 0);
    std::copy(variable.init.begin(),
              variable.init.begin() +
                  std::min<size_t>(variable.init.size(), allocation.bytes),
              allocation.data);
    loaded.allocations.push_back(address);
    loaded.symbols[variable.name] = address;
    loaded.variables[variable.name] = &variable;
  }
  for (const Variable &variable : loaded.module.variables)
    for (const Variable::Relocation &relocation : variable.relocations) {
      auto target = loaded.symbols.find(relocation.symbol);
      if (target == loaded.symbols.end() ||
          relocation.place + relocation.bytes > variable.bytes()) {
        error = std::to_string(variable.line) + ": '" + relocation.symbol +
                "' is not known";
        return false;
      }
      uint64_t value = target->second + relocation.addend;
      std::memcpy(
          memory.translate(loaded.symbols[variable.name] + relocation.place,
                           relocation.bytes),
          &value, relocation.bytes);
    }
  return true;
}

unsigned Simulator::architecture() {
  const char *wanted = std::getenv("SYMSHAPE_PTXSIM_ARCH");
  return wanted ? unsigned(std::strtoul(wanted, nullptr, 10))
                : defaultArchitecture;
}

uint64_t Simulator::maxSharedBytes() {
  return (architecture() >= 90 ? 227 : 163) * 1024;
}

LoadedModule *Simulator::load(std::string_view text, std::string &error) {
  auto loaded = std::make_unique<LoadedModule>();
  Parser parser(text);
  auto report = [&](const Complaint &complaint) {
    error = std::to_string(complaint.line) + ": " + complaint.message;
    return nullptr;
  };
  if (!parser.parse(loaded->module))
    return report(parser.complaint);
  const std::string &target = loaded->module.target;
  if (target.compare(0, 3, "sm_") != 0 ||
      std::strtoul(target.c_str() + 3, nullptr, 10) > architecture())
    return report({0, "expected a module for sm_" +
                          std::to_string(architecture()) +
                          " or before, but got one for '" + target + "'"});
  bool isFine = state->place(*loaded, error);
  for (const auto &entry : loaded->module.functions) {
    if (!isFine || !entry.second.isEntry || !entry.second.hasBody)
      continue;
    auto kernel = std::make_unique<Kernel>();
    Decoder decoder(loaded->module, loaded->symbols, getHandlerTable(),
                    architecture());
    isFine = decoder.decode(entry.second, *kernel);
    if (!isFine)
      report(decoder.complaint);
    loaded->kernels[entry.first] = std::move(kernel);
  }
  if (!isFine) {
    for (uint64_t address : loaded->allocations)
      state->memory.free(address);
    return nullptr;
  }
  state->modules.push_back(std::move(loaded));
  return state->modules.back().get();
}

void Simulator::unload(LoadedModule *module) {
  for (uint64_t address : module->allocations)
    state->memory.free(address);
  auto &modules = state->modules;
  modules.erase(
      std::remove_if(modules.begin(), modules.end(),
                     [&](const auto &one) { return one.get() == module; }),
      modules.end());
}

const Kernel *Simulator::kernel(const LoadedModule *module,
                                const std::string &name) const {
  auto found = module->kernels.find(name);
  return found == module->kernels.end() ? nullptr : found->second.get();
}

std::vector<std::string> Simulator::kernels(const LoadedModule *module) const {
  std::vector<std::string> names;
  for (const auto &entry : module->kernels)
    names.push_back(entry.first);
  return names;
}

bool Simulator::variable(const LoadedModule *module, const std::string &name,
                         uint64_t &address, uint64_t &bytes) const {
  auto found = module->symbols.find(name);
  if (found == module->symbols.end())
    return false;
  address = found->second;
  bytes = module->variables.at(name)->bytes();
  return true;
}

KernelInfo Simulator::describe(const Kernel *kernel) {
  KernelInfo info;
  info.name = kernel->name;
  for (size_t i = 0; i < kernel->parameters.size(); ++i) {
    const Variable &parameter = kernel->parameters[i];
    info.parameters.push_back({parameter.name, kernel->parameterPlaces[i],
                               parameter.bytes(), parameter.alignment});
  }
  info.parameterBytes = kernel->parameterBytes;
  info.staticSharedBytes = kernel->staticSharedBytes;
  info.localBytes = kernel->localBytes;
  const uint32_t *most = kernel->maxThreads,
                 *required = kernel->requiredThreads;
  if (most[0])
    info.maxThreads = std::min<uint32_t>(1024, most[0] * most[1] * most[2]);
  info.hasRequiredThreads = required[0] != 0;
  for (unsigned i = 0; i < 3; ++i)
    info.requiredThreads[i] = required[i];
  return info;
}

std::string Simulator::refusalOf(const Kernel *kernel,
                                 const LaunchShape &shape) {
  KernelInfo info = describe(kernel);
  static const uint64_t maxGrid[] = {0x7fffffff, 65535, 65535},
                        maxBlock[] = {1024, 1024, 64};
  for (unsigned i = 0; i < 3; ++i) {
    if (shape.grid[i] < 1 || shape.grid[i] > maxGrid[i])
      return "expected a grid of 1 to " + std::to_string(maxGrid[i]) +
             " blocks along axis " + std::to_string(i) + ", but got " +
             std::to_string(shape.grid[i]);
    if (shape.block[i] < 1 || shape.block[i] > maxBlock[i])
      return "expected 1 to " + std::to_string(maxBlock[i]) +
             " threads along axis " + std::to_string(i) + ", but got " +
             std::to_string(shape.block[i]);
    if (info.hasRequiredThreads && shape.block[i] != info.requiredThreads[i])
      return "expected " + std::to_string(info.requiredThreads[i]) +
             " threads along axis " + std::to_string(i) + ", but got " +
             std::to_string(shape.block[i]);
  }
  uint64_t threads = uint64_t(shape.block[0]) * shape.block[1] * shape.block[2];
  if (threads > info.maxThreads)
    return "expected at most " + std::to_string(info.maxThreads) +
           " threads in a block, but got " + std::to_string(threads);
  uint64_t shared = info.staticSharedBytes + shape.sharedBytes;
  if (shared > maxSharedBytes() || shape.sharedBytes > maxSharedBytes())
    return "expected at most " + std::to_string(maxSharedBytes()) +
           " bytes of shared memory, but got " + std::to_string(shared);
  return "";
}

Fault Simulator::State::runGrid(const Kernel &kernel, const LaunchShape &shape,
                                const std::vector<uint8_t> &parameters,
                                const SimulatorOptions &options, bool backward,
                                SimulatorCounts &counts) {
  uint64_t blocks = uint64_t(shape.grid[0]) * shape.grid[1] * shape.grid[2];
  if (blocks > 0xfffffff0u - nextSerial) { // numbers of blocks are used up
    for (auto &entry : memory.all())
      std::fill(entry.second->owners.begin(), entry.second->owners.end(), 0);
    nextSerial = 1;
  }
  for (auto &entry : memory.all())
    entry.second->isWritten = false;
  for (const Instruction &instruction : kernel.code)
    instruction.cached = nullptr;
  Block block(kernel, shape, parameters, memory, options);
  block.begin(nextSerial, backward);
  for (uint64_t i = 0; i < blocks && !block.isFaulty(); ++i) {
    uint64_t index = backward ? blocks - 1 - i : i;
    block.run(uint32_t(index % shape.grid[0]),
              uint32_t(index / shape.grid[0] % shape.grid[1]),
              uint32_t(index / shape.grid[0] / shape.grid[1]),
              nextSerial + uint32_t(i));
    ++counts.blocks;
  }
  nextSerial += uint32_t(blocks);
  counts.instructions += block.instructions;
  counts.threadInstructions += block.threadInstructions;
  return block.fault;
}

/// Runs forward, keeps what was written, restores memory, runs backward and
/// compares.
Fault Simulator::State::runBoth(const Kernel &kernel, const LaunchShape &shape,
                                const std::vector<uint8_t> &parameters,
                                const SimulatorOptions &options,
                                SimulatorCounts &counts) {
  Fault fault =
      runGrid(kernel, shape, parameters, options, /*backward=*/false, counts);
  std::map<uint64_t, std::vector<uint8_t>> first;
  for (auto &entry : memory.all()) {
    Allocation &allocation = *entry.second;
    if (allocation.saved.empty())
      continue;
    first[entry.first].assign(allocation.data,
                              allocation.data + allocation.bytes);
    if (fault.kind == Fault::None)
      std::copy(allocation.saved.begin(), allocation.saved.end(),
                allocation.data);
  }
  if (fault.kind == Fault::None)
    fault =
        runGrid(kernel, shape, parameters, options, /*backward=*/true, counts);
  for (auto &entry : memory.all()) {
    Allocation &allocation = *entry.second;
    if (allocation.saved.empty())
      continue;
    const std::vector<uint8_t> &expected =
        first.count(entry.first) ? first[entry.first] : allocation.saved;
    auto differs =
        std::mismatch(expected.begin(), expected.end(), allocation.data);
    if (differs.first != expected.end() && fault.kind == Fault::None)
      fault = {Fault::Order, 0,
               std::string(nameOfFault(Fault::Order)) + ": kernel '" +
                   kernel.name + "' leaves byte " +
                   std::to_string(differs.first - expected.begin()) +
                   " of an allocation of " + std::to_string(allocation.bytes) +
                   " bytes different when warps run backward"};
    allocation.saved = {};
  }
  return fault;
}

Fault Simulator::launch(const Kernel *kernel, const LaunchShape &shape,
                        const std::vector<uint8_t> &parameters) {
  std::string refusal = refusalOf(kernel, shape);
  if (refusal.empty() && parameters.size() != kernel->parameterBytes)
    refusal = "expected " + std::to_string(kernel->parameterBytes) +
              " bytes of parameters, but got " +
              std::to_string(parameters.size());
  if (!refusal.empty())
    return {Fault::Launch, 0,
            std::string(nameOfFault(Fault::Launch)) + ": kernel '" +
                kernel->name + "': " + refusal};
  ++counts.launches;
  if (options.order == Order::Both)
    return state->runBoth(*kernel, shape, parameters, options, counts);
  return state->runGrid(*kernel, shape, parameters, options,
                        options.order == Order::Backward, counts);
}
