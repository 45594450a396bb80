//===- TruncationOps.h - Sizes that truncate --------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the op and its derivative share.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IR_TRUNCATIONOPS_H
#define SYMSHAPE_LIB_IR_TRUNCATIONOPS_H

#include "mlir/IR/Builders.h"

namespace mlir::symshape {

/// The size of a `dynamic_truncate` as an index: itself, or rounded as
/// `truncate_size` does, and clamped to no extent. The value names the size, so
/// that truncations of unequal axes by one size are related.
Value roundedSize(OpBuilder &builder, Location loc, Value size);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_IR_TRUNCATIONOPS_H
