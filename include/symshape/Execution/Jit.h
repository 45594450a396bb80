//===- Jit.h - Machine code in memory ---------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads the object files that ObjectCode.h makes. Not for: calling with tensors
// (Program.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_JIT_H
#define SYMSHAPE_EXECUTION_JIT_H

#include "symshape-c/RuntimeGPU.h"
#include "symshape/Execution/CodeInterface.h"
#include "symshape/Pipelines/CPUTarget.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir::symshape {

class NearMemory;

/// Compiled code. It may be called as long as this object lives; the module and
/// its context need not.
class JitModule {
public:
  /// A function that takes an array of pointers to its arguments, followed by a
  /// pointer to its result if it returns one.
  using PackedFunction = void (*)(void **);

  /// Takes over an object file, or an archive of some, that `compileToObject`
  /// has made, for this machine. Calls of the runtime (symshape-c/Runtime.h)
  /// reach the one linked into this process.
  static llvm::Expected<std::unique_ptr<JitModule>>
  load(std::unique_ptr<llvm::MemoryBuffer> object, const CPUTarget &target);

  ~JitModule();

  /// The wrapper of the exported function of this name. Also an error if a
  /// symbol that the code uses is missing.
  llvm::Expected<PackedFunction> lookup(llvm::StringRef name) const;

  /// What `compileToObject` was given. An error if the code holds no
  /// interface.
  llvm::Expected<CodeInterface> readInterface();

  /// The kernels of code for a GPU.
  llvm::Expected<symshape_gpu_program *> lookupKernels() const;

private:
  JitModule(std::unique_ptr<llvm::MemoryBuffer> objects,
            std::unique_ptr<NearMemory> memory,
            std::unique_ptr<llvm::orc::LLJIT> jit);

  std::unique_ptr<llvm::MemoryBuffer> objects; ///< until they are loaded
  std::unique_ptr<NearMemory> memory;          ///< outlives the code in it
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_JIT_H
