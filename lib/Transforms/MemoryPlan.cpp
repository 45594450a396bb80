//===- MemoryPlan.cpp - One arena per function ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which buffers can lie in the arena, how large they are in terms of what is
// known where it is made, and when they are in use. Callees before callers.
// Where they lie is found in ArenaPacking.cpp.
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/MemoryPlan.h"
#include "ArenaPacking.h"
#include "BufferLifetimes.h"
#include "BufferUses.h"
#include "CheckEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "symshape/Analysis/FactCursor.h"
#include "symshape/Constraints/BoundSearch.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Finds the plan of one function.
class Planner {
public:
  Planner(const ModuleMemoryPlan &plans, ShapeAnalysis &analysis,
          FunctionShapes &shapes)
      : plans(plans), analysis(analysis), shapes(shapes), cursor(shapes),
        dominance(shapes.function()), order(shapes.function()) {}
  MemoryPlan run();

private:
  void collect(Operation *op);
  void findPlace();
  bool isKnown(Expr e);
  Expr boundAtPlace(Expr e, Operation *op);
  Expr sizeOf(Operation *op);
  Expr sizeOfAlloc(memref::AllocOp alloc);
  std::string describeUnknown(Operation *op);

  const ModuleMemoryPlan &plans;
  ShapeAnalysis &analysis;
  FunctionShapes &shapes;
  FactCursor cursor;
  DominanceInfo dominance;
  ProgramOrder order;
  MemoryPlan plan;
};
} // namespace

static func::FuncOp calleeOf(func::CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
}

/// Why what `op` needs cannot have one place for all its runs; empty if it can.
static std::string whyNotOnePlace(Operation *op) {
  for (Operation *outer = op->getParentOp(); !isa<func::FuncOp>(outer);
       outer = outer->getParentOp())
    if (!runsInPlace(outer) || isa<scf::ParallelOp, scf::ForallOp>(outer))
      return "'" + outer->getName().getStringRef().str() +
             "' may run its body several times at once";
  return "";
}

/// Bytes of an element of an array; 0 where that is not known.
static int64_t bytesOfElement(memref::AllocOp alloc) {
  Type element = alloc.getType().getElementType();
  if (!isa<IntegerType, IndexType, FloatType, ComplexType, VectorType>(element))
    return 0;
  llvm::TypeSize size = DataLayout::closest(alloc).getTypeSize(element);
  return size.isScalable() ? 0 : size.getFixedValue();
}

/// Why the buffer cannot be a part of an array of bytes; empty if it can.
static std::string whyNotBytes(memref::AllocOp alloc) {
  if (alloc.getAlignment().value_or(1) > kBufferAlignment)
    return "its alignment is more than that of an arena";
  if (!alloc.getType().getLayout().isIdentity() ||
      alloc.getType().getMemorySpace() || bytesOfElement(alloc) == 0)
    return "it is not a plain array of memory";
  return "";
}

/// Adds `op` to the plan, still without a size, or to what stays on the heap.
void Planner::collect(Operation *op) {
  PlannedBuffer buffer;
  buffer.op = op;
  std::string reason = whyNotOnePlace(op);
  if (auto call = dyn_cast<func::CallOp>(op)) {
    const MemoryPlan *callee = plans.lookup(calleeOf(call));
    if (!callee || !callee->isFromCaller || callee->buffers.empty())
      return;
    buffer.first = buffer.last = order.of(op).begin;
  } else if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    if (reason.empty())
      reason = whyNotBytes(alloc);
    if (reason.empty()) {
      BufferLifetime lifetime = findLifetime(op, order);
      buffer.first = lifetime.first;
      buffer.last = lifetime.last;
      if (lifetime.escape)
        reason = "'" + lifetime.escape->getName().getStringRef().str() +
                 "' may keep it";
    }
  } else {
    return;
  }
  if (reason.empty())
    plan.buffers.push_back(buffer);
  else
    plan.heap.push_back({op, reason});
}

/// The first op of the entry block that needs the arena.
void Planner::findPlace() {
  Block &entry = shapes.function().getBody().front();
  for (const PlannedBuffer &buffer : plan.buffers) {
    Operation *op = entry.findAncestorOpInBlock(*buffer.op);
    if (!op)
      op = entry.getTerminator();
    if (!plan.place || op->isBeforeInBlock(plan.place))
      plan.place = op;
  }
}

/// Whether each symbol has a value where the arena is made; in the caller, if
/// that makes it.
bool Planner::isKnown(Expr e) {
  SmallVector<Expr> symbols;
  shapes.arena().collectSymbols(e, symbols);
  return llvm::all_of(symbols, [&](Expr symbol) {
    const SymbolDef *def = shapes.definition(symbol);
    if (!def || !def->value)
      return false;
    return plan.isFromCaller
               ? is_contained(shapes.function().getArguments(), def->value)
               : dominance.properlyDominates(def->value, plan.place);
  });
}

/// `e`, or what it is at most where `op` runs, of what is known at the place of
/// the arena; null if there is none. Never negative.
Expr Planner::boundAtPlace(Expr e, Operation *op) {
  e = shapes.expand(e);
  if (!isKnown(e)) {
    auto isChosen = [&](Expr symbol) { return isKnown(symbol); };
    SmallVector<Expr, 2> bounds =
        BoundSearch(cursor.before(op), isChosen).upper(e);
    llvm::erase_if(bounds, [&](Expr bound) { return !isKnown(bound); });
    if (bounds.empty())
      return Expr();
    e = shapes.arena().min(bounds);
  }
  Expr zero = shapes.arena().zero();
  ConstraintSet &facts = cursor.before(plan.place);
  e = facts.simplify(e);
  if (facts.isProvably(Relation::le(zero, e)))
    return e;
  // Where `op` is not reached, it may be anything.
  return shapes.arena().max(e, zero);
}

/// The next multiple of the alignment.
static Expr roundUp(Expr bytes) {
  ExprArena &arena = bytes.arena();
  return arena.floorDiv(bytes + (kBufferAlignment - 1),
                        arena.constant(kBufferAlignment)) *
         kBufferAlignment;
}

Expr Planner::sizeOfAlloc(memref::AllocOp alloc) {
  Expr bytes = shapes.arena().constant(bytesOfElement(alloc));
  for (OpFoldResult size : alloc.getMixedSizes()) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    Expr extent = constant
                      ? shapes.arena().constant(*constant)
                      : boundAtPlace(shapes.value(cast<Value>(size)), alloc);
    if (!extent)
      return Expr();
    bytes = bytes * extent;
  }
  return roundUp(bytes);
}

/// What a buffer needs, in terms of what is known at the place; null if nothing
/// is.
Expr Planner::sizeOf(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return sizeOfAlloc(cast<memref::AllocOp>(op));
  func::FuncOp callee = calleeOf(call);
  Expr bytes = instantiate(shapes, *analysis.lookup(callee), call,
                           plans.lookup(callee)->bytes);
  Expr bound = boundAtPlace(bytes, op);
  return !bound || isKnown(bytes) ? bound : roundUp(bound);
}

std::string Planner::describeUnknown(Operation *op) {
  SmallVector<Expr> symbols;
  for (Value operand : op->getOperands()) {
    if (operand.getType().isIndex())
      shapes.arena().collectSymbols(shapes.expand(shapes.value(operand)),
                                    symbols);
    else if (auto type = dyn_cast<MemRefType>(operand.getType()))
      for (int64_t d = 0; d < type.getRank(); ++d)
        shapes.arena().collectSymbols(shapes.expand(shapes.dim(operand, d)),
                                      symbols);
  }
  for (Expr symbol : symbols)
    if (!isKnown(symbol))
      return "its size depends on " + shapes.describeSymbol(symbol) +
             ", which has no value at entry and no upper bound of such";
  return "no upper bound of its size is known at entry";
}

MemoryPlan Planner::run() {
  plan.isFromCaller = shapes.callersTakeOver();
  shapes.function().walk<WalkOrder::PreOrder>(
      [&](Operation *op) { collect(op); });
  findPlace();
  std::vector<PlannedBuffer> sized;
  for (PlannedBuffer &buffer : plan.buffers) {
    // What is only asked for its extents needs no memory.
    bool isAccessed = buffer.first <= buffer.last;
    buffer.bytes = isAccessed ? sizeOf(buffer.op) : shapes.arena().zero();
    if (buffer.bytes)
      sized.push_back(buffer);
    else
      plan.heap.push_back({buffer.op, describeUnknown(buffer.op)});
  }
  plan.buffers = std::move(sized);
  plan.bytes = shapes.arena().zero();
  if (!plan.buffers.empty())
    plan.bytes = packArena(cursor.before(plan.place), plan.buffers);
  return std::move(plan);
}

/// Whether each run of a common ancestor reaches at most one of the two ops.
static bool areExclusive(Operation *a, Operation *b) {
  for (Operation *inA = a; Operation *outer = inA->getParentOp(); inA = outer) {
    if (!outer->isProperAncestor(b))
      continue;
    Operation *inB = b;
    while (inB->getParentOp() != outer)
      inB = inB->getParentOp();
    return isa<scf::IfOp, scf::IndexSwitchOp>(outer) &&
           inA->getParentRegion() != inB->getParentRegion();
  }
  return false;
}

bool PlannedBuffer::isLiveWith(const PlannedBuffer &other) const {
  return first <= other.last && other.first <= last &&
         !areExclusive(op, other.op);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Expr mlir::symshape::instantiate(FunctionShapes &caller, FunctionShapes &callee,
                                 func::CallOp call, Expr e) {
  return caller.arena().substitute(e, [&](Expr symbol) {
    const SymbolDef *def = callee.definition(symbol);
    Value passed =
        call.getOperand(cast<BlockArgument>(def->value).getArgNumber());
    return def->kind == SymbolDef::Dim ? caller.dim(passed, def->dim)
                                       : caller.value(passed);
  });
}

std::string mlir::symshape::spellOverArguments(FunctionShapes &shapes, Expr e) {
  auto spell = [&](Expr symbol) {
    const SymbolDef *def = shapes.definition(symbol);
    auto argument = dyn_cast_or_null<BlockArgument>(def ? def->value : Value());
    if (!argument || !is_contained(shapes.function().getArguments(), argument))
      return Expr();
    unsigned number = argument.getArgNumber();
    std::string name = shapes.spellingOfArgument(number);
    if (name.front() != '%')
      name = "%arg" + std::to_string(number);
    if (def->kind == SymbolDef::Dim)
      name += ".dim" + std::to_string(def->dim);
    return e.arena().symbol(name);
  };
  return e.arena().substitute(e, spell).str();
}

/// The functions of a module that have a body, callees first; those that call
/// one another in any order.
static SmallVector<func::FuncOp> calleesFirst(ModuleOp module) {
  SmallVector<func::FuncOp> result;
  llvm::DenseSet<Operation *> seen;
  for (auto root : module.getOps<func::FuncOp>()) {
    // Functions whose callees are looked at, with the calls that are left.
    SmallVector<std::pair<func::FuncOp, SmallVector<func::CallOp>>> open;
    auto enter = [&](func::FuncOp function) {
      if (!function || function.isExternal() || !seen.insert(function).second)
        return;
      SmallVector<func::CallOp> calls;
      function.walk([&](func::CallOp call) { calls.push_back(call); });
      open.push_back({function, std::move(calls)});
    };
    enter(root);
    while (!open.empty()) {
      if (open.back().second.empty())
        result.push_back(open.pop_back_val().first);
      else
        enter(calleeOf(open.back().second.pop_back_val()));
    }
  }
  return result;
}

ModuleMemoryPlan::ModuleMemoryPlan(ModuleOp module, ShapeAnalysis &analysis)
    : analysis(analysis) {
  for (func::FuncOp function : calleesFirst(module))
    if (FunctionShapes *shapes = analysis.lookup(function)) {
      MemoryPlan plan = Planner(*this, analysis, *shapes).run();
      plans.insert({function, std::move(plan)});
    }
}

const MemoryPlan *ModuleMemoryPlan::lookup(func::FuncOp function) const {
  auto it = plans.find(function);
  return it == plans.end() ? nullptr : &it->second;
}

/// Applies `sizes` to the buffers of each function, where a call counts with
/// what it gives for the callee.
Expr ModuleMemoryPlan::combine(func::FuncOp function, Sizes sizes) const {
  DenseMap<Operation *, Expr> results;
  for (const auto &[each, plan] : plans) {
    SmallVector<Expr> bytes;
    for (const PlannedBuffer &buffer : plan.buffers) {
      auto call = dyn_cast<func::CallOp>(buffer.op);
      Expr inCallee = call ? results.lookup(calleeOf(call)) : buffer.bytes;
      bytes.push_back(call ? instantiate(*analysis.lookup(each),
                                         *analysis.lookup(calleeOf(call)), call,
                                         inCallee)
                           : inCallee);
    }
    results[each] = sizes(plan.buffers, bytes);
    if (each == function)
      break;
  }
  return results.lookup(function);
}

Expr ModuleMemoryPlan::sumOfAll(func::FuncOp function) const {
  return combine(function, [&](ArrayRef<PlannedBuffer>, ArrayRef<Expr> bytes) {
    Expr sum = analysis.arena().zero();
    for (Expr size : bytes)
      sum = sum + size;
    return sum;
  });
}

Expr ModuleMemoryPlan::mostInUse(func::FuncOp function) const {
  auto most = [&](ArrayRef<PlannedBuffer> buffers, ArrayRef<Expr> bytes) {
    SmallVector<Expr> sums{analysis.arena().zero()};
    // What is in use grows only where a buffer begins to be.
    for (const PlannedBuffer &here : buffers) {
      Expr sum = analysis.arena().zero();
      for (auto [buffer, size] : llvm::zip(buffers, bytes))
        if (buffer.first <= here.first && buffer.isLiveWith(here))
          sum = sum + size;
      sums.push_back(sum);
    }
    return analysis.arena().max(sums);
  };
  return combine(function, most);
}
