//===- Simulator.h - Runs PTX without a GPU ---------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device that interprets PTX: memory, modules, launches. Free of LLVM. For
// tests and for those who have no GPU; not for speed.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_SIMULATOR_H
#define SYMSHAPE_PTXSIMULATOR_SIMULATOR_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::symshape::ptx {

/// Blocks and threads of a launch, and the bytes of dynamic shared memory.
struct LaunchShape {
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint64_t sharedBytes = 0;
};

/// What ended a launch.
struct Fault {
  enum Kind {
    None,
    Bounds,         ///< an access outside of what is allocated
    Alignment,      ///< an address that is no multiple of the bytes accessed
    Race,           ///< two threads, one address, one write, no barrier between
    Uninitialized,  ///< shared memory is read that nothing was written to
    Divergence,     ///< lanes that have to come together do not
    MissingBarrier, ///< some threads wait at a barrier that others never reach
    Order,          ///< the result depends on the order of warps
    Trap,           ///< the kernel executed `trap`
    Limit,          ///< more instructions than are allowed
    Launch,         ///< the launch itself is not valid
  };
  Kind kind = None;
  uint32_t line = 0; ///< of the PTX; 0 if it is about the launch
  std::string message;
};

/// The name of a kind of fault, as messages begin with it.
const char *nameOfFault(Fault::Kind kind);

/// In which order blocks and warps run. `Both` runs the kernel twice and
/// compares all of memory.
enum class Order { Forward, Backward, Both };

struct SimulatorOptions {
  Order order = Order::Forward;
  bool checkRaces = true;
  bool checkUninitialized = true;
  /// Of all threads of a launch; a kernel that waits for a block that has not
  /// begun would run for ever.
  uint64_t maxInstructions = uint64_t(1) << 40;
};

/// What launches did so far.
struct SimulatorCounts {
  uint64_t launches = 0, blocks = 0;
  uint64_t instructions = 0;       ///< of warps
  uint64_t threadInstructions = 0; ///< of lanes
};

/// What a kernel needs, and what it is.
struct KernelInfo {
  struct Parameter {
    std::string name;
    uint64_t place, bytes, alignment;
  };
  std::string name;
  std::vector<Parameter> parameters;
  uint64_t parameterBytes = 0, staticSharedBytes = 0, localBytes = 0;
  uint32_t maxThreads = 1024; ///< of a block
  bool hasRequiredThreads = false;
  uint32_t requiredThreads[3] = {0, 0, 0};
};

struct Kernel;
struct LoadedModule;

/// A device with sm_80, or with what SYMSHAPE_PTXSIM_ARCH names. Not safe for
/// calls from several threads at once.
class Simulator {
public:
  explicit Simulator(SimulatorOptions options = {});
  ~Simulator();

  /// Global memory. An address is 0 if there is no room. Copies are false if
  /// bytes are outside of an allocation.
  uint64_t allocate(uint64_t bytes);
  bool free(uint64_t address);
  bool write(uint64_t address, const void *from, uint64_t bytes);
  bool read(void *to, uint64_t address, uint64_t bytes);
  bool copy(uint64_t to, uint64_t from, uint64_t bytes);
  /// `count` elements of 1, 2 or 4 bytes.
  bool fill(uint64_t address, uint32_t value, unsigned elementBytes,
            uint64_t count);
  /// The allocation that an address is in; false if there is none.
  bool rangeOf(uint64_t address, uint64_t &begin, uint64_t &bytes);
  uint64_t liveAllocations() const;
  uint64_t liveBytes() const;
  static uint64_t totalBytes();
  /// 80 for sm_80; and the most bytes of shared memory of a block.
  static unsigned architecture();
  static uint64_t maxSharedBytes();

  /// Reads a module; null, with `LINE: message` in `error`, if the text is not
  /// understood. A module for a later architecture is
  /// refused, as the device would.
  LoadedModule *load(std::string_view text, std::string &error);
  void unload(LoadedModule *module);
  /// Null if there is none of the name.
  const Kernel *kernel(const LoadedModule *module,
                       const std::string &name) const;
  std::vector<std::string> kernels(const LoadedModule *module) const;
  static KernelInfo describe(const Kernel *kernel);
  /// A variable of the module; false if there is none.
  bool variable(const LoadedModule *module, const std::string &name,
                uint64_t &address, uint64_t &bytes) const;

  /// Why the device does not begin a launch; empty if it does.
  static std::string refusalOf(const Kernel *kernel, const LaunchShape &shape);

  /// Runs a kernel to its end. `parameters` has `KernelInfo::parameterBytes`
  /// bytes.
  Fault launch(const Kernel *kernel, const LaunchShape &shape,
               const std::vector<uint8_t> &parameters);

  SimulatorOptions options;
  SimulatorCounts counts;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace mlir::symshape::ptx

#endif // SYMSHAPE_PTXSIMULATOR_SIMULATOR_H
