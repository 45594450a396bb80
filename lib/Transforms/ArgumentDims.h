//===- ArgumentDims.h - Dynamic dims of arguments ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of functions that judge a call by its extents alone: the guard
// and the choice of a version. Private to Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_ARGUMENTDIMS_H
#define SYMSHAPE_LIB_TRANSFORMS_ARGUMENTDIMS_H

#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/Transforms/ExprEmitter.h"

namespace mlir::symshape {

/// One dynamic dimension of an argument.
struct ArgumentDim {
  BlockArgument argument;
  int64_t dim;
};

/// In the order of the arguments and their dimensions.
SmallVector<ArgumentDim> getArgumentDims(func::FuncOp function);

/// What the signature declares of the dim; Unknown where that is nothing.
Extent getDeclaredExtent(BlockArgument argument, int64_t dim, ExprArena &arena);

/// Declares each dynamic dim of an argument of which nothing is declared, by
/// the name that the analysis gave it.
void nameArgumentDims(FunctionShapes &shapes);

/// The values of `dims`, at the insertion point.
SmallVector<Value> emitArgumentDims(OpBuilder &builder, Location loc,
                                    ArrayRef<ArgumentDim> dims);

/// An emitter of expressions over dims of arguments, given their values, none
/// of which is negative or exceeds kMaxExtent.
ExprEmitter makeDimEmitter(FunctionShapes &shapes, OpBuilder &builder,
                           Location loc, ArrayRef<ArgumentDim> dims,
                           ValueRange values);

/// A function, still without a body, that takes `dims` and returns `results`,
/// before `shapes.function()`. Not inlined: its checks must not be folded by
/// the facts that they establish. Extents are clamped to kMaxExtent in
/// `clamped`.
func::FuncOp createFunctionOfDims(FunctionShapes &shapes, StringRef suffix,
                                  ArrayRef<ArgumentDim> dims, TypeRange results,
                                  SmallVectorImpl<Value> &clamped);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_ARGUMENTDIMS_H
