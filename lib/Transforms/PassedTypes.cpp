//===- PassedTypes.cpp - Types of what ops pass on ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassedTypes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::symshape;

/// What casts that forget extents are of.
static Value beforeForgetting(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>()) {
    if (!tensor::canFoldIntoConsumerOp(cast))
      break;
    value = cast.getSource();
  }
  return value;
}

static RankedTensorType typeBefore(Value value) {
  return dyn_cast<RankedTensorType>(beforeForgetting(value).getType());
}

/// Gives `value` a type, and its users the one before by a cast.
static void retype(Value value, Type type) {
  Type old = value.getType();
  if (old == type)
    return;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  value.setType(type);
  auto back = tensor::CastOp::create(builder, value.getLoc(), old, value);
  value.replaceAllUsesExcept(back, back);
}

/// The type that all of `given` have before casts; null if they have several,
/// or if `value` has it already. What `value` gets from itself does not count.
static RankedTensorType commonType(Value value, ArrayRef<Value> given) {
  RankedTensorType common;
  for (Value each : given) {
    RankedTensorType type = typeBefore(each);
    if (beforeForgetting(each) == value)
      continue;
    if (!type || (common && type != common))
      return nullptr;
    common = type;
  }
  return common == value.getType() ? nullptr : common;
}

/// Lets these operands, all that reach `values`, be what they were before
/// casts.
static void passStatic(ArrayRef<Value> values, ArrayRef<OpOperand *> operands) {
  SmallVector<Value> given;
  for (OpOperand *operand : operands)
    given.push_back(operand->get());
  RankedTensorType type = commonType(values.front(), given);
  if (!type)
    return;
  for (Value value : values)
    retype(value, type);
  for (OpOperand *operand : operands)
    operand->set(beforeForgetting(operand->get()));
}

static void visitLoop(LoopLikeOpInterface loop) {
  std::optional<MutableArrayRef<OpOperand>> yields =
      loop.getYieldedValuesMutable();
  if (!yields)
    return;
  for (auto [init, argument, yielded, result] :
       llvm::zip_equal(loop.getInitsMutable(), loop.getRegionIterArgs(),
                       *yields, loop->getResults()))
    passStatic({argument, result}, {&init, &yielded});
}

static void visitWhile(scf::WhileOp loop) {
  for (auto [init, argument, yielded] :
       llvm::zip_equal(loop.getInitsMutable(), loop.getBeforeArguments(),
                       loop.getYieldOp()->getOpOperands()))
    passStatic({argument}, {&init, &yielded});
  for (auto [passed, argument, result] :
       llvm::zip_equal(loop.getConditionOp().getArgsMutable(),
                       loop.getAfterArguments(), loop.getResults()))
    passStatic({argument, result}, {&passed});
}

/// Of an op whose regions yield its results.
static void visitBranches(Operation *op) {
  SmallVector<Operation *> yields;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (isa<scf::YieldOp, affine::AffineYieldOp>(block.getTerminator()))
        yields.push_back(block.getTerminator());
  for (OpResult result : op->getResults()) {
    SmallVector<OpOperand *> operands;
    for (Operation *yield : yields)
      operands.push_back(&yield->getOpOperand(result.getResultNumber()));
    if (!operands.empty())
      passStatic({result}, operands);
  }
}

/// Tensors of one shape before casts have it, and so do results, unless these
/// say what contradicts it.
static void visitElementwise(Operation *op) {
  auto isTensor = [](Value v) { return isa<RankedTensorType>(v.getType()); };
  RankedTensorType common;
  for (Value operand : op->getOperands()) {
    if (!isTensor(operand))
      continue;
    RankedTensorType type = typeBefore(operand);
    if (common && type.getShape() != common.getShape())
      return;
    common = type;
  }
  if (!common)
    return;
  for (Type result : op->getResultTypes())
    if (auto type = dyn_cast<RankedTensorType>(result))
      for (auto [extent, other] :
           llvm::zip_equal(type.getShape(), common.getShape()))
        if (ShapedType::isStatic(extent) && extent != other)
          return;
  for (OpOperand &operand : op->getOpOperands())
    if (isTensor(operand.get()))
      operand.set(beforeForgetting(operand.get()));
  for (OpResult result : op->getResults())
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      retype(result, type.clone(common.getShape()));
}

// Outer ops first: what they pass into their regions has its type by then.
void symshape::refinePassedTypes(ModuleOp module) {
  module.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      visitWhile(loop);
    else if (isa<scf::ForOp, affine::AffineForOp>(op))
      visitLoop(cast<LoopLikeOpInterface>(op));
    else if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp,
                 affine::AffineIfOp>(op))
      visitBranches(op);
    else if (OpTrait::hasElementwiseMappableTraits(op) &&
             !isa_and_present<vector::MaskOp>(op->getParentOp()))
      visitElementwise(op);
  });
}
