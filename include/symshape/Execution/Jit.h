//===- Jit.h - Machine code from the LLVM dialect ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates a module of the LLVM dialect and compiles it, to be called or as a
// file. Not for: lowering to the LLVM dialect (Pipelines), or calling
// (Program.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_JIT_H
#define SYMSHAPE_EXECUTION_JIT_H

#include "mlir/IR/BuiltinOps.h"
#include "symshape-c/RuntimeGPU.h"
#include "symshape/Execution/CodeInterface.h"
#include "symshape/Pipelines/CPUTarget.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir {
class DialectRegistry;
class TimingScope;
} // namespace mlir

namespace mlir::symshape {

class NearMemory;

/// Compiled code. It may be called as long as this object lives; the module and
/// its context need not.
class JitModule {
public:
  /// A function that takes an array of pointers to its arguments, followed by a
  /// pointer to its result if it returns one.
  using PackedFunction = void (*)(void **);

  /// Takes over an object file that `compileToObject` has made, for this
  /// machine. Calls of the runtime (symshape-c/Runtime.h) reach the one linked
  /// into this process.
  static llvm::Expected<std::unique_ptr<JitModule>>
  load(std::unique_ptr<llvm::MemoryBuffer> object, const CPUTarget &target);

  ~JitModule();

  /// The wrapper of the exported function of this name. Also an error if a
  /// symbol that the code uses is missing.
  llvm::Expected<PackedFunction> lookup(llvm::StringRef name) const;

  /// What `compileToObject` was given. An error if the code holds no
  /// interface.
  llvm::Expected<CodeInterface> readInterface() const;

  /// The kernels of code for a GPU.
  llvm::Expected<symshape_gpu_program *> lookupKernels() const;

private:
  JitModule(std::unique_ptr<NearMemory> memory,
            std::unique_ptr<llvm::orc::LLJIT> jit);

  std::unique_ptr<NearMemory> memory; ///< outlives the code in it
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

struct ObjectOptions {
  bool forLinkers = false; ///< keeps the names of the functions themselves, too
  bool quick = false;      ///< is there soon, and runs slower
  /// Once it is true, the rest is left undone, with an error; null: never.
  const std::atomic<bool> *stop = nullptr;
  TimingScope *timing = nullptr; ///< measures stages; null: nobody does
};

/// Compiles the functions of `interface`, which `module`, in the LLVM dialect,
/// defines, to an object file for `target`, with a wrapper each; others only as
/// far as these use them. The interface becomes a part of the object file.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileToObject(ModuleOp module, const CodeInterface &interface,
                const CPUTarget &target, const ObjectOptions &options = {});

/// Writes the machine code of `module`, in the LLVM dialect, to a file: the
/// functions `exports` as far as they exist, and what they use.
llvm::Error writeCode(ModuleOp module, llvm::ArrayRef<std::string> exports,
                      const CPUTarget &target, llvm::StringRef path,
                      llvm::CodeGenFileType type);

/// Registers the translations to LLVM IR that the functions above need.
void registerJitTranslations(DialectRegistry &registry);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_JIT_H
