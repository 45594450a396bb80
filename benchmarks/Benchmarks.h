//===- Benchmarks.h - What symshape-bench measures --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per group of benchmarks. Each registers its own with Google
// Benchmark.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_BENCHMARKS_BENCHMARKS_H
#define SYMSHAPE_BENCHMARKS_BENCHMARKS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::symshape {

/// Questions without IR: random entailments, and two with hundreds of symbols.
/// Counters, in microseconds per question: `assume`, `cold`, `memoised`, and
/// per tier its share of questions and their time; `right` of all answers.
void registerEntailments(unsigned count, unsigned seed);

/// The analysis of the program in a file, and upstream's ValueBounds asked the
/// same in the same process: the relation of each `symshape.assert` between two
/// of its operands, or else every dimension that a tensor.pad makes, in terms
/// of the arguments.
void registerProgram(llvm::StringRef path, bool withUpstream);

} // namespace mlir::symshape

#endif // SYMSHAPE_BENCHMARKS_BENCHMARKS_H
