//===- CallCost.h - How long a call takes -----------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the maker of a function tells ParallelizeLoops about it. Private to
// Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CALLCOST_H
#define SYMSHAPE_LIB_CONVERSION_CALLCOST_H

#include "llvm/ADT/StringRef.h"

namespace mlir::symshape {

/// Attribute of a function, array<i64: factor, argument...>: a call executes
/// about as many ops as the factor times the product of these arguments, which
/// are integers. Removed by symshape-parallelize-loops.
inline constexpr llvm::StringLiteral callCostName = "call_cost";

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CALLCOST_H
