//===- ContractionKernel.h - One register tile ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function that multiplies one tile, shared by the contractions of a
// module. Private to Conversion. Not for: the loops around it
// (LowerContractions).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTIONKERNEL_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTIONKERNEL_H

#include "symshape/Conversion/CPUTile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::symshape {

/// What a tile function depends on; everything else is an argument.
struct TileKernel {
  /// The tile that was chosen for `op`.
  explicit TileKernel(ContractOp op);

  Type lhs, rhs, sum; ///< element types
  int64_t maxRows;
  int64_t width;        ///< columns, a multiple of `lanes`
  int64_t lanes;        ///< sums in a vector register
  int64_t group;        ///< terms that one instruction multiplies and adds
  bool isLhsUnsigned;   ///< of bytes in groups; if not, the right operand is
  int64_t streams = 0;  ///< rows of B read side by side; 0: sums in registers
  bool isInPlace;       ///< B holds the terms of a column side by side
  int64_t codeBits = 0; ///< of codes in B; 0: it has numbers
  int64_t blockTerms;   ///< terms that share a scale
  Type scale, zero;  ///< of codes; `zero` is null if all zeros are 2^(bits-1)
  bool fma = true;   ///< products are added by one instruction
  bool masks = true; ///< part of a vector is loaded and stored at once
  bool permutes = false; ///< one instruction permutes 16 floats (AVX-512)

  /// The function in `module`, created if it is missing:
  ///   (rows, a, aRow, aTerm, b, bTerm, terms, c, cRow, columns, accumulate)
  /// c[i * cRow + j] = sum over k of a[i * aRow + k * aTerm] * b[k * bTerm + j]
  /// for i < rows, 1 <= rows <= maxRows, and j < columns <= width, added
  /// to what c holds if `accumulate`. Pointers are bare, strides count
  /// elements. With sums in registers, reads `width` elements of b per term,
  /// whatever `columns` is. With groups of terms, aTerm is 1, and b holds a
  /// whole number of groups, bTerm apart: terms past the end are zero. In
  /// place, aTerm is 1, and bTerm is how far columns are apart, terms being
  /// neighbours: b[j * bTerm + k]; nothing is read past the terms. With codes,
  /// more arguments point to the scales and the zeros, if there are any, of the
  /// panel, b has rows of bytes, bTerm apart, each with one or more terms, and
  /// there are whole bytes of terms.
  func::FuncOp getOrCreate(Operation *module) const;

  /// Terms that one row of B has.
  int64_t getTermsPerStep() const { return codeBits ? 8 / codeBits : group; }

  /// The value of `callCostName` for the function: vectors times rows times
  /// terms.
  SmallVector<int64_t> getCallCost() const;
};

/// The kernel for a row or two, beside `kernel` for more; nullopt where `op`
/// has no use for one.
std::optional<TileKernel> getTileForFewRows(ContractOp op,
                                            const TileKernel &kernel);

/// In place, so many columns are added up at once, of so many rows at most.
inline constexpr int64_t dotColumns = 4;
inline constexpr int64_t maxDotRows = 6;

/// True if the columns of `op` are known to fill panels of `width` to the last.
bool hasWholePanels(ContractOp op, int64_t width);

/// Whether the sums of a tile wait in a buffer for the region: they have
/// another type than the result; or they come so fast, as those of groups, that
/// writing rows of the result twice would take longer.
bool needsTileOfSums(ContractOp op);

/// The buffers that the lowering of `op` needs: for a panel of B if B is not
/// packed, and for a tile of sums.
SmallVector<Value> allocateWorkspaces(OpBuilder &builder, ContractOp op,
                                      const TileKernel &kernel);

/// Clones the region of `op` for one sum and the elements of the other operands
/// beside it; returns what it yields (ContractionRegion).
Value cloneContractionRegion(OpBuilder &builder, ContractOp op, Value sum,
                             ValueRange others);

/// Gives a contraction on buffers copies of those whose columns lie apart; with
/// `frees`, for as long as it runs.
void copyColumns(RewriterBase &rewriter, ContractOp op, bool frees);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTIONKERNEL_H
