//===- WindowMaps.cpp - What a reduction over windows reads ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "WindowMaps.h"

#include "Contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::symshape;

/// Whether `holds` of a result of the map of some operand.
static bool anyIndex(linalg::GenericOp op,
                     function_ref<bool(AffineExpr)> holds) {
  return llvm::any_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return llvm::any_of(map.getResults(), holds);
  });
}

bool symshape::readsWindows(linalg::GenericOp op) {
  return op.getNumReductionLoops() != 0 && anyIndex(op, [](AffineExpr e) {
           return e.getKind() == AffineExprKind::Add;
         });
}

bool symshape::isAlongWindow(linalg::GenericOp op, unsigned dim) {
  return anyIndex(op, [&](AffineExpr e) {
    return e.isFunctionOfDim(dim) && !isa<AffineDimExpr>(e);
  });
}

std::optional<WindowOverlap> symshape::findOverlap(linalg::GenericOp op,
                                                   unsigned row,
                                                   ArrayRef<unsigned> taps) {
  for (OpOperand *input : op.getDpsInputOperands())
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
      llvm::SmallDenseMap<unsigned, int64_t> steps;
      if (!forEachTerm(expr, [&](unsigned loop, int64_t factor) {
            steps[loop] = factor;
          }))
        continue;
      for (auto [position, tap] : llvm::enumerate(taps))
        if (steps.lookup(row) > 0 && steps.lookup(tap) > 0)
          return WindowOverlap{static_cast<unsigned>(position), steps[row],
                               steps[tap]};
    }
  return std::nullopt;
}

bool symshape::isSharedByRows(linalg::GenericOp op, unsigned dim,
                              unsigned row) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return map.isFunctionOfDim(dim) && !map.isFunctionOfDim(row);
  });
}

std::pair<Value, Value> symshape::getFactors(linalg::GenericOp op) {
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  BlockArgument out = op.getRegionOutputArgs().front();
  auto sum = yielded.getDefiningOp<arith::AddFOp>();
  if (!sum || (sum.getLhs() != out && sum.getRhs() != out))
    return {};
  Value other = sum.getLhs() == out ? sum.getRhs() : sum.getLhs();
  auto product = other.getDefiningOp<arith::MulFOp>();
  if (!product)
    return {};
  return {product.getLhs(), product.getRhs()};
}
