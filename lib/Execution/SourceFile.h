//===- SourceFile.h - A file on its way to the LLVM dialect -----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Execution: a context with all dialects, and the module of one
// program in it.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_SOURCEFILE_H
#define SYMSHAPE_LIB_EXECUTION_SOURCEFILE_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/Timing.h"
#include "symshape/Execution/Program.h"
#include "symshape/Execution/ProgramSource.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::symshape {

class ProgressLine;

class SourceFile {
public:
  /// Diagnostics go to `sink`, or, if it is empty, to standard error.
  /// `progress` may be null; it outlives the file.
  explicit SourceFile(const DiagnosticSink &sink,
                      ProgressLine *progress = nullptr);

  /// Parses `bytes`, and makes the function `entryName` callable from outside;
  /// if that is empty, @main, or else the only public function.
  llvm::Error parse(llvm::MemoryBufferRef bytes, llvm::StringRef entryName);
  /// What the entry exchanges, before `lower`.
  llvm::Expected<FunctionSignature> readSignature();
  std::vector<DynamicDim> readDims();
  /// See ProgramSource::work.
  unsigned estimateWork();
  /// To the LLVM dialect. Passes are measured in `timing`.
  llvm::Error lower(const CompileOptions &options, TimingScope timing = {});
  ModuleOp getModule() { return *module; }
  FunctionOpInterface getEntry() { return entry; }
  /// Whether anything has been said of the program.
  bool hasDiagnostics() const { return diagnosed; }

private:
  // One thread: a crash on another one could not be recovered from.
  MLIRContext context;
  llvm::SourceMgr sourceMgr;
  // Shared, for its destructor is not virtual.
  std::shared_ptr<ScopedDiagnosticHandler> handler;
  OwningOpRef<ModuleOp> module;
  FunctionOpInterface entry;
  bool diagnosed = false;
  ProgressLine *progress;
};

/// The error of a program that cannot be compiled.
llvm::Error cannotCompile(const llvm::Twine &message);

/// Runs `work` on a thread whose stack is large enough for deeply nested input;
/// an error if it crashes on the program called `name`.
llvm::Error runRecovering(llvm::StringRef name,
                          llvm::function_ref<llvm::Error()> work);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_SOURCEFILE_H
