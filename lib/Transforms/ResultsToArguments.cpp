//===- ResultsToArguments.cpp - Callers allocate results ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First everything is decided and the new allocations are emitted, then ops are
// replaced: what the analysis knows belongs to the ops that it saw.
//
//===----------------------------------------------------------------------===//

#include "CheckEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Pass/Pass.h"
#include "symshape/Analysis/ModuleCalls.h"
#include "symshape/Transforms/MemoryPlan.h"
#include "symshape/Transforms/Passes.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_RESULTSTOARGUMENTSPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The value of which `value` is a view with all its elements, in the same
/// order, without gaps.
static Value wholeOf(Value value) {
  while (isa_and_nonnull<memref::CastOp, memref::CollapseShapeOp,
                         memref::ExpandShapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Whether an allocation in a caller can take the place of a result.
static bool isPlainBuffer(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getLayout().isIdentity();
}

namespace {
class ResultMover {
public:
  /// `analyse` is called only if there is something to ask.
  ResultMover(ModuleOp module, llvm::function_ref<ShapeAnalysis &()> analyse)
      : module(module), analyse(analyse) {}
  /// Whether anything has changed.
  bool run();

private:
  void collect();
  Value rootOf(func::FuncOp function, unsigned result);
  bool isAllocatedHere(Value root);
  bool canAllocate(func::CallOp call, unsigned result);
  void keepOwnBuffers();
  bool hasCandidates() const;
  void allocateAt(func::CallOp call);
  void replaceCall(func::CallOp call);
  void replaceResults(func::FuncOp function, const BitVector &moved);

  ModuleOp module;
  llvm::function_ref<ShapeAnalysis &()> analyse;
  ShapeAnalysis *analysis = nullptr;
  /// The results of each function that its callers allocate.
  llvm::MapVector<func::FuncOp, BitVector> movedResults;
  SmallVector<func::CallOp> calls;    ///< of these functions
  DenseMap<Value, Value> allocations; ///< for results of calls
};
} // namespace

/// The functions whose calls are all known, and these calls.
void ResultMover::collect() {
  ModuleCalls all(module);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!all.areKnown(function) || all.isRecursive(function))
      continue;
    BitVector candidates(function.getNumResults());
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      if (isPlainBuffer(type))
        candidates.set(i);
    if (!candidates.any())
      continue;
    movedResults[function] = candidates;
    llvm::append_range(calls, all.callsOf(function));
  }
}

/// The one buffer that every return gives as this result; null if they differ.
Value ResultMover::rootOf(func::FuncOp function, unsigned result) {
  Value root;
  for (auto op : function.getBody().getOps<func::ReturnOp>()) {
    Value here = wholeOf(op.getOperand(result));
    if (root && root != here)
      return Value();
    root = here;
  }
  return root;
}

/// Whether the buffer is new in each run of its function.
bool ResultMover::isAllocatedHere(Value root) {
  auto result = dyn_cast_or_null<OpResult>(root);
  if (!result)
    return false;
  if (auto alloc = dyn_cast<memref::AllocOp>(result.getOwner()))
    return isPlainBuffer(alloc.getType()) && alloc.getSymbolOperands().empty();
  auto call = dyn_cast<func::CallOp>(result.getOwner());
  if (!call)
    return false;
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  auto it = movedResults.find(callee);
  return it != movedResults.end() && it->second.test(result.getResultNumber());
}

/// Whether the extents of the result are known before the call.
bool ResultMover::canAllocate(func::CallOp call, unsigned result) {
  FunctionShapes *shapes = analysis->lookup(call);
  if (!shapes)
    return false;
  Value buffer = call.getResult(result);
  DominanceInfo dominance(shapes->function());
  for (int64_t d = 0, e = cast<MemRefType>(buffer.getType()).getRank(); d < e;
       ++d)
    if (!isKnownBefore(*shapes, dominance, shapes->dim(buffer, d), call))
      return false;
  return true;
}

/// Removes candidates until each remaining one rests only on remaining ones.
void ResultMover::keepOwnBuffers() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[function, moved] : movedResults) {
      DenseMap<Value, unsigned> uses;
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        ++uses[rootOf(function, i)];
      for (unsigned i : moved.set_bits()) {
        Value root = rootOf(function, i);
        if (isAllocatedHere(root) && uses[root] == 1)
          continue;
        moved.reset(i);
        changed = true;
      }
    }
  }
}

/// The symbols that a sum of products of at most two symbols multiplies, all of
/// them at least 0 and none subtracted: then no part exceeds the whole.
static bool isSumOfSmallProducts(FunctionShapes &shapes, Expr e) {
  return llvm::all_of(e.terms(), [&](const Expr::Term &term) {
    unsigned degree = 0;
    for (auto [atom, power] : term.powers) {
      std::optional<llvm::DynamicAPInt> least =
          shapes.facts().bounds(atom.asExpr(), Effort::Quick).min;
      if (atom.kind() != AtomKind::Symbol || !least || *least < 0)
        return false;
      degree += power;
    }
    return term.coefficient > 0 && degree <= 2;
  });
}

/// An extent of a result: it fits an index. If each part does as well, each op
/// says so (nsw), since no later analysis could find that out.
static Value emitExtent(FunctionShapes &shapes, OpBuilder &builder,
                        Location loc, Expr e) {
  if (!isSumOfSmallProducts(shapes, e))
    return emitterFor(shapes, builder, loc).emitIndex(e);
  auto exact = arith::IntegerOverflowFlags::nsw;
  Value sum;
  for (const Expr::Term &term : e.terms()) {
    Value product = arith::ConstantIndexOp::create(
        builder, loc, static_cast<int64_t>(term.coefficient));
    for (auto [atom, power] : term.powers)
      for (unsigned i = 0; i < power; ++i)
        product = builder.createOrFold<arith::MulIOp>(
            loc, product,
            emitterFor(shapes, builder, loc).emitIndex(atom.asExpr()), exact);
    sum = sum ? builder.createOrFold<arith::AddIOp>(loc, sum, product, exact)
              : product;
  }
  return sum ? sum : arith::ConstantIndexOp::create(builder, loc, 0);
}

void ResultMover::allocateAt(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  FunctionShapes &shapes = *analysis->lookup(call);
  OpBuilder builder(call);
  for (unsigned i : movedResults[callee].set_bits()) {
    Value buffer = call.getResult(i);
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(
            emitExtent(shapes, builder, call.getLoc(), shapes.dim(buffer, d)));
    allocations[buffer] =
        memref::AllocOp::create(builder, call.getLoc(), type, sizes,
                                builder.getI64IntegerAttr(kBufferAlignment));
  }
}

void ResultMover::replaceCall(func::CallOp call) {
  SmallVector<Value> operands(call.getOperands());
  SmallVector<Type> types;
  for (Value result : call.getResults()) {
    if (Value allocation = allocations.lookup(result)) {
      operands.push_back(allocation);
      result.replaceAllUsesWith(allocation);
    } else {
      types.push_back(result.getType());
    }
  }
  OpBuilder builder(call);
  auto replacement = func::CallOp::create(builder, call.getLoc(),
                                          call.getCallee(), types, operands);
  replacement->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  unsigned next = 0;
  for (Value result : call.getResults())
    if (!allocations.contains(result))
      result.replaceAllUsesWith(replacement.getResult(next++));
  call.erase();
}

/// Makes the results arguments; their allocations become views of these.
void ResultMover::replaceResults(func::FuncOp function,
                                 const BitVector &moved) {
  for (unsigned i : moved.set_bits()) {
    auto alloc = cast<memref::AllocOp>(rootOf(function, i).getDefiningOp());
    Type type = function.getResultTypes()[i];
    unsigned number = function.getNumArguments();
    (void)function.insertArgument(number, type, {}, alloc.getLoc());
    Value buffer = function.getArgument(number);
    OpBuilder builder(alloc);
    if (type != alloc.getType()) {
      SmallVector<OpFoldResult> sizes = alloc.getMixedSizes();
      buffer = memref::ReinterpretCastOp::create(
          builder, alloc.getLoc(), alloc.getType(), buffer,
          OpFoldResult(builder.getIndexAttr(0)), sizes,
          memref::computeStridesIRBlock(alloc.getLoc(), builder, sizes));
    }
    alloc.replaceAllUsesWith(buffer);
    alloc.erase();
  }
  for (auto op : function.getBody().getOps<func::ReturnOp>())
    op->eraseOperands(moved);
  (void)function.eraseResults(moved);
}

bool ResultMover::hasCandidates() const {
  return llvm::any_of(movedResults,
                      [](const auto &entry) { return entry.second.any(); });
}

bool ResultMover::run() {
  collect();
  keepOwnBuffers();
  if (!hasCandidates())
    return false;
  analysis = &analyse();
  for (func::CallOp call : calls) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    BitVector &moved = movedResults[callee];
    for (unsigned i : moved.set_bits())
      if (!canAllocate(call, i))
        moved.reset(i);
  }
  keepOwnBuffers();
  if (!hasCandidates())
    return false;
  for (func::CallOp call : calls)
    allocateAt(call);
  for (func::CallOp call : calls)
    replaceCall(call);
  for (auto &[function, moved] : movedResults)
    if (moved.any())
      replaceResults(function, moved);
  return true;
}

namespace {
struct ResultsToArgumentsPass
    : symshape::impl::ResultsToArgumentsPassBase<ResultsToArgumentsPass> {
  void runOnOperation() override {
    auto analyse = [&]() -> ShapeAnalysis & {
      return getAnalysis<ShapeAnalysis>();
    };
    if (!ResultMover(getOperation(), analyse).run())
      markAllAnalysesPreserved();
  }
};
} // namespace
