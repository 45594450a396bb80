//===- Functions.h - What the AD passes share -------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of what is asked for, copies of functions, and which values depend on
// which. Private to lib/Transforms/AutoDiff.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_AUTODIFF_FUNCTIONS_H
#define SYMSHAPE_LIB_TRANSFORMS_AUTODIFF_FUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "symshape/IR/Diagnostics.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/AutoDiff.h"

namespace mlir::symshape {

/// Loads the dialects of which rules make ops, where no pass manager has: a
/// program need not use them itself.
void loadDialectsOfRules(MLIRContext *context);

/// Checks that the function has a body of one block on tensors and scalars,
/// that the requested arguments and results have tangents, each once, and that
/// no function has a name that will be added.
LogicalResult verifyRequest(func::FuncOp func, const Request &request,
                            ArrayRef<StringRef> suffixes);

/// A copy under another name, after the function, in which calls are inlined.
FailureOr<func::FuncOp> copyInlined(func::FuncOp func, const Twine &name);

/// Checks that no op is on buffers, or on tensors with an encoding.
LogicalResult verifyBodyTypes(func::FuncOp func);

/// Erases ops of the function that nothing needs.
void eraseDead(func::FuncOp func);

/// The values that depend on `roots`, through operands or uses in regions.
DenseSet<Value> dependentsOf(ArrayRef<Value> roots, Block &block);

/// The extents of a tangent of a linear function, of the value to which it
/// belongs: constants, and arguments of the function.
SmallVector<OpFoldResult> residualExtents(BlockArgument tangent);

/// Asserts that the dims of `tangent`, a tangent or cotangent (`what` says
/// which) have these extents, of the value to which it belongs. No rule looks
/// at both: that of `arith.negf` would return a gradient as long as its
/// cotangent.
void requireExtents(OpBuilder &builder, Value tangent,
                    ArrayRef<OpFoldResult> extents, StringRef what);

/// Whether the op, or one in its regions, uses one of `values`.
bool usesAny(Operation *op, const DenseSet<Value> &values);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_AUTODIFF_FUNCTIONS_H
