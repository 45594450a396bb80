//===- PrepareBufferization.cpp - Initial values before bufferization -----===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization lets two values that a loop carries share a buffer if both
// begin as one empty tensor; so each gets one of its own. And it takes what a
// structured op does not read for overwritten, although a loop without
// iterations leaves it; so that gets a copy, and so do what a vector is written
// to that may not cover it, and what becomes a buffer. And it puts constants
// into the code, which cannot hold those of gigabytes. And it leaves sizes of
// expansions as they are. And its time grows with the square of the uses of a
// tensor, of which empty ones have many.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "symshape/IR/ElementBytes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_PREPAREBUFFERIZATIONPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The ops from an empty tensor to a value that is a view of it, last first;
/// none if it is not one.
static SmallVector<Operation *> viewOfEmpty(Value value) {
  SmallVector<Operation *> chain;
  while (Operation *op = value.getDefiningOp()) {
    chain.push_back(op);
    if (isa<tensor::EmptyOp>(op))
      return chain;
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op))
      break;
    value = op->getOperand(0);
  }
  return {};
}

/// Of a buffer, sizes of an expansion whose type is static must be constants.
static void spellStaticSizes(tensor::ExpandShapeOp op) {
  SmallVector<int64_t> sizes(op.getStaticOutputShape());
  SmallVector<Value> values;
  auto next = op.getOutputShape().begin();
  for (auto [size, extent] :
       llvm::zip_equal(sizes, op.getResultType().getShape())) {
    if (ShapedType::isStatic(size))
      continue;
    Value value = *next++;
    if (ShapedType::isStatic(extent))
      size = extent;
    else
      values.push_back(value);
  }
  op.getOutputShapeMutable().assign(values);
  op.setStaticOutputShape(sizes);
}

/// Whether `op` may leave elements of `init` as they were, without reading it.
static bool mayLeave(linalg::LinalgOp op, OpOperand &init) {
  AffineMap map = op.getMatchingIndexingMap(&init);
  if (op.payloadUsesValueFromOperand(&init) || map.isPermutation())
    return false;
  return !map.isProjectedPermutation() ||
         llvm::any_of(op.getStaticLoopRanges(), [](int64_t range) {
           return ShapedType::isDynamic(range) || range == 0;
         });
}

/// The same where upstream takes the size of a vector that begins at 0 for what
/// it covers: its mask may leave lanes, and its dimensions may be other ones.
static bool mayLeave(vector::TransferWriteOp op) {
  ArrayRef<int64_t> all = op.getShapedType().getShape();
  return op.getShapedType().hasStaticShape() &&
         (op.getMask() || !op.getPermutationMap().isIdentity()) &&
         llvm::all_of(op.getIndices(), isZeroInteger) &&
         llvm::all_of(llvm::zip(all, op.getVectorType().getShape()),
                      [](auto sizes) {
                        return std::get<0>(sizes) <= std::get<1>(sizes);
                      });
}

/// A tensor of its own with the elements of `value`.
static Value copyOf(OpBuilder &builder, Location loc, Value value) {
  return bufferization::AllocTensorOp::create(
      builder, loc, cast<RankedTensorType>(value.getType()),
      /*dynamicSizes=*/ValueRange(), /*copy=*/value);
}

/// Whether `value` is made for the only op that uses it.
static bool isOwnTensor(Value value) {
  return value.getDefiningOp<bufferization::AllocTensorOp>() &&
         value.hasOneUse();
}

/// Gives the owner a copy of an initial value, if that is a tensor with
/// elements that may be used otherwise.
static void copy(OpOperand &init) {
  if (!isa<RankedTensorType>(init.get().getType()) ||
      !viewOfEmpty(init.get()).empty() ||
      init.get().getDefiningOp<bufferization::AllocTensorOp>())
    return;
  OpBuilder builder(init.getOwner());
  init.set(copyOf(builder, init.getOwner()->getLoc(), init.get()));
}

/// What takes an unranked tensor may write to it, and bufferization can copy
/// ranked tensors only: each gets a copy.
static void copyUnranked(tensor::CastOp cast) {
  bool isCopied = isOwnTensor(cast.getSource()) && cast->hasOneUse();
  if (!isa<RankedTensorType>(cast.getSource().getType()) ||
      !isa<UnrankedTensorType>(cast.getType()) || isCopied)
    return;
  for (OpOperand &use : llvm::make_early_inc_range(cast->getUses())) {
    if (isa<tensor::TensorDialect>(use.getOwner()->getDialect()))
      continue; // never writes
    OpBuilder builder(use.getOwner());
    Value copied = copyOf(builder, cast.getLoc(), cast.getSource());
    use.set(
        tensor::CastOp::create(builder, cast.getLoc(), cast.getType(), copied));
  }
  if (cast.use_empty())
    cast.erase();
}

/// Gives `op` copies of the initial values that it may leave.
static void copyInits(Operation *op) {
  if (auto write = dyn_cast<vector::TransferWriteOp>(op)) {
    if (mayLeave(write))
      copy(write.getBaseMutable());
  } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    for (OpOperand &init : structured.getDpsInitsMutable())
      if (mayLeave(structured, init))
        copy(init);
  }
}

/// Whether `value` is an argument that its function may not write.
static bool isReadOnly(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  if (!function || !argument.getOwner()->isEntryBlock())
    return false;
  auto writable = function.getArgAttrOfType<BoolAttr>(
      argument.getArgNumber(),
      bufferization::BufferizationDialect::kWritableAttrName);
  return writable && !writable.getValue();
}

/// What a buffer of a tensor holds must stay, and bufferization does not know
/// who reads a buffer later: it would write another tensor there as soon as
/// nothing reads this one as a tensor. A copy has this one reader. What is
/// passed in as not writable is never written.
static void copyWhatLeaves(bufferization::ToBufferOp op) {
  Value tensor = op.getTensor();
  if (!isa<RankedTensorType>(tensor.getType()) ||
      tensor.getDefiningOp<bufferization::ToTensorOp>() ||
      isOwnTensor(tensor) || isReadOnly(tensor))
    return;
  OpBuilder builder(op);
  op.getTensorMutable().assign(copyOf(builder, op.getLoc(), tensor));
}

/// A tensor of one value that has no room in a program is filled instead.
static void fillLarge(arith::ConstantOp constant) {
  auto elements = dyn_cast<SplatElementsAttr>(constant.getValue());
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  constexpr int64_t maxBytes = INT32_MAX; // of code that reaches its data
  if (!elements || !type ||
      symshape::staticBytes(
          constant, MemRefType::get(type.getShape(), type.getElementType()),
          maxBytes) < maxBytes)
    return;
  OpBuilder builder(constant);
  Location loc = constant.getLoc();
  Value value;
  Type element = type.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    auto parts = elements.getSplatValue<ArrayAttr>();
    value = complex::ConstantOp::create(builder, loc, complex, parts);
  } else {
    value = arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(elements.getSplatValue<Attribute>()));
  }
  Value empty = tensor::EmptyOp::create(builder, loc, type, ValueRange());
  constant.replaceAllUsesWith(
      linalg::FillOp::create(builder, loc, value, empty).getResult(0));
  constant.erase();
}

/// CSE makes one of all empty tensors of a shape, and bufferization compares
/// the uses of one in pairs: each few, as they come, get one of their own.
static void splitEmpty(Operation *root) {
  constexpr size_t maxUses = 16;
  llvm::MapVector<Operation *, SmallVector<OpOperand *>> uses;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (auto empty = operand.get().getDefiningOp<tensor::EmptyOp>())
        uses[empty].push_back(&operand);
  });
  for (auto &[empty, operands] : uses) {
    OpBuilder builder(empty);
    for (size_t i = maxUses; i < operands.size(); i += maxUses) {
      Operation *own = builder.clone(*empty);
      for (OpOperand *use : ArrayRef(operands).slice(i).take_front(maxUses))
        use->set(own->getResult(0));
    }
  }
}

namespace {
struct PrepareBufferizationPass
    : symshape::impl::PrepareBufferizationPassBase<PrepareBufferizationPass> {
  void runOnOperation() override {
    getOperation()->walk(copyInits);
    getOperation()->walk(copyWhatLeaves);
    SmallVector<tensor::CastOp> casts;
    getOperation()->walk([&](tensor::CastOp cast) { casts.push_back(cast); });
    llvm::for_each(casts, copyUnranked);
    getOperation()->walk(fillLarge);
    getOperation()->walk(spellStaticSizes);
    splitEmpty(getOperation());
    getOperation()->walk([](LoopLikeOpInterface loop) {
      for (OpOperand &init : loop.getInitsMutable()) {
        SmallVector<Operation *> chain = viewOfEmpty(init.get());
        if (llvm::all_of(chain, [](Operation *op) { return op->hasOneUse(); }))
          continue;
        OpBuilder builder(loop);
        IRMapping mapping;
        for (Operation *op : llvm::reverse(chain))
          builder.clone(*op, mapping);
        init.set(mapping.lookup(init.get()));
      }
    });
  }
};
} // namespace
