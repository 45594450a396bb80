//===- BoundScalars.h - Scalar arguments that become constants --*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A type says what an extent is, but not what a scalar is: its uses become a
// constant, and an assert holds callers to it. Private to Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_BOUNDSCALARS_H
#define SYMSHAPE_LIB_TRANSFORMS_BOUNDSCALARS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::symshape {

/// Whether an argument of this type can be bound: an index, or a signless
/// integer of at most 64 bits.
bool isBindableScalar(Type type);

/// The number of the scalar argument that messages spell `name`, also without
/// the `%`; nullopt if there is none, or more than one.
std::optional<unsigned> findScalarArgument(func::FuncOp function,
                                           StringRef name);

/// Lets the body of `function`, after its guards, compute with `value` in place
/// of the argument, and assert that they are equal. Returns the ops that this
/// took; `unbindScalar` takes them away again.
SmallVector<Operation *> bindScalar(func::FuncOp function, unsigned argument,
                                    int64_t value);
void unbindScalar(BlockArgument argument, ArrayRef<Operation *> made);

/// Lets private functions compute with constants in place of those arguments
/// for which every call passes one and the same. Returns whether there were
/// any.
bool carryConstants(ModuleOp module);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_BOUNDSCALARS_H
