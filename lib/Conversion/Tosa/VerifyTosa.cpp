//===- VerifyTosa.cpp - What upstream's verifiers of tosa forget ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions on attributes and types: ERROR_IF of each op in the specification,
// TOSA 1.1. Those on sizes are rules, in lib/Extensions.
//
//===----------------------------------------------------------------------===//

#include "TosaLowering.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::symshape;

static LogicalResult verifyRescale(tosa::RescaleOp op) {
  unsigned from = getElementTypeOrSelf(op.getInput()).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(op.getOutput()).getIntOrFloatBitWidth();
  bool isDouble = op.getRoundingMode() == tosa::RoundingMode::DOUBLE_ROUND;
  if (op.getInputUnsigned() && op.getOutputUnsigned())
    return op.emitOpError("expected unsigned integers on one side only");
  if ((op.getInputUnsigned() || op.getOutputUnsigned()) &&
      std::max(from, to) > 16)
    return op.emitOpError("expected integers of at most 16 bits beside unsigned"
                          " ones, but got ")
           << std::max(from, to) << " bits";
  if (op.getScale32() && from > 32)
    return op.emitOpError("expected multipliers of 16 bits for integers of ")
           << from << " bits";
  if (!op.getScale32() && isDouble)
    return op.emitOpError("expected multipliers of 32 bits to round twice");
  return success();
}

/// A shape without extents has no place in another one.
static LogicalResult verifyConcatShape(tosa::ConcatShapeOp op) {
  for (Type type : op->getOperandTypes())
    if (auto shape = dyn_cast<tosa::shapeType>(type);
        shape && shape.getRank() == 0)
      return op.emitOpError("expected shapes of at least one extent");
  return success();
}

/// Products of integers have 32 bits; upstream's patterns make others as well,
/// but not where the shift is a value.
static LogicalResult verifyMul(tosa::MulOp op) {
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getType()));
  if (!element || element.isInteger(32) ||
      matchPattern(op.getShift(), m_Constant()))
    return success();
  return op.emitOpError("expected a product of 32 bits beside a shift that is "
                        "no constant, but got ")
         << element;
}

/// Types that upstream's patterns do not look at before they crash on them, or
/// make what does not verify.
static LogicalResult verifyTypes(Operation *op) {
  auto verify = [&](Type type) -> LogicalResult {
    if (isa<UnrankedTensorType>(type))
      return op->emitOpError("expected ranked tensors, but got ") << type;
    Type element = getElementTypeOrSelf(type);
    if (!isa<TensorType>(type) || isa<FloatType>(element) ||
        element.isSignlessIntOrIndex())
      return success();
    return op->emitOpError("expected signless integers or floats, but got ")
           << type;
  };
  for (Type type : op->getOperandTypes())
    if (failed(verify(type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(verify(type)))
      return failure();
  return success();
}

LogicalResult mlir::symshape::verifyTosa(Operation *op) {
  if (!isTosa(op))
    return success();
  if (failed(verifyTypes(op)))
    return failure();
  if (auto rescale = dyn_cast<tosa::RescaleOp>(op))
    return verifyRescale(rescale);
  if (auto mul = dyn_cast<tosa::MulOp>(op))
    return verifyMul(mul);
  if (auto concat = dyn_cast<tosa::ConcatShapeOp>(op))
    return verifyConcatShape(concat);
  return success();
}
