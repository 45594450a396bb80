//===- DelayDivisions.cpp - Division after a contraction ------------------===//
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

#include "DelayDivisions.h"

#include "Structure/Contraction.h"
#include "Structure/RowGroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// a / s, where s lacks dimensions of a.
struct Quotients {
  OpOperand *dividend, *divisor;
  AffineMap dividendMap, divisorMap; ///< from the dimensions of the quotients
};
} // namespace

static std::optional<Quotients> matchQuotients(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || !value.hasOneUse() || op.getNumDpsInputs() != 2 ||
      op.getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      !op.hasPureTensorSemantics())
    return std::nullopt;
  auto division = op.getBlock()
                      ->getTerminator()
                      ->getOperand(0)
                      .getDefiningOp<arith::DivFOp>();
  OpOperand *first = op.getDpsInputOperand(0);
  OpOperand *second = op.getDpsInputOperand(1);
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!division || !result.isPermutation() ||
      division.getLhs() != op.getMatchingBlockArgument(first) ||
      division.getRhs() != op.getMatchingBlockArgument(second))
    return std::nullopt;
  AffineMap back = inversePermutation(result);
  return Quotients{first, second,
                   op.getMatchingIndexingMap(first).compose(back),
                   op.getMatchingIndexingMap(second).compose(back)};
}

/// The map of the divisor in the dimensions of the result of the contraction;
/// nullopt if it needs one that is summed over.
static std::optional<AffineMap>
mapToResult(linalg::LinalgOp op, AffineMap divisorMap, AffineMap quotientMap) {
  AffineMap inLoops = divisorMap.compose(quotientMap);
  AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : inLoops.getResults()) {
    std::optional<unsigned> position = resultMap.getResultPosition(expr);
    if (!isa<AffineDimExpr>(expr) || !position)
      return std::nullopt;
    results.push_back(getAffineDimExpr(*position, op.getContext()));
  }
  return AffineMap::get(resultMap.getNumResults(), 0, results, op.getContext());
}

/// True at run time if nothing is summed up; null if that is impossible.
static Value isEmptySum(OpBuilder &builder, linalg::LinalgOp op,
                        OpOperand *operand) {
  Location loc = op.getLoc();
  AffineMap map = op.getMatchingIndexingMap(operand);
  auto type = cast<RankedTensorType>(operand->get().getType());
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  Value isEmpty;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (iterators[dim] == utils::IteratorType::parallel ||
        (!type.isDynamicDim(position) && type.getDimSize(position) != 0))
      continue;
    Value size = tensor::DimOp::create(
        builder, loc, getShapeSource(operand->get()), position);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         size, zero);
    isEmpty = isEmpty ? arith::OrIOp::create(builder, loc, isEmpty, isZero)
                      : Value(isZero);
  }
  return isEmpty;
}

LogicalResult symshape::delayDivision(RewriterBase &rewriter,
                                      linalg::LinalgOp op) {
  if (!isContraction(op) || !op.hasPureTensorSemantics())
    return failure();
  OpOperand *init = op.getDpsInitOperand(0);
  auto fill = init->get().getDefiningOp<linalg::FillOp>();
  auto type = cast<RankedTensorType>(init->get().getType());
  if (!fill || !matchPattern(fill.value(), m_AnyZeroFloat()))
    return failure();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    std::optional<Quotients> quotients = matchQuotients(operand->get());
    AffineMap operandMap = op.getMatchingIndexingMap(operand);
    if (!quotients || !quotients->dividendMap.isIdentity() ||
        getElementTypeOrSelf(operand->get().getType()) != type.getElementType())
      continue;
    std::optional<AffineMap> divisorMap =
        mapToResult(op, quotients->divisorMap, operandMap);
    if (!divisorMap)
      continue;
    Operation *old = operand->get().getDefiningOp();
    Value divisor = quotients->divisor->get();
    rewriter.setInsertionPoint(op);
    // A sum of nothing is 0, not 0 / 0.
    Value isEmpty = isEmptySum(rewriter, op, operand);
    rewriter.modifyOpInPlace(op,
                             [&] { operand->set(quotients->dividend->get()); });
    rewriter.eraseOp(old);
    rewriter.setInsertionPointAfter(op);
    Location loc = op.getLoc();
    Value sums = op->getResult(0);
    AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> parallel(type.getRank(),
                                              utils::IteratorType::parallel);
    auto quotient = linalg::GenericOp::create(
        rewriter, loc, type, ValueRange{sums, divisor},
        ValueRange{fill.output()},
        ArrayRef<AffineMap>{identity, *divisorMap, identity}, parallel,
        [&](OpBuilder &builder, Location loc, ValueRange values) {
          Value by = values[1];
          if (isEmpty) {
            Value one = arith::ConstantOp::create(
                builder, loc, builder.getOneAttr(by.getType()));
            by = arith::SelectOp::create(builder, loc, isEmpty, one, by);
          }
          Value value = arith::DivFOp::create(builder, loc, values[0], by);
          linalg::YieldOp::create(builder, loc, value);
        });
    rewriter.replaceAllUsesExcept(sums, quotient.getResult(0), quotient);
    return success();
  }
  return failure();
}
