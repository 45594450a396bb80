//===- Combiners.h - How parts of a reduction are combined ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_COMBINERS_H
#define SYMSHAPE_LIB_CONVERSION_GPU_COMBINERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// The op that combines result `number` with its parts, in any order, if that
/// is all that the body does with it; or null.
Operation *findCombiner(linalg::LinalgOp op, unsigned number);

/// Whether the threads of a warp can combine their parts of each result: these
/// are of 32 bits, which a shuffle takes, and have a combiner.
bool combinesInWarp(linalg::LinalgOp op);

/// `lhs` and `rhs`, combined as by `combiner`.
Value combineTwo(OpBuilder &builder, Operation *combiner, Value lhs, Value rhs);

/// Combines the values of all threads of a warp; each gets the result.
Value combineWarp(OpBuilder &builder, Location loc, Operation *combiner,
                  Value part);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_COMBINERS_H
