//===- Contraction.h - What a contraction is made of ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The roles of the operands and loops of a contraction, which follow from its
// maps, whatever the target. Private to Conversion. Not for: how it is tiled.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_STRUCTURE_CONTRACTION_H
#define SYMSHAPE_LIB_CONVERSION_STRUCTURE_CONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// The loops of a contraction by role. Rows and columns are the two directions
/// of a tile of the result, which is summed over `reductions`.
struct ContractionLoops {
  unsigned column = 0;             ///< last dimension of the result; not in A
  std::optional<unsigned> row;     ///< of A and the result, not of B
  SmallVector<unsigned> outerRows; ///< others like it
  SmallVector<unsigned> batch;     ///< parallel loops of both A and B
  SmallVector<unsigned> blocks;    ///< parallel loops of B, not of A
  /// In the order of B's dimensions, those that B lacks first.
  SmallVector<unsigned> reductions;

  bool isRow(unsigned loop) const {
    return loop == row || llvm::is_contained(outerRows, loop);
  }
};

/// Calls `body` with each loop of an index that is a sum of loops, or of
/// products of loops and numbers, and with the factor of the loop. False, after
/// any number of calls, for any other index.
bool forEachTerm(AffineExpr index,
                 function_ref<void(unsigned loop, int64_t factor)> body);

/// The roles, given the maps of A (read element by element), B (in vectors) and
/// the result; fails if B lacks the columns or A has them. A may be read at
/// sums of loops, as a convolution reads its windows.
FailureOr<ContractionLoops> assignLoops(AffineMap a, AffineMap b,
                                        AffineMap result);

/// True for a structured op that multiplies two operands and adds up along at
/// least one dimension, with a row and a column dimension.
bool isContraction(linalg::LinalgOp op);

/// A structured op on tensors that is a contraction: what it multiplies, as it
/// stands in memory before transpositions, and where it starts.
struct ContractionMatch {
  linalg::LinalgOp op;
  Value a, b;
  AffineMap aMap, bMap, resultMap;
  ContractionLoops loops;
  Type sumType; ///< f32 for a result of bf16 or f16
  /// Bytes, of which those of one operand, `a` if `isAUnsigned`, are unsigned.
  bool isDotProduct = false;
  bool isAUnsigned = false;
  /// Two numbers of bf16, added up in f32, whose terms can be grouped.
  bool isBFloatProduct = false;
};

/// The two factors of a body that adds their product to its output.
FailureOr<std::pair<Value, Value>> matchFactors(linalg::LinalgOp op);

/// Whether `op` adds up products of its two operands, all in f32.
bool multipliesFloats(linalg::LinalgOp op);

/// Whether the body of `op` multiplies signed and unsigned bytes and adds up in
/// i32.
bool isDotProduct(linalg::LinalgOp op);

/// Matches products of f32, f64, bf16, f16 or signed i8, i16 or i32 added up in
/// f32, f64 or i32, in any arrangement of dimensions; and convolutions of these
/// types whose channels are the last dimension of the result. With
/// `dotProducts`, also those of signed and unsigned bytes whose terms can be
/// grouped.
FailureOr<ContractionMatch> matchContraction(linalg::LinalgOp op,
                                             bool dotProducts = false);

/// Whether the right operand is a matrix, whose terms are the only ones to be
/// added up, and the left one has no windows.
bool isProductByMatrix(const ContractionMatch &match);

/// The loop whose terms can be grouped: a sum that takes neighbours in the left
/// operand, with its rows moved out of the way if they are innermost.
std::optional<unsigned> findGroupedLoop(const ContractionMatch &match);

/// A copy of a tensor with its dimensions in `order`.
Value makeTranspose(OpBuilder &b, Location loc, Value value,
                    ArrayRef<int64_t> order);

/// The source of a tensor that only rearranges its dimensions, and the map from
/// the tensor's dimensions to the source's; nullopt for any other tensor.
std::optional<std::pair<Value, AffineMap>> matchTranspose(Value value);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_STRUCTURE_CONTRACTION_H
