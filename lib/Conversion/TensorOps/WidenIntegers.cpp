//===- WidenIntegers.cpp - Integers that fill no machine word -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An i4 or an i48 in a tensor is stored with its sign in the next width that
// memory has. What is computed of scalars keeps its width: they are truncated
// where they leave a tensor and extended where they enter one. Types change in
// place, so that no op needs a pattern. Not for: control flow, which carries
// scalars in registers.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/IR/Places.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_WIDENINTEGERSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The type that is stored for an integer of 2 to 63 bits; `type` for others.
static Type widenScalar(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  unsigned width = integer ? integer.getWidth() : 0;
  if (width < 2 || width > 63 || !integer.isSignless())
    return type;
  return IntegerType::get(
      type.getContext(),
      static_cast<unsigned>(llvm::PowerOf2Ceil(std::max(width, 8u))));
}

static Type widenTensor(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor)
    return type;
  Type element = tensor.getElementType(), wide = widenScalar(element);
  return wide == element ? type : tensor.clone(wide);
}

static Type widen(Type type) { return widenScalar(widenTensor(type)); }

/// Whether `op` has tensors of such integers as operands or results; or is
/// about what functions take and give, where even scalars are stored.
static bool isBoundary(Operation *op) {
  auto isNarrow = [](Type type) { return widenTensor(type) != type; };
  auto isStored = [](Type type) { return widen(type) != type; };
  if (auto function = dyn_cast<func::FuncOp>(op))
    return llvm::any_of(function.getArgumentTypes(), isStored) ||
           llvm::any_of(function.getResultTypes(), isStored);
  if (isa<func::CallOp>(op))
    return llvm::any_of(op->getOperandTypes(), isStored) ||
           llvm::any_of(op->getResultTypes(), isStored);
  return !isa<RegionBranchOpInterface>(op) &&
         !op->hasTrait<OpTrait::IsTerminator>() &&
         (llvm::any_of(op->getOperandTypes(), isNarrow) ||
          llvm::any_of(op->getResultTypes(), isNarrow));
}

/// Whether elements, or a scalar of their type, are but put elsewhere: such an
/// op stays what it is, of wider elements.
static bool movesElements(Operation *op) {
  Type element =
      op->getNumResults() ? getElementTypeOrSelf(op->getResult(0)) : Type();
  return isa<linalg::FillOp, linalg::CopyOp, linalg::TransposeOp,
             linalg::BroadcastOp>(op) &&
         llvm::all_of(op->getOperandTypes(), [&](Type type) {
           return getElementTypeOrSelf(type) == element;
         });
}

static LogicalResult widenConstant(arith::ConstantOp constant) {
  auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
  if (!elements)
    return symshape::findPlaced(constant)->emitError()
           << "expected elements of type " << constant.getType()
           << " to be listed";
  Type type = widenScalar(elements.getElementType());
  constant.setValueAttr(
      cast<TypedAttr>(elements.mapValues(type, [&](const APInt &v) {
        return v.sext(type.getIntOrFloatBitWidth());
      })));
  return success();
}

static void extendOperands(OpBuilder &b, Operation *op) {
  b.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType();
    if (Type wide = widenScalar(type); wide != type)
      operand.set(arith::ExtSIOp::create(b, op->getLoc(), wide, operand.get()));
  }
}

static void truncate(OpBuilder &b, Value v) {
  Type type = v.getType(), wide = widenScalar(type);
  if (type == wide)
    return;
  v.setType(wide);
  auto narrow = arith::TruncIOp::create(b, v.getLoc(), type, v);
  v.replaceAllUsesExcept(narrow, narrow);
}

/// Scalars that `op` or its regions put into tensors, or take out of them.
static void widenScalars(Operation *op) {
  OpBuilder b(op);
  bool moves = movesElements(op);
  extendOperands(b, op);
  b.setInsertionPointAfter(op);
  for (Value result : op->getResults())
    truncate(b, result);
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    b.setInsertionPointToStart(&region.front());
    for (BlockArgument argument : region.front().getArguments()) {
      if (moves)
        argument.setType(widenScalar(argument.getType()));
      else
        truncate(b, argument);
    }
    // Branches to other blocks carry scalars as they are.
    for (Block &block : region)
      if (block.mightHaveTerminator() &&
          block.getTerminator()->getNumSuccessors() == 0)
        extendOperands(b, block.getTerminator());
  }
  if (auto function = dyn_cast<func::FuncOp>(op)) {
    if (llvm::any_of(function.getArgumentTypes(),
                     [](Type type) { return widenScalar(type) != type; }))
      remark::passed(
          function.getLoc(),
          remark::RemarkOpts::name("facts").category("symshape-widen-integers"))
          << "takes wider integers, and computes with what fits the type that "
             "they had";
    SmallVector<Type> inputs, results;
    llvm::transform(function.getArgumentTypes(), std::back_inserter(inputs),
                    widen);
    llvm::transform(function.getResultTypes(), std::back_inserter(results),
                    widen);
    function.setType(FunctionType::get(op->getContext(), inputs, results));
  }
}

/// Makes `op` one whose body says all: by its name or its operands, another may
/// be computed with wider elements, without their wrapping.
static FailureOr<Operation *> generalize(RewriterBase &b, Operation *op) {
  if (OpTrait::hasElementwiseMappableTraits(op) && !isa<arith::SelectOp>(op))
    return symshape::findPlaced(op)->emitError()
           << "expected arithmetic on elements, but got '" << op->getName()
           << "' on " << op->getResult(0).getType();
  auto named = dyn_cast<linalg::LinalgOp>(op);
  if (!named || isa<linalg::GenericOp>(op) || movesElements(op))
    return op;
  b.setInsertionPoint(op);
  auto generic = linalg::generalizeNamedOp(b, named);
  if (failed(generic))
    return op->emitOpError("expected an op that loops can express");
  return generic->getOperation();
}

/// Fails at an op that may be about the width of its elements, or shares them
/// with memory: those keep their type.
static LogicalResult verifyWidens(Operation *op) {
  static constexpr StringRef known[] = {"arith",    "bufferization", "func",
                                        "linalg",   "symshape",      "tensor",
                                        "tm_tensor"};
  auto isNarrowBuffer = [](Type type) {
    auto buffer = dyn_cast<BaseMemRefType>(type);
    return buffer &&
           widenScalar(buffer.getElementType()) != buffer.getElementType();
  };
  if (!llvm::is_contained(known, op->getName().getDialectNamespace()))
    return symshape::findPlaced(op)->emitError()
           << "expected ops of linalg, tensor and symshape on integers of odd "
              "widths, but got '"
           << op->getName() << "'";
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (!isa<func::CallOp>(op) && isNarrowBuffer(type))
      return symshape::findPlaced(op)->emitError()
             << "expected tensors to share no memory of such integers, but got "
             << type;
  return success();
}

namespace {
struct WidenIntegersPass
    : symshape::impl::WidenIntegersPassBase<WidenIntegersPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
      if (isBoundary(op))
        ops.push_back(op);
    });
    if (!llvm::all_of(
            ops, [](Operation *op) { return succeeded(verifyWidens(op)); }))
      return signalPassFailure();
    IRRewriter b(&getContext());
    for (Operation *&op : ops) {
      auto constant = dyn_cast<arith::ConstantOp>(op);
      FailureOr<Operation *> general = generalize(b, op);
      if (failed(general) || (constant && failed(widenConstant(constant))))
        return signalPassFailure();
      op = *general;
    }
    for (Operation *op : ops)
      widenScalars(op);
    module.walk([](Operation *op) {
      for (Value result : op->getResults())
        result.setType(widenTensor(result.getType()));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            argument.setType(widenTensor(argument.getType()));
    });
  }
};
} // namespace
