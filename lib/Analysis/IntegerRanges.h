//===- IntegerRanges.h - Ranges of all integers of a function --*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's interfaces say of integers, each by itself. Private to
// Analysis.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_ANALYSIS_INTEGERRANGES_H
#define SYMSHAPE_LIB_ANALYSIS_INTEGERRANGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::symshape {

struct IntegerRanges {
  /// Of scalars and of the elements of vectors, of at most 64 bits. One that is
  /// missing is never computed.
  llvm::DenseMap<Value, ConstantIntRanges> ofValues;
  llvm::DenseSet<Block *> reached; ///< that runs may come to
};

/// The ranges of all integers of a function with a body, in each call, if
/// computing them does not have undefined behaviour. `ofCall` is the range of a
/// result of a call; nullopt: unknown. Cost: linear, as each range is widened
/// after some changes.
IntegerRanges findIntegerRanges(
    func::FuncOp function,
    llvm::function_ref<std::optional<ConstantIntRanges>(OpResult)> ofCall);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_ANALYSIS_INTEGERRANGES_H
