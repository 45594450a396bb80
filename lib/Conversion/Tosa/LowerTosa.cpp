//===- LowerTosa.cpp - Programs of tosa as linalg and tensor --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Once what a program requires is checked. See LowerTosaControlFlow.cpp for its
// branches and loops.
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "ScalarOps.h"
#include "TosaLowering.h"

#include "symshape/Analysis/FactCursor.h"
#include "symshape/Conversion/Passes.h"
#include "symshape/IR/Places.h"
#include "symshape/IR/SumType.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/Canonicalizer.h"
#include "symshape/Transforms/Snapshot.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/IR/Iterators.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERTOSAPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

TosaLowering::TosaLowering(MLIRContext *context) : b(context) {
  tosa::populateTosaTypeConversion(converter);
  RewritePatternSet scalars(context), rest(context);
  for (RewritePatternSet *patterns : {&scalars, &rest}) {
    tosa::populateTosaToLinalgConversionPatterns(converter, patterns);
    tosa::populateTosaToArithConversionPatterns(patterns);
  }
  tosa::populateTosaToLinalgNamedConversionPatterns(converter, &rest,
                                                    TosaToLinalgNamedOptions());
  tosa::populateTosaRescaleToArithConversionPatterns(&rest);
  scalarPatterns = FrozenRewritePatternSet(std::move(scalars));
  otherPatterns = FrozenRewritePatternSet(std::move(rest));
}

/// Types of results may say more than the ops that compute them.
void TosaLowering::replace(Operation *op, ValueRange results) {
  b.replaceOp(op, castTo(b, op->getLoc(), results, op->getResultTypes()));
}

/// Says these extents in the type of the only result, which upstream's pattern
/// takes as they are.
static void refineResult(OpBuilder &b, Operation *op,
                         ArrayRef<int64_t> extents) {
  Value result = op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type)
    return;
  SmallVector<int64_t> shape(type.getShape());
  for (auto [own, extent] : llvm::zip_equal(shape, extents))
    if (ShapedType::isDynamic(own))
      own = extent;
  if (shape == type.getShape())
    return;
  result.setType(type.clone(shape));
  b.setInsertionPointAfter(op);
  auto cast = tensor::CastOp::create(b, op->getLoc(), type, result);
  result.replaceAllUsesExcept(cast, cast);
}

/// A reduction keeps the other extents; upstream's pattern makes a reshape.
static void refineReduction(OpBuilder &b, Operation *op) {
  SmallVector<int64_t> extents(
      cast<RankedTensorType>(op->getOperand(0).getType()).getShape());
  extents[op->getAttrOfType<IntegerAttr>("axis").getInt()] = 1;
  refineResult(b, op, extents);
}

/// Computes an op of several steps on bf16 or f16 in the type of sums: a copy
/// of it with casts around, which are lowered in its place.
bool TosaLowering::lowerInSumType(Operation *op) {
  if (!isa<tosa::ReduceProductOp, tosa::ReduceSumOp, tosa::SigmoidOp>(op))
    return false;
  auto given = cast<TensorType>(op->getOperand(0).getType());
  auto result = cast<TensorType>(op->getResult(0).getType());
  Type wide = getSumType(result.getElementType());
  if (wide == result.getElementType())
    return false;
  b.setInsertionPoint(op);
  Location loc = op->getLoc();
  auto in = tosa::CastOp::create(b, loc, given.clone(wide), op->getOperand(0));
  Operation *copy = b.clone(*op);
  copy->setOperand(0, in);
  copy->getResult(0).setType(result.clone(wide));
  auto out = tosa::CastOp::create(b, loc, result, copy->getResult(0));
  b.replaceOp(op, out);
  for (Operation *part : {in.getOperation(), copy, out.getOperation()})
    lower(part);
  return true;
}

bool TosaLowering::lower(Operation *op) {
  if (shapes.compute(b, op))
    return true;
  auto isRanked = [](Type type) {
    return !isa<TensorType>(type) || isa<RankedTensorType>(type);
  };
  if (!llvm::all_of(op->getOperandTypes(), isRanked) ||
      !llvm::all_of(op->getResultTypes(), isRanked))
    return false;
  if (isa<tosa::ReduceAllOp, tosa::ReduceAnyOp, tosa::ReduceMaxOp,
          tosa::ReduceMinOp, tosa::ReduceProductOp, tosa::ReduceSumOp>(op))
    refineReduction(b, op);
  if (lowerInSumType(op))
    return true;
  if (auto cast = dyn_cast<tosa::CastOp>(op); cast && foldWidening(b, cast))
    return true;
  b.setInsertionPoint(op);
  if (auto rescale = dyn_cast<tosa::RescaleOp>(op))
    return lowerRescale(rescale);
  if (auto negate = dyn_cast<tosa::NegateOp>(op); negate && lowerNegate(negate))
    return true;
  if (auto sigmoid = dyn_cast<tosa::SigmoidOp>(op)) {
    lowerSigmoid(sigmoid);
    return true;
  }
  return lowerElementwise(op) || lowerMovement(op) || lowerWindows(op) ||
         lowerFourier(op);
}

/// Which dimensions of operands may turn out to be 1 beside another extent.
static ExpandingDims findExpandingDims(ModuleOp module,
                                       ShapeAnalysis &analysis) {
  ExpandingDims result;
  for (auto function : module.getOps<func::FuncOp>()) {
    FunctionShapes *shapes = analysis.lookup(function);
    if (!shapes)
      continue;
    FactCursor facts(*shapes);
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isTosa(op) || op->getNumOperands() < 2 || op->getNumResults() != 1)
        return;
      auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
      if (!type)
        return;
      ConstraintSet &known = facts.before(op);
      for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
        auto own = dyn_cast<RankedTensorType>(operand.getType());
        // A bias stands beside the last dimension.
        bool isBias = i == 2 && own && own.getRank() == 1 && isConvolution(op);
        int64_t first = isBias ? type.getRank() - 1 : 0;
        if (!own || own.getRank() + first != type.getRank())
          continue;
        for (int64_t d = 0; d < own.getRank(); ++d)
          if (own.isDynamicDim(d) &&
              !known.isProvably(
                  Relation::eq(shapes->dim(operand, d),
                               shapes->dim(op->getResult(0), first + d))))
            result[op].push_back({i, d});
      }
    });
  }
  return result;
}

namespace {
/// Upstream's pattern gives the extents of the operand, which may be open where
/// the type of the result says them, or say more.
void refineTranspose(tosa::TransposeOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getInput1().getType());
  if (!from)
    return;
  OpBuilder b(op);
  if (auto to = dyn_cast<RankedTensorType>(op.getType())) {
    SmallVector<int64_t> shape(from.getShape());
    for (auto [d, of] : llvm::enumerate(op.getPerms()))
      if (from.isDynamicDim(of))
        shape[of] = to.getDimSize(d);
    if (shape != from.getShape()) {
      from = from.clone(shape);
      op.getInput1Mutable().assign(
          tensor::CastOp::create(b, op.getLoc(), from, op.getInput1()));
    }
  }
  SmallVector<int64_t> permuted;
  for (int32_t of : op.getPerms())
    permuted.push_back(from.getDimSize(of));
  refineResult(b, op, permuted);
}

struct LowerTosaPass : symshape::impl::LowerTosaPassBase<LowerTosaPass> {
  using LowerTosaPassBase::LowerTosaPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
      if (isTosa(op))
        ops.push_back(op);
    });
    if (ops.empty())
      return markAllAnalysesPreserved();
    if (failed(verifyAll(ops)) || failed(verifyShapes()))
      return signalPassFailure();
    TosaLowering lowering(&getContext());
    lowering.checks = checks;
    if (module->hasAttr(SymShapeDialect::kTosaNumPyBroadcast))
      lowering.expanding =
          findExpandingDims(module, getAnalysis<ShapeAnalysis>());
    if (failed(changeOrRestore(module,
                               "a program that symshape-insert-guards accepts",
                               [&] { return lower(lowering, ops); })))
      signalPassFailure();
  }

private:
  LogicalResult lower(TosaLowering &lowering, ArrayRef<Operation *> ops) {
    ModuleOp module = getOperation();
    for (Operation *op : ops)
      lowering.lower(op);
    for (auto function : module.getOps<func::FuncOp>())
      lowerBoundary(lowering, function);
    eraseShapes();
    module.walk(refineTranspose);
    // Ops of tosa are neither legal nor illegal: what stays is told below.
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal(
        [](Operation *op) { return !isTosa(op); });
    target.addDynamicallyLegalDialect<tosa::TosaDialect>(
        [](Operation *) -> std::optional<bool> { return std::nullopt; });
    if (failed(applySoundConversion(module, target, lowering.otherPatterns)))
      return failure();
    bool isLowered = true;
    module.walk([&](Operation *op) {
      if (!isTosa(op))
        return;
      findPlaced(op)->emitError()
          << "expected an op that symshape can lower, but got '"
          << op->getName() << "'";
      isLowered = false;
    });
    return success(isLowered);
  }

  static LogicalResult verifyAll(ArrayRef<Operation *> ops) {
    return success(llvm::all_of(
        ops, [](Operation *op) { return succeeded(verifyTosa(op)); }));
  }

  /// Ops of tosa compute shapes where they are used, or for a function to give.
  LogicalResult verifyShapes() {
    auto isShape = [](Type type) { return isa<tosa::shapeType>(type); };
    auto result = getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool takes = llvm::any_of(op->getOperandTypes(), isShape),
           gives = llvm::any_of(op->getResultTypes(), isShape);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          gives |= llvm::any_of(block.getArgumentTypes(), isShape);
      if ((!takes && !gives) || isTosa(op) ||
          (isa<func::ReturnOp>(op) && !gives))
        return WalkResult::advance();
      findPlaced(op)->emitError()
          << "expected shapes to be computed where they are used, but '"
          << op->getName() << "' carries one";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Shapes that a function gives become tensors of indices.
  static void lowerBoundary(TosaLowering &lowering, func::FuncOp function) {
    SmallVector<Type> results;
    for (Type type : function.getResultTypes()) {
      auto shape = dyn_cast<tosa::shapeType>(type);
      results.push_back(
          shape ? RankedTensorType::get(shape.getRank(),
                                        IndexType::get(function.getContext()))
                : type);
    }
    function.walk([&](func::ReturnOp op) {
      lowering.b.setInsertionPoint(op);
      for (OpOperand &operand : op->getOpOperands()) {
        Type type = results[operand.getOperandNumber()];
        if (operand.get().getType() == type)
          continue;
        if (Value tensor = lowering.shapes.makeTensor(
                lowering.b, cast<RankedTensorType>(type), operand.get()))
          operand.set(tensor);
      }
    });
    function.setType(FunctionType::get(function.getContext(),
                                       function.getArgumentTypes(), results));
  }

  /// Shapes that nobody asks for any more, users first.
  void eraseShapes() {
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isTosa(op) && isOpTriviallyDead(op))
            op->erase();
        });
  }
};
} // namespace
