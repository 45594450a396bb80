//===- Exchange.h - What calls of the entry exchange ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_EXCHANGE_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_EXCHANGE_H

#include "Node.h"

namespace mlir::symshape::stablehlo {

/// What the entry exchanges for a tensor: of a complex one, the parts of each
/// element along a last axis of extent 2, as they lie in memory.
RankedTensorType exchangedType(RankedTensorType type);
Value toExchanged(Node &n, Value tensor);
Value fromExchanged(Node &n, Value tensor, RankedTensorType type);

/// Marks arguments that the program's callers may let results overwrite: of the
/// result that it says (`tf.aliasing_output`), or of the first of that type
/// that no other takes (`jax.buffer_donor`).
void proposeDonations(Operation *entry, func::FuncOp function);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_EXCHANGE_H
