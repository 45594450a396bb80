//===- Elementwise.h - Elementwise ops --------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_ELEMENTWISE_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_ELEMENTWISE_H

#include "Node.h"

namespace mlir::symshape::stablehlo {

/// The result of the elementwise op `name` on tensors that are scalars or have
/// the shape of the result, which is required.
LogicalResult computeElementwise(Node &n, StringRef name,
                                 SmallVector<Value> operands);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_ELEMENTWISE_H
