//===- KernelOps.cpp - Kernels before a target is chosen ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect; verification, effects and bufferization of its contraction.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/KernelOps.h"

#include "Structure/Contraction.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

#include "symshape/Conversion/KernelDialect.cpp.inc"
#include "symshape/Conversion/KernelInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "symshape/Conversion/KernelOps.cpp.inc"

void SymShapeKernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "symshape/Conversion/KernelOps.cpp.inc"
      >();
}

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
    int64_t inPanel = number == 1 && op.isPacked() ? 1 + op.isGrouped() : 0;
    bool isOfLoops =
        map.isProjectedPermutation() ||
        (number == 0 && llvm::all_of(map.getResults(), [](AffineExpr index) {
           return forEachTerm(index, [](unsigned, int64_t) {});
         }));
    if (!isOfLoops || map.getNumDims() != numLoops ||
        map.getNumResults() != rank - inPanel)
      return op.emitOpError("expected map ")
             << number << " to be a projected permutation of " << numLoops
             << " loops with " << rank - inPanel << " results, but got "
             << AffineMapAttr::get(map);
  }
  return success();
}

static LogicalResult verifyLoops(ContractOp op) {
  llvm::SmallBitVector isUsed(op.getMap(0).getNumDims());
  for (unsigned number = 0; number < op.getMaps().size(); ++number)
    for (AffineExpr expr : op.getMap(number).getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        isUsed.set(dim.getPosition());
  if (!isUsed.all())
    return op.emitOpError("expected each loop to be a dimension of an operand");
  if (op.getInitMap().getNumResults() == 0 ||
      !op.getMap(1).isFunctionOfDim(op.getColumnLoop()) ||
      op.getMap(0).isFunctionOfDim(op.getColumnLoop()))
    return op.emitOpError("expected the last dimension of the result to be one "
                          "of the right operand alone");
  return success();
}

static LogicalResult verifyPanels(ContractOp op) {
  if (!op.isPacked())
    return success();
  ArrayRef<int64_t> shape = cast<ShapedType>(op.getRhs().getType()).getShape();
  if (op.isGrouped()) {
    if (shape.back() != op.getTileAttr().getGroup())
      return op.emitOpError("expected the last dimension of the packed operand "
                            "to be ")
             << op.getTileAttr().getGroup() << ", but got " << shape.back();
    shape = shape.drop_back();
    AffineExpr grouped =
        getAffineDimExpr(*op.getGroupedLoop(), op.getContext());
    bool isRead = op.getMap(0).getResultPosition(grouped).has_value();
    if (op.getInitMap().isFunctionOfDim(*op.getGroupedLoop()) ||
        (!isRead && !op.getGroupedTerms()))
      return op.emitOpError(
          "expected the last loop of the packed operand to be "
          "a sum with a known number of terms");
  }
  if (shape.back() != op.getTileAttr().getColumns())
    return op.emitOpError("expected ")
           << (op.isGrouped() ? "the last dimension but one"
                              : "the last dimension")
           << " of the packed operand to be " << op.getTileAttr().getColumns()
           << ", but got " << shape.back();
  return success();
}

/// Whether `symshape-lower-winograd` can read the operands.
static bool fitsTransformed(ContractOp op) {
  auto type = cast<ShapedType>(op.getTransformed().getType());
  auto rankOf = [](Value value) {
    return cast<ShapedType>(value.getType()).getRank();
  };
  return op.isPacked() && !op.getAccumulate() && type.getRank() == 5 &&
         type.getDimSize(0) == 6 && type.getDimSize(1) == 6 &&
         !type.isDynamicDim(3) &&
         type.getDimSize(4) == op.getTileAttr().getColumns() &&
         type.getElementType().isF32() && op.getSumType().isF32() &&
         rankOf(op.getLhs()) == 3 && rankOf(op.getInit()) == 4 &&
         !cast<ShapedType>(op.getInit().getType()).isDynamicDim(3);
}

static LogicalResult verifyCodes(ContractOp op) {
  if (!op.isCoded() && !op.getScales() && !op.getZeros() && !op.getBlockTerms())
    return success();
  auto typeOf = [](Value value) { return cast<ShapedType>(value.getType()); };
  int64_t bits = op.getCodeBits().value_or(0),
          block = op.getBlockTerms().value_or(0);
  bool hasBits = bits == 2 || bits == 4 || bits == 8;
  if (!hasBits || block < 16 || block % 16 != 0 || !op.getScales())
    return op.emitOpError("expected codes of 2, 4 or 8 bits to have scales for "
                          "blocks of a multiple of 16 terms");
  bool fits =
      op.isPacked() && !op.isGrouped() && op.getMap(1).getNumResults() == 2 &&
      typeOf(op.getRhs()).getElementType().isInteger(8) &&
      op.getSumType().isF32() && typeOf(op.getLhs()).getElementType().isF32();
  if (!fits)
    return op.emitOpError(
        "expected codes to be i8 in panels along 2 loops, and "
        "the rest f32");
  int64_t columns = op.getTileAttr().getColumns();
  for (Value value : {op.getScales(), op.getZeros()})
    if (value && (typeOf(value).getRank() != 3 ||
                  typeOf(value).getDimSize(2) != columns ||
                  failed(verifyCompatibleShape(op.getScales().getType(),
                                               value.getType()))))
      return op.emitOpError("expected scales and zeros of one shape, "
                            "PANELSxBLOCKSx")
             << columns << ", but got " << value.getType();
  return success();
}

LogicalResult ContractOp::verify() {
  // C1
  if (failed(verifyMaps(*this)))
    return failure();
  // C2
  if (failed(verifyLoops(*this)))
    return failure();
  if (failed(verifyPanels(*this)))
    return failure();
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
  // C4
  if (getTransformed() && !fitsTransformed(*this))
    return emitOpError("expected transformed weights of 6x6xPANELSxCHANNELSx")
           << (isPacked() ? Twine(getTileAttr().getColumns())
                          : Twine("COLUMNS"))
           << " in f32 for a convolution from zero, but got "
           << getTransformed().getType();
  // C5
  return verifyCodes(*this);
}

void ContractOp::populateShapeFacts(ShapeFacts &facts) {
  SmallVector<Expr> extents(getMap(0).getNumDims());
  for (auto [number, value] : llvm::enumerate(getMappedOperands())) {
    for (auto [position, expr] : llvm::enumerate(getMap(number).getResults())) {
      if (!isa<AffineDimExpr>(expr))
        continue; // windows, which are known to fit
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (number == 1 && isBlocked(position))
        continue;
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

/// As upstream's structured ops: it only requires extents to fit.
Speculation::Speculatability ContractOp::getSpeculatability() {
  return getResult() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

void ContractOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isInit = isDpsInit(&operand);
    bool isWorkspace = llvm::is_contained(getWorkspaces(), operand.get());
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
  for (Value operand : getOperands()) {
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
  Value result = buffers[getInitMutable().getOperandNumber()];
  bufferization::replaceOpWithBufferizedValues(rewriter, getOperation(),
                                               result);
  return success();
}
