//===- BufferUses.h - What is done with a buffer ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a buffer stays in the region that allocates it. For: moving
// allocations. Not for: aliasing of two buffers.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_BUFFERUSES_H
#define SYMSHAPE_LIB_TRANSFORMS_BUFFERUSES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::symshape {

/// Whether the memref that `op` gives is its operand, seen differently.
bool isBufferView(Operation *op);

/// Whether `op` reads or writes elements of its memrefs, or asks for their
/// shape, and no longer needs them once it has run.
bool isBufferAccess(Operation *op);

/// Whether the memref is an element that `use` writes.
bool isStored(OpOperand &use);

/// Whether ops inside `op` have ended when the next op after it runs.
bool runsInPlace(Operation *op);

/// The uses of a buffer and of its views.
struct BufferUses {
  SmallVector<memref::DeallocOp> deallocations;
  /// An op that may keep the buffer, pass it on, or use it later: returns,
  /// yields, stores of the buffer itself, asynchronous copies, unknown ops.
  /// Null if there is none.
  Operation *escape = nullptr;
};

/// Follows views, and calls to functions of the module whose body is known.
BufferUses findBufferUses(Value buffer);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_BUFFERUSES_H
