//===- TileChoice.h - How a contraction is to run ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that gives a contraction its register tile and decides whether
// its right operand is packed. All other code reads the attribute `tile` of the
// op. Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_TILECHOICE_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_TILECHOICE_H

#include "Structure/Contraction.h"
#include "symshape/Conversion/CPUTile.h"

namespace mlir::symshape {

/// The parts of a CPU that decide.
struct TileRegisters {
  int64_t vectorBits, registers;
  bool fma;
  /// Adds four products of an unsigned and a signed byte in one instruction.
  bool dotProducts = false;
  /// Adds two products of bf16 in one instruction.
  bool bfloatProducts = false;

  /// How many sums a vector holds.
  int64_t getLanes(Type sum) const {
    return std::max<int64_t>(2, vectorBits / sum.getIntOrFloatBitWidth());
  }
};

/// A tile, and the op before which the right operand is packed for it.
struct TileChoice {
  TileAttr tile; ///< null: left to the target
  Operation *place;
  /// For few rows (see below): reads that operand where it is. Null if
  /// that does not pay for any number of rows.
  TileAttr inPlace = nullptr;
};

/// The outermost loop around `op` that `value` does not change in, if `op`
/// stands in it directly; else `op`.
Operation *findPlaceOutside(Operation *op, Value value);

/// The right operand is packed if that can be done ahead, if its columns are
/// not neighbours in memory, or if it holds bytes in groups; else what happens
/// to a panel is decided when it is needed. With `isPrepared` that operand is
/// made before the calls; `columnsDivisor` divides a dynamic number of columns.
TileChoice chooseTile(const ContractionMatch &match,
                      const TileRegisters &registers, bool isPrepared,
                      int64_t columnsDivisor);

/// A tile of two vectors, the same for all contractions of the type, whose
/// operands stay as they are.
TileAttr chooseUniformTile(const ContractionMatch &match,
                           const TileRegisters &registers);

/// If an operand is not packed, at most so many tiles of rows read a whole
/// panel in place: a copy would cost more than it gives. The number of rows is
/// known in the call.
inline constexpr int64_t mostDirectReaders = 3;

/// The most rows for which an operand whose terms are neighbours is read in
/// place, and the least terms for each of them: packing costs as much as adding
/// up so many rows, and adding up the lanes of sums as much as so many terms.
inline constexpr int64_t maxRowsInPlace = 32;
inline constexpr int64_t leastTermsInPlace = 8;

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_TILECHOICE_H
