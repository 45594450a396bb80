//===- VectorChoice.cpp - Which loop runs in vectors ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules of thumb over the accesses of an op.
//
//===----------------------------------------------------------------------===//

#include "VectorChoice.h"

#include "PayloadEmitter.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::symshape;

Operation *symshape::getCombiner(linalg::GenericOp op, unsigned number) {
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), number, combiners) ||
      combiners.size() != 1)
    return nullptr;
  return combiners.front();
}

unsigned symshape::getInitNumber(linalg::GenericOp op, OpOperand &init) {
  return init.getOperandNumber() - op.getNumDpsInputs();
}

bool symshape::isWrittenInReduction(linalg::GenericOp op, OpOperand &init) {
  AffineMap map = op.getMatchingIndexingMap(&init);
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  return llvm::any_of(reductions,
                      [&](unsigned dim) { return map.isFunctionOfDim(dim); });
}

bool symshape::hasRegisterResults(linalg::GenericOp op) {
  unsigned numParallel = op.getNumParallelLoops();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return false;
    unsigned numDims = llvm::count_if(map.getResults(), [](AffineExpr expr) {
      return isa<AffineDimExpr>(expr);
    });
    bool isWritten = isWrittenInReduction(op, init);
    if (numDims != (isWritten ? op.getNumLoops() : numParallel) ||
        (isWritten && op.payloadUsesValueFromOperand(&init)))
      return false;
  }
  return true;
}

std::optional<unsigned> symshape::chooseVectorDim(linalg::GenericOp op) {
  if (!isVectorizableBody(op))
    return std::nullopt;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  std::optional<unsigned> best;
  int bestScore = 0;
  for (unsigned dim = 0; dim < iterators.size(); ++dim) {
    if (extents[dim] == 1 || extents[dim] == 0)
      continue;
    bool isReduction = iterators[dim] != utils::IteratorType::parallel;
    if (isReduction) {
      bool isKnown = true;
      for (OpOperand &init : op.getDpsInitsMutable())
        isKnown &=
            isWrittenInReduction(op, init) ||
            linalg::getCombinerOpKind(getCombiner(op, getInitNumber(op, init)));
      if (!isKnown)
        continue;
    }
    int score = 0;
    for (OpOperand &operand : op->getOpOperands()) {
      int weight = op.isDpsInit(&operand) ? 2 : 1;
      switch (getAccess(op, operand, dim)) {
      case Access::Uniform:
        score += isReduction ? 0 : 1;
        break;
      case Access::Contiguous:
        score += 2 * weight;
        break;
      case Access::Lanes:
        score -= 2 * weight + 1;
        break;
      }
    }
    if (score > bestScore) {
      bestScore = score;
      best = dim;
    }
  }
  return best;
}

int64_t symshape::chooseVectorWidth(linalg::GenericOp op, unsigned dim,
                                    int64_t vectorBits) {
  int64_t bits = 32;
  for (OpOperand &operand : op->getOpOperands()) {
    if (getAccess(op, operand, dim) == Access::Uniform)
      continue;
    Type type = getElementTypeOrSelf(operand.get().getType());
    bits = std::max<int64_t>(
        bits, type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64);
  }
  int64_t width = std::max<int64_t>(1, vectorBits / bits);
  int64_t extent = op.getStaticLoopRanges()[dim];
  return ShapedType::isDynamic(extent) ? width : std::min(width, extent);
}
