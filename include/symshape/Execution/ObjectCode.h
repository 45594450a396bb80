//===- ObjectCode.h - Machine code from the LLVM dialect --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates a module of the LLVM dialect and compiles it, to be called or as a
// file. Not for: lowering to the LLVM dialect (Pipelines), or loading (Jit.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_OBJECTCODE_H
#define SYMSHAPE_EXECUTION_OBJECTCODE_H

#include "mlir/IR/BuiltinOps.h"
#include "symshape/Execution/CodeInterface.h"
#include "symshape/Pipelines/CPUTarget.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <memory>

namespace llvm {
class ObjectCache;
} // namespace llvm

namespace mlir {
class DialectRegistry;
class TimingScope;
} // namespace mlir

namespace mlir::symshape {

struct ObjectOptions {
  bool forLinkers = false; ///< keeps the names of the functions themselves, too
  bool quick = false;      ///< is there soon, and runs slower
  /// Once it is true, the rest is left undone, with an error; null: never.
  const std::atomic<bool> *stop = nullptr;
  TimingScope *timing = nullptr; ///< measures stages; null: nobody does
  /// Keeps the object files of functions that several programs have, whose
  /// modules are called by their content; asked by several threads. Null: none
  /// are kept.
  llvm::ObjectCache *cache = nullptr;
  unsigned threads = 0; ///< that compile; 0: as many as the machine has cores

  bool isStopping() const { return stop && *stop; }
};

/// Compiles the functions of `interface`, which `module`, in the LLVM dialect,
/// defines, to an object file for `target`, with a wrapper each; others only as
/// far as these use them. The interface becomes a part of the object file. A
/// long module becomes an archive of object files, unless it is quick or
/// for linkers; what is in it does not depend on the number of threads.
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

#endif // SYMSHAPE_EXECUTION_OBJECTCODE_H
