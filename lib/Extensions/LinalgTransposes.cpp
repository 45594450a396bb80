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
// windows, their loops are sums. A scalar that the body captures is an operand
// without indices; what it reads of a captured tensor is written by iteration,
// then scattered (LinalgReadTransposes.cpp).
//
//===----------------------------------------------------------------------===//

#include "LinalgDerivatives.h"
#include "LinalgReadTransposes.h"
#include "SCFDerivatives.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "symshape/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// The transpose of a structured op. The values that its body reads of linear
/// ones are arguments of the body, or become such in a copy of it: scalars from
/// outside, and what `tensor.extract` reads.
class BodyTranspose {
public:
  BodyTranspose(linalg::LinalgOp op, Cotangents &cotangents, bool isSum)
      : op(op), cotangents(cotangents), b(cotangents.builder()),
        loc(op.getLoc()), isSum(isSum) {}
  ~BodyTranspose() { copy->erase(); }
  LogicalResult run();

private:
  LogicalResult separateCaptured();
  LogicalResult addOperand(OpOperand &operand);
  LogicalResult addScalar(Value scalar, unsigned argument);
  LogicalResult addRead(tensor::ExtractOp read, unsigned argument);
  void collectInputs();
  void findExtents();
  void coverLoops(AffineMap written);
  FailureOr<Value> sumFor(unsigned argument, AffineMap map,
                          RankedTensorType type, ArrayRef<OpFoldResult> sizes);
  LogicalResult buildBody(unsigned argument, bool isOnce, ValueRange args,
                          Value &result);

  linalg::LinalgOp op;
  linalg::LinalgOp copy; ///< whose body has an argument for each read
  Cotangents &cotangents;
  OpBuilder &b;
  Location loc;
  bool isSum;
  SmallVector<std::pair<tensor::ExtractOp, unsigned>> reads; ///< and arguments
  SmallVector<std::pair<Value, unsigned>> scalars;
  SmallVector<OpFoldResult> extents; ///< of loops
  SmallVector<Value> inputs; ///< residuals, the cotangent, extents of loops
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> argumentOfInput; ///< of the body
};
} // namespace

/// Gives the copy of the body an argument for each value that is read of linear
/// ones from outside.
LogicalResult BodyTranspose::separateCaptured() {
  OpBuilder inner(op);
  copy = cast<linalg::LinalgOp>(inner.clone(*op));
  Block &body = *copy.getBlock();
  for (auto [primal, read] : llvm::zip(*op.getBlock(), body)) {
    auto extract = dyn_cast<tensor::ExtractOp>(read);
    if (!extract || !cotangents.isLinear(extract.getTensor()))
      continue;
    reads.emplace_back(cast<tensor::ExtractOp>(primal), body.getNumArguments());
    extract.replaceAllUsesWith(
        body.addArgument(extract.getType(), read.getLoc()));
  }
  for (Operation &read : llvm::make_early_inc_range(body))
    if (auto extract = dyn_cast<tensor::ExtractOp>(read);
        extract && cotangents.isLinear(extract.getTensor()))
      extract.erase();
  for (Value value : capturedLinear(copy, cotangents)) {
    auto isInside = [&](OpOperand &use) {
      return body.findAncestorOpInBlock(*use.getOwner()) != nullptr;
    };
    if (!isa<FloatType>(value.getType()))
      return refuseCaptured(
          op, value, llvm::find_if(value.getUses(), isInside)->getOwner());
    scalars.emplace_back(value, body.getNumArguments());
    value.replaceUsesWithIf(body.addArgument(value.getType(), loc), isInside);
  }
  return success();
}

void BodyTranspose::collectInputs() {
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

/// Each loop alone is an index of an operand.
void BodyTranspose::findExtents() {
  extents.resize(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (op.isDpsInit(&operand))
      value = op.getTiedOpResult(&operand);
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<OpFoldResult> sizes = cotangents.extents(value);
    for (auto [place, size] : llvm::zip(map.getResults(), sizes))
      if (auto loop = dyn_cast<AffineDimExpr>(place))
        if (OpFoldResult &extent = extents[loop.getPosition()];
            !extent || isa<Attribute>(size))
          extent = size;
  }
}

/// Gives each loop an operand of which it alone is an index, and which so
/// determines the loop's extent; one is written by `written`.
void BodyTranspose::coverLoops(AffineMap written) {
  llvm::SmallBitVector covered(op.getNumLoops());
  auto cover = [&](AffineMap map) {
    for (AffineExpr expr : map.getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        covered.set(loop.getPosition());
  };
  for (AffineMap map : maps)
    cover(map);
  cover(written);
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
LogicalResult BodyTranspose::buildBody(unsigned argument, bool isOnce,
                                       ValueRange args, Value &result) {
  Block &body = *copy.getBlock();
  SmallVector<Value> arguments(body.getNumArguments());
  for (auto [i, number] : llvm::enumerate(argumentOfInput))
    arguments[number] = args[i];
  // The accumulator of a sum is linear; any other is not used.
  if (!isSum)
    arguments[op.getNumDpsInputs()] = args.back();
  FailureOr<SmallVector<Value>> transposed =
      cotangents.transposeBody(body, arguments, {args[argumentOfInput.size()]});
  if (failed(transposed))
    return failure();
  result = (*transposed)[argument];
  if (!isOnce)
    result = makeSum(b, loc, args.back(), result);
  return success();
}

/// The sums, by the elements of a tensor to which a map sends iterations, of
/// the cotangent of an argument of the body.
FailureOr<Value> BodyTranspose::sumFor(unsigned argument, AffineMap map,
                                       RankedTensorType type,
                                       ArrayRef<OpFoldResult> sizes) {
  inputs.clear();
  maps.clear();
  argumentOfInput.clear();
  collectInputs();
  coverLoops(map);
  SmallVector<utils::IteratorType> loops(op.getNumLoops(),
                                         utils::IteratorType::reduction);
  for (AffineExpr result : map.getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(result))
      loops[loop.getPosition()] = utils::IteratorType::parallel;
  bool isOnce = map.isPermutation();
  Value init =
      isOnce ? tensor::EmptyOp::create(b, loc, sizes, type.getElementType())
                   .getResult()
             : makeZero(b, loc, type, sizes);
  maps.push_back(map);
  LogicalResult result = success();
  auto transposed = linalg::GenericOp::create(
      b, loc, init.getType(), inputs, init, maps, loops,
      [&](OpBuilder &inner, Location where, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(inner.saveInsertionPoint());
        Value yielded = args.back();
        result = buildBody(argument, isOnce, args, yielded);
        linalg::YieldOp::create(b, where, yielded);
      });
  if (failed(result))
    return failure();
  eraseDeadOps(*transposed.getBlock());
  return transposed.getResult(0);
}

LogicalResult BodyTranspose::addScalar(Value scalar, unsigned argument) {
  FailureOr<Value> sum =
      sumFor(argument, AffineMap::get(op.getNumLoops(), 0, b.getContext()),
             RankedTensorType::get({}, scalar.getType()), {});
  if (failed(sum))
    return failure();
  cotangents.add(scalar, tensor::ExtractOp::create(b, loc, *sum, ValueRange{}));
  return success();
}

LogicalResult BodyTranspose::addOperand(OpOperand &operand) {
  Value value = operand.get();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return addScalar(value, operand.getOperandNumber());
  FailureOr<Value> sum =
      sumFor(operand.getOperandNumber(), op.getMatchingIndexingMap(&operand),
             type, cotangents.extents(value));
  if (failed(sum))
    return failure();
  cotangents.add(value, *sum);
  return success();
}

LogicalResult BodyTranspose::addRead(tensor::ExtractOp read,
                                     unsigned argument) {
  ReadTranspose transposed(op, read, cotangents, extents);
  SmallVector<OpFoldResult> sizes = transposed.updateExtents();
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  FailureOr<Value> updates =
      sumFor(argument, transposed.layout(),
             RankedTensorType::get(shape, read.getType()), sizes);
  if (failed(updates))
    return failure();
  transposed.scatter(*updates);
  return success();
}

LogicalResult BodyTranspose::run() {
  if (failed(separateCaptured()))
    return failure();
  if (!reads.empty())
    findExtents();
  for (OpOperand *input : op.getDpsInputOperands())
    if (cotangents.isLinear(input->get()) && failed(addOperand(*input)))
      return failure();
  for (auto [scalar, argument] : scalars)
    if (failed(addScalar(scalar, argument)))
      return failure();
  for (auto [read, argument] : reads)
    if (failed(addRead(read, argument)))
      return failure();
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
  return BodyTranspose(op, cotangents, isSum).run();
}
