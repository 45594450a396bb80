//===- Compile.h - From a program to machine code ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not for: calling it (Program.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_COMPILE_H
#define SYMSHAPE_EXECUTION_COMPILE_H

#include "symshape/Execution/CodeInterface.h"
#include "symshape/Execution/Diagnostics.h"
#include "symshape/Execution/TensorBuffer.h"
#include "symshape/Pipelines/CPUTarget.h"
#include "symshape/Pipelines/GPUTarget.h"
#include "symshape/Transforms/TosaBroadcast.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

namespace llvm {
class ObjectCache;
} // namespace llvm

namespace mlir::symshape {

namespace onnx {
class Registry;
} // namespace onnx

class GPUDevice;
struct ProgramSource;

/// The threads of calls for which none are chosen: SYMSHAPE_THREADS of the
/// environment, or 1. Fails (a usage error) where that is no number from 1 on.
llvm::Expected<int64_t> getDefaultThreads();

struct CompileOptions {
  std::string entry;  ///< empty: @main, or else the only public function
  bool guards = true; ///< check at entry what the program requires
  CPUTarget target = CPUTarget::getHost();
  std::optional<GPUTarget> gpu; ///< that runs what computes; none: the CPU
  /// Where GPU code is to run; null if it is only written to a file.
  std::shared_ptr<GPUDevice> device;
  /// One arena for the temporary buffers of a call. Without it, each can have
  /// guard pages of its own.
  bool planMemory = true;
  int64_t threads = 1; ///< the most that a call uses; at least 1
  /// How ops of TOSA broadcast; without it, as the program says.
  std::optional<TosaBroadcast> tosaBroadcast;
  /// In which type products are formed (Precision.h); empty: as the program
  /// says.
  std::string precision;
  /// What every call passes for the dynamic dims of the arguments, one for each
  /// in order, negative where nothing is known; empty if nothing is known of
  /// any. Any other call is undefined behaviour.
  std::vector<int64_t> extents;
  /// For `Program::compile` of models that depend on values of inputs.
  std::function<llvm::Expected<std::vector<TensorBuffer>>()> firstInputs;
  /// For models with ops that the standard does not define
  /// (onnx::Registry::standardAnd); null: only those of the standard.
  std::shared_ptr<const onnx::Registry> onnxOps;
  DiagnosticSink diagnostics; ///< what is said of the IR
  /// The code is to be linked to as well: its functions keep their names.
  bool forLinkers = false;
  /// Code for the CPU that is made in a fraction of the time, and runs slower.
  bool quick = false;
  bool timers = false;     ///< code for the CPU tells when its kernels run
  bool timeReport = false; ///< tell what it takes (CompileTimes::report)
  /// Say on standard error, a terminal, how far it is, if it takes long.
  bool showProgress = false;
  /// Once it is true, compiling ends soon, with an error; null: never.
  const std::atomic<bool> *stop = nullptr;
  /// Object files that programs share (ObjectCode.h); null: none are kept.
  llvm::ObjectCache *parts = nullptr;

  bool isStopping() const { return stop && *stop; }
};

/// Seconds of wall time.
struct CompileTimes {
  double parse = 0, passes = 0, jit = 0;
  /// As CompileReport.h describes it; null if not asked for.
  std::shared_ptr<const llvm::json::Object> report = nullptr;
};

/// Machine code; what its callers need to know of it is in it (CodeInterface).
struct CompiledCode {
  std::unique_ptr<llvm::MemoryBuffer> object;
  CompileTimes times;
  /// Of code that was just compiled: what is in it, to be shown.
  CodeInterface interface = {};
  std::string kernels = {};    ///< PTX, for a GPU
  bool hasDiagnostics = false; ///< something was said while it was compiled
};

/// The code of the entry, to be loaded now or later. As Program::compile, but
/// checks nothing about this machine.
llvm::Expected<CompiledCode> compileCode(const ProgramSource &source,
                                         const CompileOptions &options);

/// Compiles the entry function of the file at `path`, as Program::compile does,
/// for a target of any kind, and writes assembly or an object file to `output`.
/// What can be called is `_mlir_ciface_ENTRY` and, where there is one,
/// `_mlir_ciface_ENTRY.prepare`.
llvm::Error writeCode(llvm::StringRef path, const CompileOptions &options,
                      llvm::StringRef output, llvm::CodeGenFileType type);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_COMPILE_H
