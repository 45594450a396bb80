//===- ContractOp.cpp - Contractions with an epilogue ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification, effects and bufferization of symshape.contract. Not for: its
// lowering (Conversion).
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/SymShape.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::symshape;

MutableOperandRange ContractOp::getDpsInitsMutable() {
  return getInitMutable();
}

static LogicalResult verifyMaps(ContractOp op) {
  size_t numOperands = op.getOthers().size() + 3;
  if (op.getMaps().size() != numOperands)
    return op.emitOpError("expected ")
           << numOperands << " maps, but got " << op.getMaps().size();
  unsigned numLoops = op.getMap(0).getNumDims();
  for (auto [number, value] : llvm::enumerate(op.getMappedOperands())) {
    AffineMap map = op.getMap(number);
    int64_t rank = cast<ShapedType>(value.getType()).getRank();
    bool isPacked = number == 1 && op.getPanelWidth();
    if (!map.isProjectedPermutation() || map.getNumDims() != numLoops ||
        map.getNumResults() != rank - isPacked)
      return op.emitOpError("expected map ")
             << number << " to be a projected permutation of " << numLoops
             << " loops with " << rank - isPacked << " results, but got "
             << AffineMapAttr::get(map);
  }
  return success();
}

static LogicalResult verifyLoops(ContractOp op) {
  llvm::SmallBitVector isUsed(op.getMap(0).getNumDims());
  for (unsigned number = 0; number < op.getMaps().size(); ++number)
    for (AffineExpr expr : op.getMap(number).getResults())
      isUsed.set(cast<AffineDimExpr>(expr).getPosition());
  if (!isUsed.all())
    return op.emitOpError("expected each loop to be a dimension of an operand");
  if (op.getInitMap().getNumResults() == 0 ||
      !op.getMap(1).isFunctionOfDim(op.getColumnLoop()) ||
      op.getMap(0).isFunctionOfDim(op.getColumnLoop()))
    return op.emitOpError("expected the last dimension of the result to be one "
                          "of the right operand alone");
  return success();
}

LogicalResult ContractOp::verify() {
  // C1
  if (failed(verifyMaps(*this)))
    return failure();
  // C2
  if (failed(verifyLoops(*this)))
    return failure();
  if (auto width = getPanelWidth()) {
    int64_t last = cast<ShapedType>(getRhs().getType()).getShape().back();
    if (last != static_cast<int64_t>(*width))
      return emitOpError("expected the last dimension of the packed operand to "
                         "be ")
             << *width << ", but got " << last;
  }
  // C3
  Block &block = getBody().front();
  Type initType = getElementTypeOrSelf(getInit().getType());
  if (block.getNumArguments() != getOthers().size() + 1)
    return emitOpError("expected a region with ")
           << getOthers().size() + 1 << " arguments";
  for (auto [other, argument] :
       llvm::zip(getOthers(), block.getArguments().drop_front()))
    if (argument.getType() != getElementTypeOrSelf(other.getType()))
      return emitOpError("expected the region to take the element types of the "
                         "operands");
  if (getAccumulate() && getSumType() != initType)
    return emitOpError("expected sums of type ")
           << initType << " to accumulate, but got " << getSumType();
  auto yield = dyn_cast<ContractYieldOp>(block.getTerminator());
  if (!yield || yield.getValue().getType() != initType)
    return emitOpError("expected the region to yield ") << initType;
  bool isTensor = isa<TensorType>(getInit().getType());
  if (isTensor != static_cast<bool>(getResult()) ||
      (getResult() && getResult().getType() != getInit().getType()))
    return emitOpError("expected a result of the type of the tensor written "
                       "to, and none for a memref");
  return success();
}

void ContractOp::populateShapeFacts(ShapeFacts &facts) {
  SmallVector<Expr> extents(getMap(0).getNumDims());
  for (auto [number, value] : llvm::enumerate(getMappedOperands())) {
    bool isPacked = number == 1 && getPanelWidth();
    for (auto [position, expr] : llvm::enumerate(getMap(number).getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (isPacked && loop == getColumnLoop())
        continue; // panels
      Expr extent = facts.dim(value, position);
      if (extents[loop])
        facts.require(Relation::eq(extents[loop], extent),
                      "loop " + Twine(loop));
      else
        extents[loop] = extent;
    }
  }
  if (Value result = getResult())
    for (int64_t d = 0, e = getInitMap().getNumResults(); d < e; ++d)
      facts.setExact(result, d, facts.dim(getInit(), d));
}

LogicalResult
ContractOp::reifyResultShapes(OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  if (!getResult())
    return failure();
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getInit()));
  return success();
}

void ContractOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isInit = isDpsInit(&operand);
    bool isWorkspace = operand.getOperandNumber() >= getMaps().size();
    if (!isInit || getAccumulate())
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isInit || isWorkspace)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

bool ContractOp::bufferizesToMemoryRead(OpOperand &operand,
                                        const bufferization::AnalysisState &) {
  return !isDpsInit(&operand) || getAccumulate();
}

bool ContractOp::bufferizesToMemoryWrite(OpOperand &operand,
                                         const bufferization::AnalysisState &) {
  return isDpsInit(&operand);
}

bufferization::AliasingValueList
ContractOp::getAliasingValues(OpOperand &operand,
                              const bufferization::AnalysisState &) {
  if (isDpsInit(&operand) && getResult())
    return {{getOperation()->getResult(0),
             bufferization::BufferRelation::Equivalent}};
  return {};
}

LogicalResult
ContractOp::bufferize(RewriterBase &rewriter,
                      const bufferization::BufferizationOptions &options,
                      bufferization::BufferizationState &state) {
  if (!getResult())
    return success();
  SmallVector<Value> buffers;
  for (Value operand : getMappedOperands()) {
    FailureOr<Value> buffer =
        bufferization::getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  OperationState newState(getLoc(), getOperationName(), buffers, TypeRange(),
                          getOperation()->getAttrs());
  newState.propertiesAttr = getOperation()->getPropertiesAsAttribute();
  newState.addRegion()->takeBody(getBody());
  rewriter.setInsertionPoint(getOperation());
  rewriter.create(newState);
  bufferization::replaceOpWithBufferizedValues(rewriter, getOperation(),
                                               buffers.back());
  return success();
}
