//===- LinalgTransposes.cpp - Transposes of structured ops ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linear structured op is transposed operand by operand: a structured op of
// the same loops reads the cotangent and writes, by the map of the operand,
// what the transposed body gives. A loop that alone is an index of the operand
// stays parallel; where iterations meet in one element, as in overlapping
// windows, their loops are sums.
//
//===----------------------------------------------------------------------===//

#include "LinalgDerivatives.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// The transpose of a structured op with respect to one linear input.
class OperandTranspose {
public:
  OperandTranspose(linalg::LinalgOp op, Cotangents &cotangents,
                   OpOperand &operand, bool isSum)
      : op(op), cotangents(cotangents), b(cotangents.builder()),
        loc(op.getLoc()), operand(operand), isSum(isSum) {}
  LogicalResult run();

private:
  void collectInputs();
  void coverLoops();
  LogicalResult buildBody(ValueRange args, Value &result);

  linalg::LinalgOp op;
  Cotangents &cotangents;
  OpBuilder &b;
  Location loc;
  OpOperand &operand;
  bool isSum, isOnce = false;
  SmallVector<Value> inputs; ///< residuals, the cotangent, extents of loops
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> argumentOfInput; ///< of the body; -1: none
};
} // namespace

void OperandTranspose::collectInputs() {
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (cotangents.isLinear(input->get()))
      continue;
    inputs.push_back(cotangents.residual(input->get()));
    maps.push_back(op.getMatchingIndexingMap(input));
    argumentOfInput.push_back(input->getOperandNumber());
  }
  inputs.push_back(cotangents.of(op->getResult(0)));
  maps.push_back(op.getIndexingMapsArray().back());
}

/// Gives each loop an operand of which it alone is an index, and which so
/// determines the loop's extent.
void OperandTranspose::coverLoops() {
  llvm::SmallBitVector covered(op.getNumLoops());
  auto cover = [&](AffineMap map) {
    for (AffineExpr expr : map.getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        covered.set(loop.getPosition());
  };
  for (AffineMap map : maps)
    cover(map);
  cover(op.getMatchingIndexingMap(&operand));
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool isNeeded = llvm::any_of(map.getResults(), [&](AffineExpr expr) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      return loop && !covered[loop.getPosition()];
    });
    if (!isNeeded)
      continue;
    inputs.push_back(tensor::EmptyOp::create(
        b, loc, cotangents.extents(input->get()), b.getI1Type()));
    maps.push_back(map);
    cover(map);
  }
}

/// Builds the transposed body at the insertion point.
LogicalResult OperandTranspose::buildBody(ValueRange args, Value &result) {
  Block &body = *op.getBlock();
  SmallVector<Value> arguments(body.getNumArguments());
  for (auto [i, number] : llvm::enumerate(argumentOfInput))
    arguments[number] = args[i];
  // The accumulator of a sum is linear; any other is not used.
  if (!isSum)
    arguments.back() = args.back();
  FailureOr<SmallVector<Value>> transposed =
      cotangents.transposeBody(body, arguments, {args[argumentOfInput.size()]});
  if (failed(transposed))
    return failure();
  result = (*transposed)[operand.getOperandNumber()];
  if (!isOnce)
    result = makeSum(b, loc, args.back(), result);
  return success();
}

LogicalResult OperandTranspose::run() {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  collectInputs();
  coverLoops();
  SmallVector<utils::IteratorType> loops(op.getNumLoops(),
                                         utils::IteratorType::reduction);
  for (AffineExpr result : map.getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(result))
      loops[loop.getPosition()] = utils::IteratorType::parallel;
  isOnce = map.isPermutation();
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  Type element = getElementTypeOrSelf(operand.get());
  SmallVector<OpFoldResult> extents;
  if (type)
    extents = cotangents.extents(operand.get());
  else
    type = RankedTensorType::get({}, element);
  Value init =
      isOnce ? tensor::EmptyOp::create(b, loc, extents, element).getResult()
             : makeZero(b, loc, type, extents);
  maps.push_back(map);
  LogicalResult result = success();
  auto transposed = linalg::GenericOp::create(
      b, loc, init.getType(), inputs, init, maps, loops,
      [&](OpBuilder &inner, Location where, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(inner.saveInsertionPoint());
        Value yielded = args.back();
        result = buildBody(args, yielded);
        linalg::YieldOp::create(b, where, yielded);
      });
  if (failed(result))
    return failure();
  eraseDeadOps(*transposed.getBlock());
  Value cotangent = transposed.getResult(0);
  if (!isa<RankedTensorType>(operand.get().getType()))
    cotangent = tensor::ExtractOp::create(b, loc, cotangent, ValueRange{});
  cotangents.add(operand.get(), cotangent);
  return success();
}

LogicalResult symshape::structuredTranspose(linalg::LinalgOp op,
                                            Cotangents &cotangents) {
  StructuredKind kind = structuredKind(op);
  bool isSum = kind == StructuredKind::Sum;
  if (!isSum && kind != StructuredKind::Elementwise)
    return refuseBody(op);
  Value init = op.getDpsInits().front();
  if (isSum && cotangents.isLinear(init))
    cotangents.add(init, cotangents.of(op->getResult(0)));
  for (OpOperand *input : op.getDpsInputOperands())
    if (cotangents.isLinear(input->get()) &&
        failed(OperandTranspose(op, cotangents, *input, isSum).run()))
      return failure();
  return success();
}
