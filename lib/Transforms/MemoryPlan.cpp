//===- MemoryPlan.cpp - One arena per function ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which buffers can lie in the arena, how large they are in terms of what is
// known where the arena is made, and when they are in use. Callees before
// callers. Where they lie is found in ArenaPacking.cpp.
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/MemoryPlan.h"
#include "ArenaPacking.h"
#include "BufferLifetimes.h"
#include "BufferUses.h"
#include "CheckEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "symshape/Analysis/FactCursor.h"
#include "symshape/Analysis/ModuleCalls.h"
#include "symshape/Constraints/BoundSearch.h"
#include "symshape/Expr/ExprPrinter.h"
#include "symshape/IR/ElementBytes.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Finds the plan of one function.
class Planner {
public:
  Planner(const ModuleMemoryPlan &plans, ShapeAnalysis &analysis,
          FunctionShapes &shapes)
      : plans(plans), analysis(analysis), shapes(shapes), atPlace(shapes),
        stated(shapes, FactCursor::Limits::Unknown),
        dominance(shapes.function()), order(shapes.function()) {}
  MemoryPlan run();

private:
  void collect(Operation *op);
  void findPlace();
  bool isKnown(Expr e);
  bool areKnown(ArrayRef<Expr> symbols);
  bool sliceAtPlace(Value value, llvm::SetVector<Operation *> &slice);
  void collectEarly();
  Expr exactAtPlace(Expr e);
  Expr boundAtPlace(Expr e, Operation *op);
  Expr sizeOfAlloc(PlannedBuffer &buffer, memref::AllocOp alloc);
  Expr sizeOfCall(PlannedBuffer &buffer, func::CallOp call);
  const Reach &reachOf(Region *region);
  std::string describeUnknown(Operation *op);

  const ModuleMemoryPlan &plans;
  ShapeAnalysis &analysis;
  FunctionShapes &shapes;
  FactCursor atPlace;
  /// Without limits: memory is not reserved for all that a type allows.
  FactCursor stated;
  DenseMap<Expr, Expr> atPlaceOf;    ///< results of `exactAtPlace`
  DenseMap<Value, bool> computable;  ///< results of `sliceAtPlace`
  DenseMap<Region *, Reach> reaches; ///< results of `reachOf`
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

/// Why the buffer cannot be a part of an array of bytes; empty if it can.
static std::string whyNotBytes(memref::AllocOp alloc) {
  if (alloc.getAlignment().value_or(1) > kBufferAlignment)
    return "its alignment is more than that of an arena";
  if (!alloc.getType().getLayout().isIdentity() ||
      alloc.getType().getMemorySpace() ||
      bytesOfElement(alloc, alloc.getType()) == 0)
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

/// Whether `op` only computes numbers, and may run where it would not be
/// reached. Upstream says so even of divisions that trap.
static bool mayRunEarly(Operation *op) {
  if (op->getNumRegions() || !isPure(op) ||
      !llvm::all_of(op->getResultTypes(),
                    [](Type type) { return type.isIntOrIndex(); }))
    return false;
  if (!isIntegerDivision(op))
    return true;
  std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
  return divisor && *divisor != 0 && *divisor != -1;
}

// Ops after the place of the arena that one number may need.
static constexpr size_t maxEarly = 200;

/// Whether `value` exists before the arena is made, or can: adds the ops that
/// have to run earlier for it, each after its operands. Ops already added only
/// help later values.
bool Planner::sliceAtPlace(Value value, llvm::SetVector<Operation *> &slice) {
  size_t before = slice.size();
  SmallVector<std::pair<Operation *, bool>> open; // whether operands are done
  auto enter = [&](Value needed) {
    if (dominance.properlyDominates(needed, plan.place))
      return true;
    Operation *op = needed.getDefiningOp();
    if (!op || !mayRunEarly(op))
      return false;
    // One inside of an op before the place would run later than its other uses.
    Operation *outer = plan.place->getBlock()->findAncestorOpInBlock(*op);
    if (!outer || outer->isBeforeInBlock(plan.place))
      return false;
    open.push_back({op, false});
    return true;
  };
  if (!enter(value))
    return false;
  while (!open.empty()) {
    auto [op, isDone] = open.pop_back_val();
    if (isDone)
      slice.insert(op);
    if (isDone || slice.contains(op))
      continue;
    if (slice.size() - before + open.size() > maxEarly)
      return false;
    open.push_back({op, true});
    if (!llvm::all_of(op->getOperands(), enter))
      return false;
  }
  return true;
}

/// Whether each symbol has a value where the arena is made; in the caller, if
/// the caller makes it.
bool Planner::isKnown(Expr e) { return areKnown(e.symbols()); }

bool Planner::areKnown(ArrayRef<Expr> symbols) {
  return llvm::all_of(symbols, [&](Expr symbol) {
    const SymbolDef *def = shapes.definition(symbol);
    if (!def || !def->value)
      return false;
    if (plan.isFromCaller)
      return is_contained(shapes.function().getArguments(), def->value);
    auto [it, isNew] = computable.try_emplace(def->value, false);
    if (isNew) {
      llvm::SetVector<Operation *> slice;
      it->second = sliceAtPlace(def->value, slice);
    }
    return it->second;
  });
}

/// Lists the ops that the sizes of the plan need before its place.
void Planner::collectEarly() {
  if (plan.isFromCaller)
    return;
  SmallVector<Expr> symbols;
  for (const PlannedBuffer &buffer : plan.buffers) {
    llvm::append_range(symbols, buffer.bytes.symbols());
    llvm::append_range(symbols, buffer.reach.condition.symbols());
    for (auto [condition, isTrue] : buffer.reach.branches)
      (void)sliceAtPlace(condition, plan.early);
  }
  for (Expr symbol : symbols)
    (void)sliceAtPlace(shapes.definition(symbol)->value, plan.early);
}

// Terms, symbols and operations of expressions that the engine looks at
// closely. Longer ones were simplified when their ops were analysed.
static constexpr unsigned maxAskedExtentSize = 200;

/// `e`, known at the place of the arena, as an expression that is not negative
/// there.
Expr Planner::exactAtPlace(Expr e) {
  Expr &result = atPlaceOf[e];
  if (result)
    return result;
  ConstraintSet &facts = atPlace.before(plan.place);
  Expr zero = shapes.arena().zero();
  bool isShort = e.size() <= maxAskedExtentSize;
  result = isShort ? facts.simplify(e) : e;
  // What it equals may have no value there: 2*n for a dim, where n is data.
  if (!isKnown(result))
    result = e;
  // If the buffer's op is not reached, it may be anything.
  if (!facts.isProvably(Relation::le(zero, result),
                        isShort ? Effort::Full : Effort::Quick))
    result = shapes.arena().max(result, zero);
  return result;
}

/// A bound of `e` where `op` runs, which the program states in terms of what is
/// known at the place of the arena; null if it does not. Never negative.
Expr Planner::boundAtPlace(Expr e, Operation *op) {
  auto isChosen = [&](Expr symbol) { return isKnown(symbol); };
  SmallVector<Expr, 2> bounds =
      BoundSearch(stated.before(op), isChosen).upper(e);
  llvm::erase_if(bounds, [&](Expr bound) { return !isKnown(bound); });
  return bounds.empty() ? Expr() : exactAtPlace(shapes.arena().min(bounds));
}

/// The next multiple of the alignment.
static Expr roundUp(Expr bytes) {
  ExprArena &arena = bytes.arena();
  return arena.floorDiv(bytes + (kBufferAlignment - 1),
                        arena.constant(kBufferAlignment)) *
         kBufferAlignment;
}

Expr Planner::sizeOfAlloc(PlannedBuffer &buffer, memref::AllocOp alloc) {
  Expr bytes = shapes.arena().constant(bytesOfElement(alloc, alloc.getType()));
  for (auto [d, size] : llvm::enumerate(alloc.getMixedSizes())) {
    if (std::optional<int64_t> constant = getConstantIntValue(size)) {
      bytes = bytes * *constant;
      continue;
    }
    Expr extent = shapes.expand(shapes.value(cast<Value>(size)));
    if (isKnown(extent)) {
      bytes = bytes * exactAtPlace(extent);
      continue;
    }
    Expr bound = boundAtPlace(extent, alloc);
    if (!bound)
      return Expr();
    buffer.bounds.push_back({d, bound});
    bytes = bytes * bound;
  }
  return roundUp(bytes);
}

/// What the callee needs, in terms of what is known at the place.
Expr Planner::sizeOfCall(PlannedBuffer &buffer, func::CallOp call) {
  func::FuncOp callee = calleeOf(call);
  Expr bytes = shapes.expand(instantiate(shapes, *analysis.lookup(callee), call,
                                         plans.lookup(callee)->bytes));
  if (isKnown(bytes))
    return exactAtPlace(bytes);
  Expr bound = boundAtPlace(bytes, call);
  if (!bound)
    return Expr();
  buffer.bounds.push_back({-1, bound});
  return roundUp(bound);
}

/// From the conditions of the branches and loops around, those that are known
/// at the place.
const Reach &Planner::reachOf(Region *region) {
  auto [it, isNew] = reaches.try_emplace(region);
  if (!isNew || region == &shapes.function().getBody())
    return it->second;
  Reach result = reachOf(region->getParentRegion());
  llvm::SetVector<Operation *> slice;
  auto branch = dyn_cast<scf::IfOp>(region->getParentOp());
  if (branch && sliceAtPlace(branch.getCondition(), slice)) {
    result.branches.push_back(
        {branch.getCondition(), region == &branch.getThenRegion()});
  } else {
    auto isUndecided = [&](const Formula &condition) {
      return areKnown(condition.symbols()) &&
             !prove(atPlace.before(plan.place), condition).isYes();
    };
    result.condition = Formula::conj(
        result.condition, knownPart(shapes.firstPremise(region), isUndecided));
  }
  return reaches[region] = std::move(result);
}

std::string Planner::describeUnknown(Operation *op) {
  SmallVector<Expr> symbols;
  for (Value operand : op->getOperands()) {
    if (operand.getType().isIndex())
      llvm::append_range(symbols,
                         shapes.expand(shapes.value(operand)).symbols());
    else if (auto type = dyn_cast<MemRefType>(operand.getType()))
      for (int64_t d = 0; d < type.getRank(); ++d)
        llvm::append_range(symbols,
                           shapes.expand(shapes.dim(operand, d)).symbols());
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
    // A buffer that is only asked for its extents needs no memory.
    if (buffer.first > buffer.last)
      buffer.bytes = shapes.arena().zero();
    else if (auto call = dyn_cast<func::CallOp>(buffer.op))
      buffer.bytes = sizeOfCall(buffer, call);
    else
      buffer.bytes = sizeOfAlloc(buffer, cast<memref::AllocOp>(buffer.op));
    // What a caller cannot compute is no size that it can reserve.
    if (buffer.bytes && !isKnown(buffer.bytes))
      buffer.bytes = Expr();
    // Callers only reserve a size.
    if (buffer.bytes && !plan.isFromCaller && !buffer.bytes.isConstant())
      buffer.reach = reachOf(buffer.op->getParentRegion());
    if (buffer.bytes)
      sized.push_back(buffer);
    else
      plan.heap.push_back({buffer.op, describeUnknown(buffer.op)});
  }
  plan.buffers = std::move(sized);
  plan.bytes = shapes.arena().zero();
  if (plan.buffers.empty())
    return std::move(plan);
  collectEarly();
  packArena(atPlace.before(plan.place), plan);
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
  std::string text;
  llvm::raw_string_ostream os(text);
  printShortened(e.arena().substitute(e, spell), os, kMaxShownSize);
  return text;
}

std::string
mlir::symshape::describeReserved(const PlannedBuffer &buffer,
                                 llvm::function_ref<std::string(Expr)> spell) {
  std::string text;
  for (auto [dim, bound] : buffer.bounds) {
    text += text.empty() ? "reserved, as " : ", ";
    text += isa<func::CallOp>(buffer.op) ? "what the callee needs"
                                         : "dim " + std::to_string(dim);
    text += " is at most " + spell(bound);
  }
  return text;
}

ModuleMemoryPlan::ModuleMemoryPlan(ModuleOp module, ShapeAnalysis &analysis)
    : analysis(analysis) {
  ModuleCalls calls(module);
  for (func::FuncOp function : calls.calleesFirst())
    if (FunctionShapes *shapes = analysis.lookup(function)) {
      MemoryPlan plan = Planner(*this, analysis, *shapes).run();
      plans.insert({function, std::move(plan)});
    }
}

const MemoryPlan *ModuleMemoryPlan::lookup(func::FuncOp function) const {
  auto it = plans.find(function);
  return it == plans.end() ? nullptr : &it->second;
}

/// Applies `sizes` to the buffers of each function; a call counts as what it
/// gives for the callee.
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
    // Use grows only where a buffer comes into use.
    for (const PlannedBuffer &here : buffers) {
      llvm::MapVector<Expr, int64_t> counts;
      for (auto [buffer, size] : llvm::zip(buffers, bytes))
        if (buffer.first <= here.first && buffer.isLiveWith(here))
          ++counts[size];
      Expr sum = analysis.arena().zero();
      for (auto [size, count] : counts)
        sum = sum + size * count;
      sums.push_back(sum);
    }
    return analysis.arena().max(sums);
  };
  return combine(function, most);
}
