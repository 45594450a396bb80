//===- PlanMemory.cpp - Buffers become parts of an arena ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries out the plans of a module: arenas are allocated or passed on, and
// allocations become views of them. What goes where is decided in
// MemoryPlan.cpp.
//
//===----------------------------------------------------------------------===//

#include "CheckEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "symshape/Transforms/MemoryPlan.h"
#include "symshape/Transforms/Passes.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static constexpr llvm::StringLiteral kCategory = "symshape-plan-memory";

// What the runtime refuses to allocate, as it refuses sizes above it.
static constexpr int64_t tooManyBytes = int64_t(1) << 48;

namespace {
/// Rewrites one function.
class PlanApplier {
public:
  PlanApplier(const ModuleMemoryPlan &plans, ShapeAnalysis &analysis,
              FunctionShapes &shapes, const MemoryPlan &plan)
      : plans(plans), analysis(analysis), shapes(shapes), plan(plan),
        builder(shapes.function().getContext()),
        arenaType(MemRefType::get(ShapedType::kDynamic, builder.getI8Type())) {}
  void run();

private:
  Value emit(Expr e, Location loc);
  Value makeArena();
  void placeAlloc(memref::AllocOp alloc, Value offset);
  void placeCall(func::CallOp call, Value offset, Value size);
  void allocateFor(func::CallOp call);

  const ModuleMemoryPlan &plans;
  ShapeAnalysis &analysis;
  FunctionShapes &shapes;
  const MemoryPlan &plan;
  OpBuilder builder;
  MemRefType arenaType;
  Value arena;
};
} // namespace

/// The value of `e` at the insertion point.
Value PlanApplier::emit(Expr e, Location loc) {
  return emitterFor(shapes, builder, loc).emitIndex(e);
}

/// An argument, or an allocation: a buffer that is freed like any other.
Value PlanApplier::makeArena() {
  func::FuncOp function = shapes.function();
  Location loc = function.getLoc();
  if (plan.isFromCaller) {
    unsigned number = function.getNumArguments();
    (void)function.insertArgument(number, arenaType, {}, loc);
    return function.getArgument(number);
  }
  ExprArena &exprs = shapes.arena();
  Value size = emit(exprs.min(plan.bytes, exprs.constant(tooManyBytes)), loc);
  return memref::AllocOp::create(builder, loc, arenaType, size,
                                 builder.getI64IntegerAttr(kBufferAlignment));
}

void PlanApplier::placeAlloc(memref::AllocOp alloc, Value offset) {
  builder.setInsertionPoint(alloc);
  Value view = memref::ViewOp::create(builder, alloc.getLoc(), alloc.getType(),
                                      arena, offset, alloc.getDynamicSizes());
  for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
    if (isa<memref::DeallocOp>(user))
      user->erase();
  alloc.replaceAllUsesWith(view);
  alloc.erase();
}

void PlanApplier::placeCall(func::CallOp call, Value offset, Value size) {
  builder.setInsertionPoint(call);
  Value part = memref::ViewOp::create(builder, call.getLoc(), arenaType, arena,
                                      offset, size);
  call.getOperandsMutable().append(part);
}

/// Gives a call that the plan leaves out an arena of its own.
void PlanApplier::allocateFor(func::CallOp call) {
  Location loc = call.getLoc();
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  FunctionShapes &inCallee = *analysis.lookup(callee);
  builder.setInsertionPoint(call);
  ExprEmitter emitter(
      builder, loc,
      [&](Expr symbol) -> Value {
        const SymbolDef *def = inCallee.definition(symbol);
        unsigned number = cast<BlockArgument>(def->value).getArgNumber();
        Value passed = call.getOperand(number);
        if (def->kind != SymbolDef::Dim)
          return passed;
        return memref::DimOp::create(builder, loc, passed, def->dim);
      },
      [&](Expr symbol) { return inCallee.entryFacts().info(symbol).range; });
  ExprArena &exprs = shapes.arena();
  Value size = emitter.emitIndex(
      exprs.min(plans.lookup(callee)->bytes, exprs.constant(tooManyBytes)));
  Value own =
      memref::AllocOp::create(builder, loc, arenaType, size,
                              builder.getI64IntegerAttr(kBufferAlignment));
  call.getOperandsMutable().append(own);
}

void PlanApplier::run() {
  for (const UnplannedBuffer &buffer : plan.heap) {
    remark::missed(buffer.op->getLoc(),
                   remark::RemarkOpts::name("heap").category(kCategory))
        << buffer.reason;
    if (auto call = dyn_cast<func::CallOp>(buffer.op))
      allocateFor(call);
  }
  if (plan.buffers.empty())
    return;
  builder.setInsertionPoint(plan.place);
  arena = makeArena();
  // Values of one place, all made before any op is replaced.
  SmallVector<std::pair<Value, Value>> places;
  for (const PlannedBuffer &buffer : plan.buffers) {
    Location loc = buffer.op->getLoc();
    Value offset = emit(buffer.offset, loc), size;
    if (isa<func::CallOp>(buffer.op))
      size = emit(buffer.bytes, loc);
    places.push_back({offset, size});
  }
  for (auto [buffer, place] : llvm::zip(plan.buffers, places)) {
    // The text of an offset can be long: made where somebody asks for it.
    if (auto remark = remark::passed(
            buffer.op->getLoc(),
            remark::RemarkOpts::name("arena").category(kCategory)))
      remark << (spellOverArguments(shapes, buffer.bytes) + " bytes at " +
                 spellOverArguments(shapes, buffer.offset));
    if (auto call = dyn_cast<func::CallOp>(buffer.op))
      placeCall(call, place.first, place.second);
    else
      placeAlloc(cast<memref::AllocOp>(buffer.op), place.first);
  }
}

void mlir::symshape::applyMemoryPlan(const ModuleMemoryPlan &plans,
                                     ShapeAnalysis &analysis) {
  for (const auto &[function, plan] : plans.all())
    PlanApplier(plans, analysis, *analysis.lookup(function), plan).run();
}

namespace {
struct PlanMemoryPass : symshape::impl::PlanMemoryPassBase<PlanMemoryPass> {
  void runOnOperation() override {
    ShapeAnalysis analysis(getOperation());
    ModuleMemoryPlan plans(getOperation(), analysis);
    applyMemoryPlan(plans, analysis);
  }
};
} // namespace
