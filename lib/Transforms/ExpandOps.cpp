//===- ExpandOps.cpp - Ops of the dialect as arith ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/ExpandOps.h"
#include "CheckEmitter.h"
#include "ExtentAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "symshape/IR/Diagnostics.h"
#include "symshape/IR/Places.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/Passes.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_EXPANDOPSPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The values of the names of an op's text: its operands, then symbols.
template <typename OpT>
static ExprEmitter emitterOf(OpT op, FunctionShapes &shapes,
                             OpBuilder &builder) {
  llvm::DenseMap<Expr, Value> operands;
  for (auto [name, operand] : llvm::zip(op.getNames(), op.getOperands()))
    operands[shapes.arena().symbol(name)] = operand;
  auto symbols = std::make_shared<SymbolValues>(shapes, builder, op.getLoc());
  auto valueOf = [operands, symbols](Expr symbol) -> Value {
    if (Value operand = operands.lookup(symbol))
      return operand;
    return (*symbols)(symbol);
  };
  auto rangeOf = [operands, &shapes](Expr symbol) {
    // An operand may have any value; a symbol of the signature has its range.
    if (operands.count(symbol))
      return symshape::Range::between(INT64_MIN, INT64_MAX);
    return shapes.entryFacts().info(symbol).range;
  };
  return ExprEmitter(builder, op.getLoc(), valueOf, rangeOf);
}

/// Whether each name of an op's text that is not one of its operands has a
/// value before it; if not, an error says so.
template <typename OpT>
static LogicalResult verifyNames(OpT op, StringRef text,
                                 FunctionShapes &shapes) {
  DominanceInfo dominance;
  SmallVector<StringRef> names = op.getNames();
  for (StringRef name : llvm::drop_begin(names, op.getNumOperands()))
    if (!isKnownBefore(shapes, dominance, shapes.arena().symbol(name), op))
      return op.emitError()
             << "expected a value for each symbol, but got '" << text << "'";
  return success();
}

static void expandSize(SizeOp op, FunctionShapes &shapes) {
  OpBuilder builder(op);
  op.replaceAllUsesWith(emitterOf(op, shapes, builder)
                            .emitIndex(op.getParsedExpression(shapes.arena())));
  op.erase();
}

/// Whether it says that a computed condition holds, of which there is no more
/// to tell.
static bool isTruth(AssertOp op, const Relation &relation) {
  if (relation.kind != Relation::Ne || op->getNumOperands() != 1)
    return false;
  auto cast = op->getOperand(0).getDefiningOp<arith::IndexCastUIOp>();
  return cast && cast.getIn().getType().isInteger(1);
}

static void expandAssert(AssertOp op, FunctionShapes &shapes) {
  OpBuilder builder(op);
  Relation relation = op.getParsedRelation(shapes.arena());
  Value holds = emitterOf(op, shapes, builder).emitCondition(relation);
  FailMessage message(shapes.function());
  message << "assert failed: " << op.getMessage();
  if (!isTruth(op, relation))
    message << ": " << op.getRelation() << ", but got " << relation.lhs
            << " and " << relation.rhs;
  message << "\n  needed by " << describeOpAndPlace(op);
  if (auto triple = op->getAttrOfType<StringAttr>(kTriple))
    message << "\nsymshape: " << triple.getValue();
  OpBuilder inside = branchUnless(builder, op.getLoc(), holds);
  ExprEmitter cold = emitterOf(op, shapes, inside);
  message.emit(inside, op.getLoc(), &cold);
  op.erase();
}

static void expandControlFlowAssert(cf::AssertOp op) {
  OpBuilder builder(op);
  FailMessage message(op->getParentOfType<func::FuncOp>());
  message << "assert failed: " << op.getMsg() << "\n  needed by "
          << describeOpAndPlace(op);
  OpBuilder inside = branchUnless(builder, op.getLoc(), op.getArg());
  message.emit(inside, op.getLoc());
  op.erase();
}

LogicalResult mlir::symshape::expandOps(ModuleOp module,
                                        const ShapeAnalysis &analysis) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<SizeOp, AssertOp, cf::AssertOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    FunctionShapes *shapes = analysis.lookup(op);
    if (isa<cf::AssertOp>(op))
      continue;
    if (!shapes)
      return op->emitOpError("expected to be inside of a func.func");
    auto size = dyn_cast<SizeOp>(op);
    if (failed(size ? verifyNames(size, size.getExpression(), *shapes)
                    : verifyNames(cast<AssertOp>(op),
                                  cast<AssertOp>(op).getRelation(), *shapes)))
      return failure();
  }
  for (Operation *op : ops) {
    FunctionShapes *shapes = analysis.lookup(op);
    if (auto size = dyn_cast<SizeOp>(op))
      expandSize(size, *shapes);
    else if (auto assertion = dyn_cast<AssertOp>(op))
      expandAssert(assertion, *shapes);
    else if (shapes)
      expandControlFlowAssert(cast<cf::AssertOp>(op));
  }
  eraseShapeCarriers(module);
  // It says no more than those, and buffer deallocation refuses an op whose
  // effects it does not know.
  module.walk([](LLVM::AssumeOp op) { op.erase(); });
  return success();
}

namespace {
struct ExpandOpsPass : symshape::impl::ExpandOpsPassBase<ExpandOpsPass> {
  void runOnOperation() override {
    ExtentAnalysis analysis(getOperation(), getCachedAnalysis<ShapeAnalysis>());
    if (failed(expandOps(getOperation(), analysis.get())))
      return signalPassFailure();
    remark::passed(
        getOperation().getLoc(),
        remark::RemarkOpts::name("facts").category("symshape-expand-ops"))
        << "erases what is said of shapes, and what checks establish is not "
           "known any more";
  }
};
} // namespace
