//===- symshape-bench.cpp - Times the fact engine and the analysis --------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// symshape-bench [--print-entailments] [--count=N] [--seed=N]
//                [--program=FILE]... [--with-upstream=FILE]...
//                [options of Google Benchmark]
//
//===----------------------------------------------------------------------===//

#include "Benchmarks.h"
#include "Entailments.h"

#include "benchmark/benchmark.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  cl::opt<bool> print("print-entailments",
                      cl::desc("write the entailments as a problem file"));
  cl::opt<unsigned> count("count", cl::desc("how many entailments"),
                          cl::init(1000));
  cl::opt<unsigned> seed("seed", cl::desc("of the entailments"), cl::init(1));
  cl::list<std::string> programs("program", cl::desc("MLIR to analyse"));
  cl::list<std::string> compared(
      "with-upstream", cl::desc("MLIR to analyse, and to ask upstream about"));
  cl::ParseCommandLineOptions(argc, argv, "times the fact engine\n");
  if (print) {
    mlir::symshape::ExprArena arena;
    printProblems(mlir::symshape::makeEntailments(arena, count, seed),
                  llvm::outs());
    return 0;
  }
  mlir::symshape::registerEntailments(count, seed);
  for (const std::string &path : programs)
    mlir::symshape::registerProgram(path, /*withUpstream=*/false);
  for (const std::string &path : compared)
    mlir::symshape::registerProgram(path, /*withUpstream=*/true);
  benchmark::RunSpecifiedBenchmarks();
}
