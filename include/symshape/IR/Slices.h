//===- Slices.h - Slices that may have no elements --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verifiers of tensor.extract_slice and tensor.insert_slice refuse a slice
// that begins where its tensor ends, even if it has no elements, and one that
// ends behind it, even where no call gets to. Build slices with these instead.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_SLICES_H
#define SYMSHAPE_IR_SLICES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::symshape {

/// A part of a tensor: an offset, a size and a stride per dimension.
struct SliceBounds {
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

/// Whether static numbers say that the slice has no elements, or that no call
/// gets to it.
bool hasNoElements(RankedTensorType whole, const SliceBounds &bounds);

/// The slice of a tensor, of the type `type`, which may lack dimensions of size
/// 1; if null, of the type that the sizes give.
Value extractSlice(OpBuilder &builder, Location loc, Value source,
                   const SliceBounds &bounds, RankedTensorType type = {});

/// `dest` with a slice of it replaced by `source`.
Value insertSlice(OpBuilder &builder, Location loc, Value source, Value dest,
                  const SliceBounds &bounds);

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_SLICES_H
