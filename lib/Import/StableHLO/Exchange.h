//===- Exchange.h - Complex tensors at the entry ----------------*- C++ -*-
//===//
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

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_EXCHANGE_H
