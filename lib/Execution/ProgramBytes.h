//===- ProgramBytes.h - Text or bytecode of a program -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_PROGRAMBYTES_H
#define SYMSHAPE_LIB_EXECUTION_PROGRAMBYTES_H

#include "symshape/Execution/ProgramSource.h"

namespace mlir::symshape {

/// The text or bytecode of a program, and the weights that stayed in a model.
struct ProgramBytes {
  std::unique_ptr<llvm::MemoryBuffer> bytes;
  std::shared_ptr<const WeightFile> weights;
};

/// From a file, or from standard input for `-`; a model is imported.
llvm::Expected<ProgramBytes>
readProgram(llvm::StringRef path, const FirstInputs &firstInputs,
            const DiagnosticSink &diagnostics = nullptr,
            const OnnxOps &ops = nullptr);

/// From text or bytecode; a portable artifact of StableHLO and an exported
/// program of PyTorch are imported.
llvm::Expected<ProgramBytes>
takeProgram(std::unique_ptr<llvm::MemoryBuffer> bytes,
            const FirstInputs &firstInputs, const DiagnosticSink &diagnostics);

/// From the bytes of a model.
llvm::Expected<ProgramBytes>
importProgram(std::shared_ptr<llvm::MemoryBuffer> bytes,
              const FirstInputs &firstInputs, const DiagnosticSink &diagnostics,
              const OnnxOps &ops);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_PROGRAMBYTES_H
