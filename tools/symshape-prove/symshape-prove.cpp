//===- symshape-prove.cpp - Asks the fact engine --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a problem file: facts and questions as text.
//
//===----------------------------------------------------------------------===//

#include "../Heap.h"
#include "../OtherOptions.h"
#include "../QuietOption.h"
#include "symshape/Constraints/ProblemFile.h"
#include "symshape/Process/Files.h"
#include "symshape/Process/Tool.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static cl::OptionCategory category("symshape-prove options");
static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("FILE (- for standard input)"),
                                  cl::cat(category));
static cl::opt<bool>
    explain("explain", cl::cat(category),
            cl::desc("after each answer, the facts it rests on, with their "
                     "lines, or what is missing"));

static cl::opt<bool>
    isJson("json", cl::cat(category),
           cl::desc("print a line of JSON for each question: its line and "
                    "text, the answer, and what --explain and --stats add"));
static mlir::symshape::QuietOption quiet(category);

static int run(int argc, char **argv) {
  // LLVM's own option of the name prints counters of LLVM.
  if (cl::Option *other = cl::getRegisteredOptions().lookup("stats"))
    other->removeArgument();
  cl::opt<bool> stats(
      "stats", cl::cat(category),
      cl::desc("after each answer, the tier that decided, and its steps"));
  mlir::symshape::hideOtherOptions(category);
  if (!mlir::symshape::parseOptions(
          argc, argv,
          "Answers questions about integers from facts about them.\n\n"
          "  symbol B in [1, 64]\n  assume L <= S\n  prove 4 | S * B\n"
          "  simplify (2*B + S) floordiv 2\n  bounds B - L\n"
          "  solve B + L == 10 for L\n  push, pop\n\n"
          "exit status: 0 every question was answered; 1 an error in the file; "
          "2 usage, or a file that cannot be read or output that cannot be "
          "written; 70 internal error\n"))
    return 2;
  if (quiet)
    mlir::symshape::Tool::silence();
  Expected<std::unique_ptr<MemoryBuffer>> file =
      mlir::symshape::readPlainFileOrInput(input);
  if (!file) {
    errs() << "error: cannot read '" << input
           << "': " << toString(file.takeError()) << '\n';
    return 2;
  }
  mlir::symshape::ProblemOptions options;
  options.explain = explain;
  options.stats = stats;
  options.json = isJson;
  bool ok = mlir::symshape::runProblem((*file)->getBuffer(), input, options,
                                       outs(), errs());
  return ok ? 0 : 1;
}

int main(int argc, char **argv) {
  mlir::symshape::joinFreeBlocks();
  mlir::symshape::Tool tool(argc, argv);
  return tool.finish(run(argc, argv));
}
