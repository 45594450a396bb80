//===- Options.h - The command line of symshape-run -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was asked for, checked and opened. Not for: doing it.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TOOLS_SYMSHAPE_RUN_OPTIONS_H
#define SYMSHAPE_TOOLS_SYMSHAPE_RUN_OPTIONS_H

#include "symshape/Execution/AdaptiveProgram.h"
#include "symshape/Execution/CallsFile.h"
#include "symshape/Execution/EventLog.h"
#include "symshape/Execution/SafeTensors.h"
#include <optional>

/// Options that are used as they stand.
struct RunOptions {
  std::string inputFile;
  std::vector<std::string> outputFiles;
  std::string objectFile, assemblyFile, bundleFolder; ///< empty: it is run
  mlir::symshape::DynamicMode dynamicMode;
  unsigned repeat;
  bool printTime, timeReport, verbose, isJson;
  bool profile;
  std::string traceFile; ///< empty: no trace is written
  bool keepsCode;        ///< for later processes
};

/// Reads the command line; false, after a message, where it is no such.
bool parseCommandLine(int argc, char **argv);

/// Of the command line that was read; an error if its options cannot be carried
/// out together with so many calls.
llvm::Expected<RunOptions> readRunOptions(size_t numCalls);

/// The calls to make: one from --input, or those of --calls.
llvm::Expected<std::vector<mlir::symshape::CallSpec>> readCalls();

llvm::Expected<mlir::symshape::CompileOptions> readCompileOptions();

/// The GPUs that a bundle has machine code for.
llvm::Expected<std::vector<mlir::symshape::GPUTarget>> readCubinTargets();

mlir::symshape::AdaptiveOptions
readAdaptiveOptions(mlir::symshape::CompileOptions compile,
                    mlir::symshape::EventLog *log);

/// Null where nobody wants to know.
llvm::Expected<std::unique_ptr<mlir::symshape::EventLog>> openLog();

llvm::Expected<std::optional<mlir::symshape::SafeTensors>> openWeights();

#endif // SYMSHAPE_TOOLS_SYMSHAPE_RUN_OPTIONS_H
