//===- WindowExtents.h - How many windows there are -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The extents of convolutions and pools along one axis, whatever their format.
// Not for: what a format requires of them, and how it rounds.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_WINDOWEXTENTS_H
#define SYMSHAPE_IR_WINDOWEXTENTS_H

#include "symshape/Expr/Expr.h"

namespace mlir::symshape {

/// The elements from the first to the last of `count` that are `distance`
/// apart, for a count from 1: what a kernel with a dilation reaches over.
template <typename Distance>
Expr spanOf(Expr count, Distance distance) {
  return (count - 1) * distance + 1;
}

/// How many windows begin `stride` apart and end within `room` elements behind
/// the first: room floordiv stride + 1, for a room from 0 and a stride from 1.
inline Expr windowsWithin(Expr room, Expr stride) {
  return room.arena().floorDiv(room, stride) + 1;
}

/// The extent of a transposed convolution that leaves nothing out: windows that
/// begin `stride` apart, one for each of `extent` elements, from 1.
inline Expr transposedExtent(Expr extent, Expr kernel, int64_t stride,
                             int64_t dilation) {
  return spanOf(extent, stride) + spanOf(kernel, dilation) - 1;
}

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_WINDOWEXTENTS_H
