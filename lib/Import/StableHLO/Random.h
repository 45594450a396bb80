//===- Random.h - Random bits of open extents -------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_RANDOM_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_RANDOM_H

#include "Node.h"

namespace mlir::symshape::stablehlo {

/// A `rng_bit_generator` whose extents are an operand.
LogicalResult dynamicRngBitGenerator(Node &n);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_RANDOM_H
