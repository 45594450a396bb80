//===- WidenSums.cpp - Sums of bf16 and f16 are formed in f32 -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops whose sums no program writes out: each gets operands and results of f32
// between conversions, which are fused into it later. Not for: bodies of
// linalg.generic and the like, which say in which type they compute; products
// of matrices, which form sums in f32 when they are lowered.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/IR/ResampleOps.h"
#include "symshape/IR/SumType.h"
#include "symshape/IR/SymShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_WIDENSUMSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// A tensor of sums instead of one of small floats; other types as they are.
static Type inSumType(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor ? tensor.clone(getSumType(tensor.getElementType())) : type;
}

static Value inSumType(OpBuilder &b, Value v) {
  Type type = inSumType(v.getType());
  return type == v.getType() ? v
                             : arith::ExtFOp::create(b, v.getLoc(), type, v);
}

/// Replaces `op` by a copy between conversions.
static void computeInSumType(RewriterBase &b, Operation *op) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, inSumType(b, operand));
  Operation *copy = b.clone(*op, mapping);
  SmallVector<Value> results;
  for (Value result : copy->getResults()) {
    Type given = result.getType(), wide = inSumType(given);
    result.setType(wide);
    results.push_back(wide == given ? result
                                    : arith::TruncFOp::create(b, op->getLoc(),
                                                              given, result));
  }
  b.replaceOp(op, results);
}

/// The destination of a softmax only says extents.
static void computeInSumType(RewriterBase &b, linalg::SoftmaxOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(inSumType(op.getOutput().getType()));
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, op.getOutput()),
      type.getElementType());
  if (empty.getType() != type)
    empty = tensor::CastOp::create(b, loc, type, empty);
  auto softmax = linalg::SoftmaxOp::create(
      b, loc, type, inSumType(b, op.getInput()), empty, op.getDimension());
  b.replaceOpWithNewOp<arith::TruncFOp>(op, op->getResult(0).getType(),
                                        softmax->getResult(0));
}

/// Whether the body of an op that has a name adds up small floats.
static bool sumsUp(linalg::LinalgOp op) {
  if (isa<linalg::GenericOp, linalg::ReduceOp, linalg::MapOp>(
          op.getOperation()) ||
      linalg::isaContractionOpInterface(op) || !op.hasPureTensorSemantics() ||
      op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return false;
  Value out = op.getBlock()->getArguments().back();
  return isSmallFloat(out.getType()) && op.getBlock()
                                            ->getTerminator()
                                            ->getOperand(0)
                                            .getDefiningOp<arith::AddFOp>();
}

/// The op as one with a body that computes in f32, from operands that stay.
static void computeInSumType(RewriterBase &b, linalg::LinalgOp named) {
  linalg::GenericOp op = *linalg::generalizeNamedOp(b, named);
  Value init = op.getDpsInits().front();
  Type given = init.getType(), wide = inSumType(init.getType());
  b.setInsertionPoint(op);
  op.getOutputsMutable().assign(inSumType(b, init));
  op.getResult(0).setType(wide);
  Block &body = *op.getBlock();
  b.setInsertionPointToStart(&body);
  body.getArguments().back().setType(getSumType(getElementTypeOrSelf(given)));
  SmallVector<Operation *> ops(
      llvm::make_pointer_range(body.without_terminator()));
  for (BlockArgument in : body.getArguments().drop_back())
    if (isSmallFloat(in.getType())) {
      auto number =
          arith::ExtFOp::create(b, in.getLoc(), getSumType(in.getType()), in);
      b.replaceAllUsesExcept(in, number, number);
    }
  for (Operation *each : ops) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(each) &&
        each->getOperand(0).getType() ==
            getSumType(each->getResult(0).getType()))
      b.replaceOp(each, each->getOperand(0)); // it is wide already
    else
      for (Value result : each->getResults())
        result.setType(getSumType(result.getType()));
  }
  b.setInsertionPointAfter(op);
  auto rounded =
      arith::TruncFOp::create(b, op.getLoc(), given, op.getResult(0));
  b.replaceAllUsesExcept(op.getResult(0), rounded, rounded);
}

namespace {
struct WidenSumsPass : symshape::impl::WidenSumsPassBase<WidenSumsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) { ops.push_back(op); });
    IRRewriter b(&getContext());
    for (Operation *op : ops) {
      b.setInsertionPoint(op);
      auto scatter = dyn_cast<ScatterOp>(op);
      bool combines = scatter && (scatter.getCombiner() == Combiner::Add ||
                                  scatter.getCombiner() == Combiner::Mul);
      auto resample = dyn_cast<ResampleOp>(op);
      if (combines || isa<CumsumOp>(op) ||
          (resample && !resample.getWeights().empty())) {
        if (inSumType(op->getResult(0).getType()) != op->getResult(0).getType())
          computeInSumType(b, op);
      } else if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op)) {
        if (softmax.hasPureTensorSemantics() &&
            isSmallFloat(getElementTypeOrSelf(softmax.getOutput())))
          computeInSumType(b, softmax);
      } else if (auto named = dyn_cast<linalg::LinalgOp>(op);
                 named && sumsUp(named)) {
        computeInSumType(b, named);
      }
    }
  }
};
} // namespace
