//===- KeptExtents.h - Tensors with the extents of another ------*- C++ -*-===//
//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For derivatives of loops, which are built without an analysis at hand.
// Private to Extensions. Not for: rules of shapes (CarriedExtents).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_KEPTEXTENTS_H
#define SYMSHAPE_LIB_EXTENSIONS_KEPTEXTENTS_H

#include "mlir/IR/Value.h"

namespace mlir::symshape {

/// Whether `value`, of the body of a loop, has the extents of its `argument` on
/// every path, by the meaning of the ops between.
bool keepsExtentsOf(Value value, BlockArgument argument);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_KEPTEXTENTS_H
