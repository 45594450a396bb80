//===- Program.h - Programs that C callers hold -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to CAPI.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CAPI_PROGRAM_H
#define SYMSHAPE_LIB_CAPI_PROGRAM_H

#include "Options.h"
#include "symshape-c/Inspect.h"
#include "symshape/Execution/ProgramInspector.h"

/// An inspector, and who may use it. Facts share it.
struct SharedInspector {
  std::unique_ptr<mlir::symshape::ProgramInspector> inspector;
  std::mutex mutex;
};

struct symshape_program {
  mlir::symshape::capi::ReadOptions options; ///< the log is that of `log`
  std::unique_ptr<mlir::symshape::EventLog> log;
  std::shared_ptr<const mlir::symshape::WeightFile> weights; ///< may be null
  std::unique_ptr<mlir::symshape::AdaptiveProgram> program;
  /// What serves every call without anybody being told; null: ask `program`.
  const mlir::symshape::ProgramVariant *direct = nullptr;
  symshape_times times = {};
  mutable std::mutex mutex; ///< guards what follows
  mutable std::shared_ptr<SharedInspector> inspector;

  const mlir::symshape::FunctionSignature &getSignature() const {
    return program->getSignature();
  }
  /// Made when it is first asked for.
  llvm::Expected<std::shared_ptr<SharedInspector>> inspect() const;
};

namespace mlir::symshape::capi {

/// Compiles a program. The log of `options`, if there is one, outlives it.
llvm::Expected<symshape_program *>
makeProgram(ProgramSource source, ReadOptions options, double secondsToRead);

} // namespace mlir::symshape::capi

#endif // SYMSHAPE_LIB_CAPI_PROGRAM_H
