//===- ForkedRun.h - A run in a process of its own --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For drivers that run much over many small files, where each run may crash:
// the sections of a file, and runs in processes that are forked, since to start
// one costs more than most runs. Not for: what is run.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TEST_LIB_FORKEDRUN_H
#define SYMSHAPE_TEST_LIB_FORKEDRUN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/JSON.h"

namespace mlir::symshape::test {

/// A part of a file between two lines `// -----`.
struct Section {
  StringRef path, text;
  unsigned linesBefore;
};

/// What a run shares with the process that waits for it.
struct Shared {
  char pass[128]; ///< the last pass that was begun
};

/// Notes which pass runs, and whether one leaves IR that does not verify.
struct PassObserver : PassInstrumentation {
  PassObserver(Shared &shared, std::string &invalid)
      : shared(shared), invalid(invalid) {}

  void runBeforePass(Pass *pass, Operation *op) override;
  void runAfterPassFailed(Pass *pass, Operation *op) override;

  Shared &shared;
  std::string &invalid;
};

/// The errors of one run.
struct Errors {
  std::string first, place, placeless, last;
  void add(Diagnostic &diag);
};

/// What is to be said of a run that ended with `result`, `invalid` as told by
/// `PassObserver`: its status, and the first error.
llvm::json::Object describeRun(const Errors &errors, StringRef invalid,
                               LogicalResult result);

/// The module of a section, with the places of its file; null where it does not
/// parse.
OwningOpRef<ModuleOp> parseSection(MLIRContext &context,
                                   const Section &section);

/// Makes runs 0 to `number` - 1 in a process that is forked, each of at most
/// `seconds` of the processor, and in a further process those after one that
/// ends its process. Calls `tell` with the record of each, or with how its
/// process ended.
void runForked(unsigned number, unsigned seconds,
               llvm::function_ref<llvm::json::Object(unsigned, Shared &)> run,
               llvm::function_ref<void(unsigned, llvm::json::Object)> tell);

/// Calls `run` for each section of each file, in a process of its own:
/// upstream's parser, too, may crash on what is meant to be refused. Prints a
/// record where it did. Returns the exit status.
int forEachSection(ArrayRef<std::string> files,
                   llvm::function_ref<void(const Section &)> run);

/// A record of a section that does not parse.
void printNotParsed(const Section &section);

} // namespace mlir::symshape::test

#endif // SYMSHAPE_TEST_LIB_FORKEDRUN_H
