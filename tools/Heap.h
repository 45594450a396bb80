//===- Heap.h - The heap of a tool ------------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TOOLS_HEAP_H
#define SYMSHAPE_TOOLS_HEAP_H

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace mlir::symshape {

/// Makes glibc's heap join small blocks as they are freed. By default it keeps
/// them in lists, and takes all of these apart when a large block is asked for:
/// the engine does both in turns, and with 10 000 guards that is two thirds of
/// the time (benchmarks/bench_growth.py). A program that links the libraries
/// chooses its own heap.
inline void joinFreeBlocks() {
#ifdef __GLIBC__
  mallopt(M_MXFAST, 0);
#endif
}

} // namespace mlir::symshape

#endif // SYMSHAPE_TOOLS_HEAP_H
