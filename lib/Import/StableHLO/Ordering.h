//===- Ordering.h - The first elements of an order --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_ORDERING_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_ORDERING_H

#include "Node.h"

namespace mlir::symshape::stablehlo {

/// A `top_k` whose number is an operand.
LogicalResult dynamicTopK(Node &n);
/// The first elements in the order of a function, of which XLA finds all on
/// CPUs. With `isDynamic` their number is operand 4.
LogicalResult approximateTopK(Node &n, bool isDynamic);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_ORDERING_H
