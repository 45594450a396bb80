//===- CarriedCounters.h - Scalars that do not add up -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carried scalars that forget what they were: what an iteration gives depends
// on its counter alone, or on nothing. Private to Extensions.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_CARRIEDCOUNTERS_H
#define SYMSHAPE_LIB_EXTENSIONS_CARRIEDCOUNTERS_H

#include "CarriedScalars.h"

namespace mlir::symshape {

/// 2^(w-1), w the width of `type`.
Expr halfOfType(ShapeFacts &facts, Type type);

/// `number`, below 2^w, as the value that a type of w bits reads with a sign.
Expr asSigned(ShapeFacts &facts, Expr number, Type type);

/// Sets what is carried, and the result, if each iteration yields a sum of its
/// counter and of what does not change. `start` is the initial value.
bool setFromCounter(ShapeFacts &facts, const CountedLoop &loop, Expr start,
                    BlockArgument argument, Value yielded, Value result);

/// Before the first region of a loop is visited: the arguments to which each
/// iteration gives the same value are that, or the initial one.
void setInvariantYields(ShapeFacts &facts, ValueRange inits,
                        ValueRange arguments, ValueRange yields,
                        Operation *loop);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_CARRIEDCOUNTERS_H
