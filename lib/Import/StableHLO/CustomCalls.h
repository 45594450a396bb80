//===- CustomCalls.h - Calls of what a runtime provides ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that JAX exports as calls, since StableHLO lacks them or their dynamic
// form. Each stands beside the static op that it is like.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_CUSTOMCALLS_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_CUSTOMCALLS_H

#include "Node.h"

namespace mlir::symshape::stablehlo {

/// A `reduce_window` whose numbers are operands and whose body is a function.
LogicalResult dynamicReduceWindow(Node &n);
/// A `rng_bit_generator` whose extents are an operand.
LogicalResult dynamicRngBitGenerator(Node &n);
/// A `top_k` whose number is an operand.
LogicalResult dynamicTopK(Node &n);
/// The first elements in the order of a function, of which XLA finds all on
/// CPUs. With `isDynamic` their number is the last operand.
LogicalResult approximateTopK(Node &n, bool isDynamic);
/// The function that a call names; null after an error.
Region *calledComputation(Node &n);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_CUSTOMCALLS_H
