//===- BufferLifetimes.h - When a buffer is in use --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions of ops in the order of the program, and between which of them the
// elements of a buffer matter. Not for: what the ops do with it (BufferUses.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_BUFFERLIFETIMES_H
#define SYMSHAPE_LIB_TRANSFORMS_BUFFERLIFETIMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::symshape {

/// Numbers the ops of a function: an op before those that it contains, and
/// these before where it ends. Ops that run together (kTogether) have one span.
class ProgramOrder {
public:
  explicit ProgramOrder(func::FuncOp function);

  struct Span {
    unsigned begin = 0, end = 0;
  };
  Span of(Operation *op) const { return spans.lookup(op); }

private:
  llvm::DenseMap<Operation *, Span> spans;
};

struct BufferLifetime {
  /// Empty without uses: `first > last`.
  unsigned first = ~0u, last = 0;
  SmallVector<Operation *> deallocations;
  /// An op through which the buffer may be used beyond what is known: it
  /// returns it, carries it from one iteration to the next, or is unknown.
  Operation *escape = nullptr;
};

/// From the first access to the last one, of the buffer that `op` allocates and
/// of its views. An access in a loop that does not contain the allocation
/// counts for the whole loop.
BufferLifetime findLifetime(Operation *op, const ProgramOrder &order);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_BUFFERLIFETIMES_H
