//===- ByteOperands.h - Operands of products that hold bytes ----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the factors of a product of 32-bit integers come from, if they are
// bytes less a zero: q - zero, computed in the product or before it. Private to
// Conversion. Not for: the product (FormDotProducts).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_BYTEOPERANDS_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_BYTEOPERANDS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// What is subtracted from bytes: a number, or `offset` plus a byte that may
/// differ along some loops.
struct ByteZero {
  int64_t offset = 0;
  /// An integer of 8 or 32 bits, a tensor of bytes, or null.
  Value value;
  AffineMap
      map; ///< of `value` if that is a tensor: no index if it has no loops
  bool isUnsigned = false; ///< `value`

  bool isNone() const { return !value && offset == 0; }
  bool isTensor() const { return value && isa<TensorType>(value.getType()); }
  bool isUniform() const { return !isTensor() || map.getNumResults() == 0; }
  /// As i32; `element` is that of the tensor, if it is one.
  Value read(OpBuilder &b, Location loc, Value element) const;
};

/// A factor of a product: bytes of `source`, read at `map`, less a zero.
struct ByteOperand {
  Value source; ///< tensor of i8
  AffineMap map;
  bool isUnsigned = false;
  ByteZero zero;       ///< its map is of the loops of the product
  unsigned number = 0; ///< of the operand of the product

  /// Turns unsigned bytes into signed ones, or back, with the same differences
  /// to the zero.
  void flipSign(OpBuilder &b, Location loc);
};

/// The factor `factor` of the body of `op`, as bytes; fails if it is something
/// else. Borders, reshapes and transpositions of 32-bit numbers become those of
/// bytes, made by `b`.
FailureOr<ByteOperand> matchByteOperand(OpBuilder &b, linalg::LinalgOp op,
                                        Value factor);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_BYTEOPERANDS_H
