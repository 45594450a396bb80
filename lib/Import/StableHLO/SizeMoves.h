//===- SizeMoves.h - Movements that keep sizes ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each gives what `set` says where its operands are sizes, and nullopt where
// the tensor has to do.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_SIZEMOVES_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_SIZEMOVES_H

#include "Node.h"

namespace mlir::symshape::stablehlo {

constexpr int64_t mostSizes = 32; ///< of a list

std::optional<LogicalResult> reshapeSizes(Node &n);
std::optional<LogicalResult> concatenateSizes(Node &n);
std::optional<LogicalResult> sliceSizes(Node &n);
std::optional<LogicalResult> broadcastSizes(Node &n);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_SIZEMOVES_H
