//===- Contraction.h - What a contraction is made of ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The roles of the operands and loops of a contraction, as structured op and as
// symshape_cpu.contract. Private to Conversion. Not for: building ops
// (FormContractions) or loops (LowerContractions).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTION_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTION_H

#include "symshape/Conversion/CPUOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// The loops of a contraction by role. Columns run in vectors, rows in the
/// other direction of a register tile; a tile is summed over `reductions`.
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

/// The roles, given the maps of A (read element by element), B (in vectors) and
/// the result; fails where B lacks the columns or A has them.
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
};

/// Matches products of f32, f64, bf16, f16 or signed i8, i16 or i32 added up in
/// f32, f64 or i32, in any arrangement of dimensions.
FailureOr<ContractionMatch> matchContraction(linalg::LinalgOp op);

struct TileKernel;

/// True if neighbouring columns of a contraction on buffers are neighbours in
/// memory wherever the tile function reads or writes them.
bool hasContiguousColumns(ContractOp op);

/// True if the columns of `op` are known to fill panels of `width` to the last.
bool hasWholePanels(ContractOp op, int64_t width);

/// The buffers that the lowering of `op` needs: for a panel of B if B is not
/// packed, and for a tile of sums if their type is not that of the result.
SmallVector<Value> allocateWorkspaces(OpBuilder &builder, ContractOp op,
                                      const TileKernel &kernel);

/// Replaces a contraction on buffers by structured ops, whatever its layouts.
void decomposeContraction(RewriterBase &rewriter, ContractOp op);

/// The source of a tensor that only rearranges its dimensions, and the map from
/// the tensor's dimensions to the source's; nullopt for any other tensor.
std::optional<std::pair<Value, AffineMap>> matchTranspose(Value value);

/// Clones the region of `op` for one sum and the elements of the other operands
/// beside it; returns what it yields.
Value cloneRegion(OpBuilder &builder, ContractOp op, Value sum,
                  ValueRange others);

/// Numbers or vectors of floats or signed integers: `value` as one of `type`,
/// the sum, and the product.
Value extendNumber(OpBuilder &builder, Location loc, Value value, Type type);
Value addNumbers(OpBuilder &builder, Location loc, Value lhs, Value rhs);
Value multiplyNumbers(OpBuilder &builder, Location loc, Value lhs, Value rhs);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTION_H
