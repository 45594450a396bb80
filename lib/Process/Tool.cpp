//===- Tool.cpp - What all tools begin and end with -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Process/Tool.h"
#include "symshape/Process/Crashes.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <fcntl.h>
#include <string>
#include <unistd.h>

using namespace mlir::symshape;

Tool::Tool(int &argc, char **&argv, int cannotWrite)
    : init(argc, argv), cannotWrite(cannotWrite), said(llvm::errs().tell()),
      printed(llvm::outs().tell()) {
  // A handler of a signal needs it until the very end.
  static std::string note =
      ("internal error: " + llvm::sys::path::filename(argv[0]) + " crashed")
          .str();
  exitOnCrash(note.c_str(), cannotWrite);
  std::signal(SIGXFSZ, SIG_IGN);
}

void Tool::silence() {
  llvm::outs().flush();
  int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0)
    return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::close(nowhere);
}

int Tool::finish(int status) {
  llvm::outs().flush();
  std::error_code problem = llvm::outs().error();
  llvm::outs().clear_error(); // or else its destructor ends the process
  if (problem) {
    llvm::errs() << "error: cannot write to standard output: "
                 << problem.message() << '\n';
    status = cannotWrite;
  }
  // MLIR's readers fail in silence for some damaged files.
  if (status == 1 && llvm::errs().tell() == said &&
      llvm::outs().tell() == printed)
    llvm::errs() << "error: the input cannot be read or processed, and nothing "
                    "more is known\n";
  llvm::errs().clear_error();
  return status;
}
