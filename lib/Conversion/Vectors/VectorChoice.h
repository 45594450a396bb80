//===- VectorChoice.h - Which loop runs in vectors --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the loops of a structured op are run: which dimension in vectors, how
// wide, and what is kept in registers. Private to Conversion. Not for: building
// the loops (LowerStructuredOps.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_VECTORS_VECTORCHOICE_H
#define SYMSHAPE_LIB_CONVERSION_VECTORS_VECTORCHOICE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// The op that combines a new value into result `number`, or null.
Operation *getCombiner(linalg::GenericOp op, unsigned number);

/// The number of an init among the inits, and of its value among the yielded.
unsigned getInitNumber(linalg::GenericOp op, OpOperand &init);

/// True if an init has an element per point of the reductions, stored as they
/// run: for example, exponentials that are added up.
bool isWrittenInReduction(linalg::GenericOp op, OpOperand &init);

/// True if every result can be kept in a register while the reductions run: its
/// map holds each parallel dimension once and nothing else but zeros. Those
/// that are written in the reductions must not be read, and hold each dimension
/// once.
bool hasRegisterResults(linalg::GenericOp op);

/// The loop dimension to run in vectors: the one with most contiguous operands,
/// if that is worth it.
std::optional<unsigned> chooseVectorDim(linalg::GenericOp op);

/// Lanes of a vector along `dim`: a register full of the widest type that
/// varies, 32 bits at least, and no more than a small static extent.
int64_t chooseVectorWidth(linalg::GenericOp op, unsigned dim,
                          int64_t vectorBits);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_VECTORS_VECTORCHOICE_H
