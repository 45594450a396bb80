//===- ParallelizeLoops.cpp - Parallel loops as calls of the runtime ------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves the body of each parallel loop to a function of a range of iterations,
// and calls symshape_rt_parallel with it. What the body uses from outside goes
// through a struct on the stack. Not for: deciding which loops are parallel.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "Arithmetic.h"
#include "CallCost.h"
#include "NestedModules.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_PARALLELIZELOOPSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static constexpr StringLiteral runtimeName = "symshape_rt_parallel";
/// The assumed cost of a call, in ops, if its function does not say.
static constexpr int64_t guessedCall = 4096;
/// The assumed value of a number that the body computes.
static constexpr int64_t guessedNumber = 8;

/// ceil((upper - lower) / step), or 0 if that is negative.
static Value emitTrips(OpBuilder &builder, Location loc, Value lower,
                       Value upper, Value step) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value span = arith::SubIOp::create(builder, loc, upper, lower);
  span = arith::MaxSIOp::create(builder, loc, span, zero);
  return arith::CeilDivUIOp::create(builder, loc, span, step);
}

namespace {
/// Emits before a loop about how many ops one of its iterations executes.
class CostEmitter : Arithmetic {
public:
  CostEmitter(OpBuilder &builder, scf::ParallelOp loop)
      : Arithmetic(builder, loop.getLoc()), builder(builder), loop(loop) {}
  Value emit(Block &block);

private:
  Value emitNumber(Value value);
  Value emitTripsInside(ValueRange lower, ValueRange upper, ValueRange step);
  Value emitCall(CallOpInterface call);
  OpBuilder &builder;
  scf::ParallelOp loop;
};
} // namespace

/// A number of the body, of index or integer type, as an index before the loop:
/// itself, what it is at most, or null.
Value CostEmitter::emitNumber(Value value) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return index(*known);
  if (loop.isDefinedOutsideOfLoop(value))
    return value.getType().isIndex()
               ? value
               : arith::IndexCastOp::create(builder, loop.getLoc(),
                                            builder.getIndexType(), value);
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::MinSIOp, arith::MinUIOp, arith::IndexCastOp>(op))
    for (Value operand : op->getOperands())
      if (Value number = emitNumber(operand))
        return number;
  return nullptr;
}

Value CostEmitter::emitTripsInside(ValueRange lower, ValueRange upper,
                                   ValueRange step) {
  Value trips = index(1);
  for (auto [from, to, by] : llvm::zip(lower, upper, step)) {
    Value begin = emitNumber(from), end = emitNumber(to),
          stride = emitNumber(by);
    Value count = begin && end && stride
                      ? emitTrips(builder, loop.getLoc(), begin, end, stride)
                      : index(guessedNumber);
    trips = multiply(trips, count);
  }
  return trips;
}

Value CostEmitter::emitCall(CallOpInterface call) {
  auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
  auto said = callee ? callee->getAttrOfType<DenseI64ArrayAttr>(callCostName)
                     : DenseI64ArrayAttr();
  if (!said)
    return index(guessedCall);
  Value cost = index(said[0]);
  for (int64_t argument : said.asArrayRef().drop_front()) {
    Value number = emitNumber(call.getArgOperands()[argument]);
    cost = multiply(cost, number ? number : index(guessedNumber));
  }
  return cost;
}

Value CostEmitter::emit(Block &block) {
  int64_t ops = 0;
  Value total = index(0);
  for (Operation &op : block) {
    if (matchPattern(&op, m_Constant()) || op.hasTrait<OpTrait::IsTerminator>())
      continue;
    ++ops;
    if (auto call = dyn_cast<CallOpInterface>(op))
      total = add(total, emitCall(call));
    Value trips = index(1);
    if (auto inner = dyn_cast<scf::ForOp>(op))
      trips = emitTripsInside(inner.getLowerBound(), inner.getUpperBound(),
                              inner.getStep());
    else if (auto inner = dyn_cast<scf::ParallelOp>(op))
      trips = emitTripsInside(inner.getLowerBound(), inner.getUpperBound(),
                              inner.getStep());
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        total = add(total, multiply(trips, emit(inner)));
  }
  return add(total, index(ops));
}

namespace {
/// Rewrites the loops of one module.
class LoopOutliner {
public:
  LoopOutliner(ModuleOp module, int64_t minWork)
      : module(module), symbols(module), minWork(minWork),
        options(module.getContext(), DataLayout(module)),
        converter(module.getContext(), options), builder(module.getContext()) {}

  /// Whether the name of the runtime's function is free for it.
  LogicalResult verifyName();
  void declare();
  void outline(scf::ParallelOp loop);

private:
  Type pointerType() { return LLVM::LLVMPointerType::get(module.getContext()); }
  bool collectCaptures(scf::ParallelOp loop);
  Value emitContext(scf::ParallelOp loop);
  Value emitGrain(scf::ParallelOp loop);
  func::FuncOp makeBody(scf::ParallelOp loop, ValueRange trips);
  void loadContext(Value context, IRMapping &mapping);
  Value emitField(Location loc, Value context, int32_t number);

  ModuleOp module;
  SymbolTable symbols;
  int64_t minWork;
  LowerToLLVMOptions options;
  LLVMTypeConverter converter;
  OpBuilder builder;
  LLVM::LLVMFuncOp runtime;
  /// For the current loop: what the body uses from outside except constants,
  /// and the struct that holds it.
  SmallVector<Value> captures, constants;
  LLVM::LLVMStructType contextType;
};
} // namespace

LogicalResult LoopOutliner::verifyName() {
  Operation *existing = symbols.lookup(runtimeName);
  runtime = dyn_cast_or_null<LLVM::LLVMFuncOp>(existing);
  if (existing && !(runtime && runtime.isExternal()))
    return existing->emitError("expected no definition of '")
           << runtimeName << "', the name is the runtime's";
  return success();
}

void LoopOutliner::declare() {
  if (runtime)
    return;
  Type i64 = builder.getI64Type();
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()),
                                  {pointerType(), pointerType(), i64, i64});
  builder.setInsertionPointToStart(module.getBody());
  runtime =
      LLVM::LLVMFuncOp::create(builder, module.getLoc(), runtimeName, type);
  symbols.insert(runtime);
}

/// False if a captured value has no form in memory.
bool LoopOutliner::collectCaptures(scf::ParallelOp loop) {
  captures.clear();
  constants.clear();
  SetVector<Value> used;
  getUsedValuesDefinedAbove(loop.getRegion(), loop.getRegion(), used);
  // The function computes indices itself.
  for (ValueRange bounds : {loop.getLowerBound(), loop.getStep()})
    used.insert(bounds.begin(), bounds.end());
  SmallVector<Type> types;
  for (Value value : used) {
    if (matchPattern(value, m_Constant())) {
      constants.push_back(value);
      continue;
    }
    Type type = converter.convertType(value.getType());
    if (!type)
      return false;
    captures.push_back(value);
    types.push_back(type);
  }
  contextType = LLVM::LLVMStructType::getLiteral(module.getContext(), types);
  return true;
}

Value LoopOutliner::emitField(Location loc, Value context, int32_t number) {
  return LLVM::GEPOp::create(builder, loc, pointerType(), contextType, context,
                             ArrayRef<LLVM::GEPArg>{0, number});
}

/// The struct of captured values, filled; one per loop in the IR, in the entry
/// block of the function, so that an enclosing loop reuses it.
Value LoopOutliner::emitContext(scf::ParallelOp loop) {
  Location loc = loop.getLoc();
  Value context;
  {
    OpBuilder::InsertionGuard guard(builder);
    auto function = loop->getParentOfType<func::FuncOp>();
    builder.setInsertionPointToStart(&function.getBody().front());
    Value one = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), 1);
    context =
        LLVM::AllocaOp::create(builder, loc, pointerType(), contextType, one);
  }
  for (auto [number, value] : llvm::enumerate(captures)) {
    Type type = contextType.getBody()[number];
    Value stored = value;
    if (stored.getType() != type)
      stored = UnrealizedConversionCastOp::create(builder, loc, type, stored)
                   .getResult(0);
    LLVM::StoreOp::create(builder, loc, stored,
                          emitField(loc, context, number));
  }
  return context;
}

void LoopOutliner::loadContext(Value context, IRMapping &mapping) {
  Location loc = context.getLoc();
  for (Value value : constants)
    mapping.map(value, builder.clone(*value.getDefiningOp())->getResult(0));
  for (auto [number, value] : llvm::enumerate(captures)) {
    Type type = contextType.getBody()[number];
    Value loaded = LLVM::LoadOp::create(builder, loc, type,
                                        emitField(loc, context, number));
    if (value.getType() != type)
      loaded = UnrealizedConversionCastOp::create(builder, loc, value.getType(),
                                                  loaded)
                   .getResult(0);
    mapping.map(value, loaded);
  }
}

/// How many iterations are worth a thread of their own.
Value LoopOutliner::emitGrain(scf::ParallelOp loop) {
  Location loc = loop.getLoc();
  Value cost = CostEmitter(builder, loop).emit(*loop.getBody());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  cost = arith::MaxSIOp::create(builder, loc, cost, one);
  Value work = arith::ConstantIndexOp::create(builder, loc, minWork);
  return arith::CeilDivUIOp::create(builder, loc, work, cost);
}

/// Moves what `loop`, all of whose iterations run on one thread, has on the
/// stack before it: memory of an iteration would be given back only when the
/// function returns.
static void hoistStack(scf::ForOp loop) {
  SmallVector<memref::AllocaOp> allocas;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::ParallelOp>(op)) // may run on others
      return WalkResult::skip();
    auto alloca = dyn_cast<memref::AllocaOp>(op);
    if (alloca && alloca->getNumOperands() == 0)
      allocas.push_back(alloca);
    return WalkResult::advance();
  });
  for (memref::AllocaOp alloca : allocas)
    alloca->moveBefore(loop);
}

/// A function of the context and a range of the iterations, numbered from 0
/// with the last dimension fastest. The context holds the trips of all but the
/// first dimension.
func::FuncOp LoopOutliner::makeBody(scf::ParallelOp loop, ValueRange trips) {
  Location loc = loop.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  auto parent = loop->getParentOfType<func::FuncOp>();
  builder.setInsertionPointAfter(parent);
  Type i64 = builder.getI64Type(), index = builder.getIndexType();
  auto function = func::FuncOp::create(
      builder, loc, (parent.getName() + "_parallel").str(),
      builder.getFunctionType({pointerType(), i64, i64}, {}));
  function.setPrivate();
  function->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(module.getContext(), LLVM::Linkage::Internal));
  symbols.insert(function);
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  IRMapping mapping;
  loadContext(entry->getArgument(0), mapping);
  Value bounds[2];
  for (int i = 0; i < 2; ++i)
    bounds[i] = arith::IndexCastOp::create(builder, loc, index,
                                           entry->getArgument(i + 1));
  Value step = arith::ConstantIndexOp::create(builder, loc, 1);
  auto range = scf::ForOp::create(builder, loc, bounds[0], bounds[1], step);
  func::ReturnOp::create(builder, loc);
  builder.setInsertionPointToStart(range.getBody());
  Value rest = range.getInductionVar();
  for (size_t dim = trips.size(); dim-- > 0;) {
    Value number = rest;
    if (dim > 0) {
      Value count = mapping.lookup(trips[dim]);
      number = arith::RemUIOp::create(builder, loc, rest, count);
      rest = arith::DivUIOp::create(builder, loc, rest, count);
    }
    Value offset = arith::MulIOp::create(builder, loc, number,
                                         mapping.lookup(loop.getStep()[dim]));
    Value iv = arith::AddIOp::create(
        builder, loc, mapping.lookup(loop.getLowerBound()[dim]), offset);
    mapping.map(loop.getInductionVars()[dim], iv);
  }
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
  hoistStack(range);
  return function;
}

void LoopOutliner::outline(scf::ParallelOp loop) {
  if (!collectCaptures(loop))
    return;
  Location loc = loop.getLoc();
  builder.setInsertionPoint(loop);
  SmallVector<Value> trips;
  Value count = arith::ConstantIndexOp::create(builder, loc, 1);
  for (auto [lower, upper, step] :
       llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
    trips.push_back(emitTrips(builder, loc, lower, upper, step));
    count = arith::MulIOp::create(builder, loc, count, trips.back());
  }
  SmallVector<Type> types(contextType.getBody());
  for (Value value : llvm::drop_begin(trips)) {
    captures.push_back(value);
    types.push_back(builder.getI64Type());
  }
  contextType = LLVM::LLVMStructType::getLiteral(module.getContext(), types);
  Value grain = emitGrain(loop);
  Value context = emitContext(loop);
  func::FuncOp body = makeBody(loop, trips);
  Type i64 = builder.getI64Type();
  Value function = func::ConstantOp::create(
      builder, loc, body.getFunctionType(), body.getName());
  function =
      UnrealizedConversionCastOp::create(builder, loc, pointerType(), function)
          .getResult(0);
  count = arith::IndexCastOp::create(builder, loc, i64, count);
  grain = arith::IndexCastOp::create(builder, loc, i64, grain);
  LLVM::CallOp::create(builder, loc, runtime,
                       ValueRange{function, context, count, grain});
  loop.erase();
}

namespace {
struct ParallelizeLoopsPass
    : symshape::impl::ParallelizeLoopsPassBase<ParallelizeLoopsPass> {
  using ParallelizeLoopsPassBase::ParallelizeLoopsPassBase;

  /// Those of a module that are in no module inside of it.
  LogicalResult outlineLoops(ModuleOp module) {
    SmallVector<scf::ForallOp> foralls = findOwn<scf::ForallOp>(module);
    llvm::erase_if(foralls,
                   [](scf::ForallOp op) { return op.getNumResults() != 0; });
    LoopOutliner outliner(module, minWork);
    if ((!foralls.empty() || !findOwn<scf::ParallelOp>(module).empty()) &&
        failed(outliner.verifyName()))
      return failure();
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp op : foralls) // fails only for results
      (void)scf::forallToParallelLoop(rewriter, op);
    SmallVector<scf::ParallelOp> loops;
    module.walk<WalkOrder::PreOrder>([&](scf::ParallelOp op) {
      auto function = op->getParentOfType<func::FuncOp>();
      if (op.getNumReductions() == 0 && function &&
          function->getParentOp() == module)
        loops.push_back(op);
      return WalkResult::skip(); // what is inside runs on one thread
    });
    if (loops.empty())
      return success();
    outliner.declare();
    for (scf::ParallelOp loop : loops)
      outliner.outline(loop);
    return success();
  }

  void runOnOperation() override {
    if (minWork < 1) {
      emitError(getOperation()->getLoc())
          << "expected min-work of at least 1, but got " << int64_t(minWork);
      return signalPassFailure();
    }
    for (ModuleOp module : withNestedModules(getOperation()))
      if (failed(outlineLoops(module)))
        return signalPassFailure();
    getOperation().walk(
        [](FunctionOpInterface op) { op->removeAttr(callCostName); });
  }
};
} // namespace
