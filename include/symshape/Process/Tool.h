//===- Tool.h - What all tools begin and end with ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not for: options.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PROCESS_TOOL_H
#define SYMSHAPE_PROCESS_TOOL_H

#include "llvm/Support/InitLLVM.h"

namespace mlir::symshape {

/// One per main function. A crash ends the process as Crashes.h says; a file
/// that grows beyond a limit is an error of writing, and no signal.
class Tool {
public:
  /// `cannotWrite` is the exit status where output cannot be written.
  Tool(int &argc, char **&argv, int cannotWrite = 2);

  /// What is printed on standard output goes nowhere from now on.
  static void silence();

  /// Makes sure that all has arrived on standard output, and that a failure has
  /// words: returns `status`, or that for output that cannot be written, after
  /// a message. To be called last.
  int finish(int status);

private:
  llvm::InitLLVM init;
  int cannotWrite;
  uint64_t said, printed; ///< where the two outputs were in the beginning
};

} // namespace mlir::symshape

#endif // SYMSHAPE_PROCESS_TOOL_H
