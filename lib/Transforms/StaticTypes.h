//===- StaticTypes.h - Signatures with more static extents ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes the types of arguments and results, by casts that canonicalisation
// moves through the users. Private to Transforms. Not for: deciding what an
// extent is.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_STATICTYPES_H
#define SYMSHAPE_LIB_TRANSFORMS_STATICTYPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::symshape {

/// `value` as a tensor or memref of `type`, which is at least as static or as
/// dynamic in each dimension; `value` itself if that is its type.
Value castTo(OpBuilder &builder, Location loc, Value value, Type type);

/// The extents that are static in `a`, then those in `b`; null if they
/// contradict each other. Both are of one rank.
ShapedType mergeStatic(ShapedType a, ShapedType b);

/// The most static type that `value` is known to have by casts of tensors.
Type getStaticType(Value value);

/// The types of the results of `function`, with the extents on which all its
/// returns agree.
SmallVector<Type> getReturnedTypes(func::FuncOp function);

/// Gives the arguments of `function` these types, each at least as static as
/// before; the body sees the old ones.
void retypeArguments(func::FuncOp function, ArrayRef<Type> types);

/// Gives the results of `function` these types, each at least as static as
/// before. Calls are left to the caller of this.
void retypeResults(func::FuncOp function, ArrayRef<Type> types);

/// Makes `call` agree with the types of `callee`; its users see the old ones.
void retypeCall(func::CallOp call, func::FuncOp callee);

/// That for each call of `function`, which is only called.
void retypeCalls(func::FuncOp function);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_STATICTYPES_H
