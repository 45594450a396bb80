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

namespace {
/// What the names of an op's text are read in.
struct Names {
  ExprArena &arena;
  /// Null if each name is an operand.
  FunctionShapes *shapes;
};
} // namespace

/// Whether each name of an op's text is one of its operands.
static bool isSelfContained(Operation *op) {
  if (auto size = dyn_cast<SizeOp>(op))
    return size.getNames().size() == op->getNumOperands();
  auto assertion = dyn_cast<AssertOp>(op);
  return !assertion || assertion.getNames().size() == op->getNumOperands();
}

/// The values of the names of an op's text: its operands, then symbols.
template <typename OpT>
static ExprEmitter emitterOf(OpT op, Names names, OpBuilder &builder) {
  llvm::DenseMap<Expr, Value> operands;
  for (auto [name, operand] : llvm::zip(op.getNames(), op.getOperands()))
    operands[names.arena.symbol(name)] = operand;
  std::shared_ptr<SymbolValues> symbols;
  if (names.shapes)
    symbols =
        std::make_shared<SymbolValues>(*names.shapes, builder, op.getLoc());
  auto valueOf = [operands, symbols](Expr symbol) -> Value {
    Value operand = operands.lookup(symbol);
    return operand || !symbols ? operand : (*symbols)(symbol);
  };
  auto rangeOf = [operands, shapes = names.shapes](Expr symbol) {
    // An operand may have any value; a symbol of the signature has its range.
    if (!shapes || operands.count(symbol))
      return symshape::Range::between(INT64_MIN, INT64_MAX);
    return shapes->entryFacts().info(symbol).range;
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

static void expandSize(SizeOp op, Names names) {
  OpBuilder builder(op);
  op.replaceAllUsesWith(emitterOf(op, names, builder)
                            .emitIndex(op.getParsedExpression(names.arena)));
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

static void expandAssert(AssertOp op, Names names) {
  OpBuilder builder(op);
  Relation relation = op.getParsedRelation(names.arena);
  Value holds = emitterOf(op, names, builder).emitCondition(relation);
  FailMessage message(op->getParentOfType<func::FuncOp>());
  message << "assert failed: " << op.getMessage();
  if (!isTruth(op, relation))
    message << ": " << op.getRelation() << ", but got " << relation.lhs
            << " and " << relation.rhs;
  message << "\n  needed by " << describeOpAndPlace(op);
  if (auto triple = op->getAttrOfType<StringAttr>(kTriple))
    message << "\nsymshape: " << triple.getValue();
  OpBuilder inside = branchUnless(builder, op.getLoc(), holds);
  ExprEmitter cold = emitterOf(op, names, inside);
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

/// Whether each name of each op has a value; if not, an error says so.
static LogicalResult
verifyAllNames(ArrayRef<Operation *> ops,
               llvm::function_ref<FunctionShapes *(Operation *)> shapesOf) {
  for (Operation *op : ops) {
    if (isa<cf::AssertOp>(op))
      continue;
    if (!op->getParentOfType<func::FuncOp>())
      return op->emitOpError("expected to be inside of a func.func");
    FunctionShapes *shapes = shapesOf(op);
    if (!shapes)
      continue;
    auto size = dyn_cast<SizeOp>(op);
    if (failed(size ? verifyNames(size, size.getExpression(), *shapes)
                    : verifyNames(cast<AssertOp>(op),
                                  cast<AssertOp>(op).getRelation(), *shapes)))
      return failure();
  }
  return success();
}

LogicalResult
mlir::symshape::expandOps(ModuleOp module,
                          llvm::function_ref<const ShapeAnalysis &()> analyze) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<SizeOp, AssertOp, cf::AssertOp>(op))
      ops.push_back(op);
  });
  ExprArena own;
  const ShapeAnalysis *analysis = nullptr;
  if (!llvm::all_of(ops, isSelfContained))
    analysis = &analyze();
  auto shapesOf = [&](Operation *op) {
    return isSelfContained(op) ? nullptr : analysis->lookup(op);
  };
  if (failed(verifyAllNames(ops, shapesOf)))
    return failure();
  for (Operation *op : ops) {
    FunctionShapes *shapes = shapesOf(op);
    Names names{shapes ? shapes->arena() : own, shapes};
    if (auto size = dyn_cast<SizeOp>(op))
      expandSize(size, names);
    else if (auto assertion = dyn_cast<AssertOp>(op))
      expandAssert(assertion, names);
    else if (op->getParentOfType<func::FuncOp>())
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
    if (failed(expandOps(getOperation(),
                         [&]() -> ShapeAnalysis & { return analysis.get(); })))
      return signalPassFailure();
    remark::passed(
        getOperation().getLoc(),
        remark::RemarkOpts::name("facts").category("symshape-expand-ops"))
        << "erases what is said of shapes, and what checks establish is not "
           "known any more";
  }
};
} // namespace
