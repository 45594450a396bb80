//===- ContractionFormer.h - One contraction as an op -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes one symshape_kernel.contract, in two files: its epilogue and the op
// itself (FormContractions), and operands that are packed, transposed or
// transformed for it (ArrangeOperands). Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTIONFORMER_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTIONFORMER_H

#include "TileChoice.h"

namespace mlir::symshape {

/// The elementwise op that is fused, its maps in terms of the contraction.
struct Epilogue {
  linalg::GenericOp op;
  OpOperand *sum;
  SmallVector<AffineMap> maps; ///< per operand
};

class ContractionFormer {
public:
  /// `columnsDivisor` is known to divide the number of columns.
  ContractionFormer(RewriterBase &rewriter, const ContractionMatch &match,
                    const TileChoice &choice, int64_t columnsDivisor,
                    bool rearranges, bool joins, bool usesWinograd)
      : rewriter(rewriter), match(match), loc(match.op->getLoc()),
        choice(choice), columnsDivisor(columnsDivisor), rearranges(rearranges),
        joins(joins), usesWinograd(usesWinograd) {}

  LogicalResult form();

private:
  std::optional<Epilogue> findEpilogue();
  bool isGrouped() const { return choice.tile && choice.tile.getGroup() > 1; }
  Value packColumns(Value operand, AffineMap &map, unsigned column,
                    ArrayRef<unsigned> reductions,
                    std::optional<unsigned> grouped);
  void findCodes();
  void packCodes();
  void pack();
  Value transformForWinograd();
  void moveColumnsLast(unsigned grouped);
  void transposeLeft();
  void findStart();
  void fillBody(ContractOp contract);
  Value countRows(Value init, AffineMap map);
  Value countRowsOfLoops();
  OpFoldResult areFew(Value rows);
  Value chooseByRows(Value init, AffineMap map,
                     function_ref<Value(TileAttr tile)> create);

  RewriterBase &rewriter;
  ContractionMatch match;
  Location loc;
  TileChoice choice;
  int64_t columnsDivisor;
  bool rearranges;   ///< operands are packed or transposed
  bool joins;        ///< the taps of a window and its channels are one loop
  bool usesWinograd; ///< where that is possible
  std::optional<Epilogue> epilogue;
  Value start; ///< constant that the sums start from; null: zero
  bool accumulates = false;
  std::optional<int64_t> groupedTerms;
  DequantizeOp codes;  ///< what tiles make the right operand of; null: nothing
  Value scales, zeros; ///< of codes, packed
  Value isInPlace; ///< the right operand is not packed after all; null: it is
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTIONFORMER_H
