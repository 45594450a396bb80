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
#include "ExtentAnalysis.h"
#include "PassCounters.h"

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

static constexpr llvm::StringLiteral kMemoryCategory = "symshape-plan-memory";

// A size that the runtime refuses to allocate, like all above it.
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
  /// The value of a size, cut off at what the allocator refuses.
  Value emitSize(ExprEmitter &emitter, Expr bytes);
  Value emitWhereReached(ExprEmitter &emitter, const Reach &reach, Value size,
                         Value zero);
  Value largestEnd(ArrayRef<unsigned> buffers);
  void emitPlaces();
  void makeArena();
  void remarkOn(const PlannedBuffer &buffer);
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
  SmallVector<Value> sizes, offsets, ends; ///< of each buffer
};
} // namespace

Value PlanApplier::emitSize(ExprEmitter &emitter, Expr bytes) {
  ExprArena &exprs = shapes.arena();
  return emitter.emitIndex(exprs.min(bytes, exprs.constant(tooManyBytes)));
}

/// `size`, or 0 in a call that does not reach what needs it.
Value PlanApplier::emitWhereReached(ExprEmitter &emitter, const Reach &reach,
                                    Value size, Value zero) {
  Location loc = shapes.function().getLoc();
  auto select = [&](Value condition, bool isTrue) {
    size = arith::SelectOp::create(builder, loc, condition,
                                   isTrue ? size : zero, isTrue ? zero : size);
  };
  if (!reach.condition.isTrue())
    select(emitter.emitCondition(reach.condition, /*whenUndecided=*/true),
           true);
  for (auto [condition, isTrue] : reach.branches)
    select(condition, isTrue);
  return size;
}

Value PlanApplier::largestEnd(ArrayRef<unsigned> buffers) {
  Value result;
  for (unsigned number : buffers)
    result = result
                 ? arith::MaxSIOp::create(builder, shapes.function().getLoc(),
                                          result, ends[number])
                       .getResult()
                 : ends[number];
  return result;
}

/// Computes where each buffer begins and ends, from below to above: one sum per
/// buffer, and no expression twice. No sum wraps: a size counts as 2^48 at
/// most, and so does an end if there are 2^14 of them or more. If a size or a
/// sum was cut off, the arena cannot be allocated.
void PlanApplier::emitPlaces() {
  Location loc = shapes.function().getLoc();
  size_t count = plan.buffers.size();
  sizes.resize(count);
  offsets.resize(count);
  ends.resize(count);
  ExprEmitter emitter = emitterFor(shapes, builder, loc);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), limit;
  if (count >= (size_t(1) << 14))
    limit = arith::ConstantIndexOp::create(builder, loc, tooManyBytes);
  DenseMap<Expr, Value> known;
  for (unsigned number : plan.upwards) {
    const PlannedBuffer &buffer = plan.buffers[number];
    Value &whole = known[buffer.bytes];
    if (!whole)
      whole = emitSize(emitter, buffer.bytes);
    Value size = emitWhereReached(emitter, buffer.reach, whole, zero);
    sizes[number] = size;
    Value below = largestEnd(buffer.below);
    offsets[number] = below ? below : zero;
    Value end = below ? arith::AddIOp::create(builder, loc, below, size) : size;
    ends[number] =
        limit ? arith::MinSIOp::create(builder, loc, end, limit) : end;
  }
}

/// An argument, or an allocation: a buffer that is freed like any other.
void PlanApplier::makeArena() {
  func::FuncOp function = shapes.function();
  Location loc = function.getLoc();
  if (plan.isFromCaller) {
    unsigned number = function.getNumArguments();
    (void)function.insertArgument(number, arenaType, {}, loc);
    arena = function.getArgument(number);
    return;
  }
  Value size = largestEnd(plan.top);
  if (!size)
    size = arith::ConstantIndexOp::create(builder, loc, 0);
  Value limit = arith::ConstantIndexOp::create(builder, loc, tooManyBytes);
  size = arith::MinSIOp::create(builder, loc, size, limit);
  arena = memref::AllocOp::create(builder, loc, arenaType, size,
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
  Value size = emitSize(emitter, plans.lookup(callee)->bytes);
  Value own =
      memref::AllocOp::create(builder, loc, arenaType, size,
                              builder.getI64IntegerAttr(kBufferAlignment));
  call.getOperandsMutable().append(own);
}

void PlanApplier::remarkOn(const PlannedBuffer &buffer) {
  // The text of an offset can be long: made only if somebody asks for it.
  auto remark = remark::passed(
      buffer.op->getLoc(),
      remark::RemarkOpts::name("arena").category(kMemoryCategory));
  if (!remark)
    return;
  std::string text = spellOverArguments(shapes, buffer.bytes) + " bytes at " +
                     spellOverArguments(shapes, buffer.offset);
  auto spell = [&](Expr e) { return spellOverArguments(shapes, e); };
  if (std::string reserved = describeReserved(buffer, spell); !reserved.empty())
    text += "; " + reserved;
  remark << text;
}

void PlanApplier::run() {
  for (const UnplannedBuffer &buffer : plan.heap) {
    remark::missed(buffer.op->getLoc(),
                   remark::RemarkOpts::name("heap").category(kMemoryCategory))
        << buffer.reason;
    if (auto call = dyn_cast<func::CallOp>(buffer.op))
      allocateFor(call);
  }
  if (plan.buffers.empty())
    return;
  for (Operation *op : plan.early)
    op->moveBefore(plan.place);
  builder.setInsertionPoint(plan.place);
  // All made before any op is replaced.
  emitPlaces();
  makeArena();
  for (auto [number, buffer] : llvm::enumerate(plan.buffers)) {
    remarkOn(buffer);
    if (auto call = dyn_cast<func::CallOp>(buffer.op))
      placeCall(call, offsets[number], sizes[number]);
    else
      placeAlloc(cast<memref::AllocOp>(buffer.op), offsets[number]);
  }
}

void mlir::symshape::applyMemoryPlan(const ModuleMemoryPlan &plans,
                                     ShapeAnalysis &analysis) {
  for (const auto &[function, plan] : plans.all())
    PlanApplier(plans, analysis, *analysis.lookup(function), plan).run();
}

/// Whether `op` may get a place in an arena: an allocation, or a call of what
/// allocates or calls something in its turn. Kernels, called in the innermost
/// loops, do neither, and nobody asks what they are called with.
static bool hasPlace(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return isa<memref::AllocOp>(op);
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  return callee && callee
                       .walk([](Operation *inside) {
                         return isa<memref::AllocOp, func::CallOp>(inside)
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
}

namespace {
struct PlanMemoryPass : symshape::impl::PlanMemoryPassBase<PlanMemoryPass> {
  void runOnOperation() override {
    CountQuestions questions(*this, numAsked, numNew);
    ExtentAnalysis extents(getOperation(), getCachedAnalysis<ShapeAnalysis>(),
                           ShapeAnalysisOptions::forExtents(&hasPlace));
    ShapeAnalysis &analysis = extents.get();
    ModuleMemoryPlan plans(getOperation(), analysis);
    applyMemoryPlan(plans, analysis);
  }
};
} // namespace
