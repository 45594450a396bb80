//===- ScalarOps.h - Arithmetic on scalars -------------------- -*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowerings of tosa compute of indices, and of parameters that are
// tensors of one element.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TOSA_SCALAROPS_H
#define SYMSHAPE_LIB_CONVERSION_TOSA_SCALAROPS_H

#include "mlir/IR/Builders.h"

namespace mlir::symshape {

/// Sums, differences and products of indices.
OpFoldResult addIndices(OpBuilder &b, Location loc, OpFoldResult x,
                        OpFoldResult y);
OpFoldResult subIndices(OpBuilder &b, Location loc, OpFoldResult x,
                        OpFoldResult y);
OpFoldResult mulIndices(OpBuilder &b, Location loc, OpFoldResult x,
                        OpFoldResult y);
OpFoldResult divIndices(OpBuilder &b, Location loc, OpFoldResult x,
                        OpFoldResult y);

/// The only element of a tensor of parameters.
Value readScalar(OpBuilder &b, Location loc, Value tensor);

/// An i32 as an integer of `type`, of at most 32 bits: the nearest one that it
/// holds.
Value saturate(OpBuilder &b, Location loc, Value v, Type type,
               bool isUnsigned = false);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TOSA_SCALAROPS_H
