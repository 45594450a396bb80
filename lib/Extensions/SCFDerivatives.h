//===- SCFDerivatives.h - Derivatives of scf --------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the derivatives of loops and of branches share. If tangents need ops of
// their own, the tangent of a region op is a region op that runs the primal
// body again and yields only tangents; `with_extents` states the extents of
// what it returns.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_SCFDERIVATIVES_H
#define SYMSHAPE_LIB_EXTENSIONS_SCFDERIVATIVES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

/// The tangent; if it is a tensor, it has these extents.
Value withExtents(OpBuilder &builder, Value tangent,
                  ArrayRef<OpFoldResult> extents);

/// Which of the values that a loop carries have tangents, after any number of
/// iterations. `arguments` are those of `body` that carry them.
SmallVector<bool> findActive(Block &body, ValueRange arguments,
                             ValueRange inits, ValueRange yielded,
                             Tangents &tangents);

/// Copies the ops of a block with these arguments; returns what `values` are
/// in the copy.
SmallVector<Value> copyBlock(OpBuilder &builder, Block &block,
                             ValueRange arguments, ValueRange values);

/// Linear values from above that a region of the op uses.
SmallVector<Value> capturedLinear(Operation *op, Cotangents &cotangents);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_SCFDERIVATIVES_H
