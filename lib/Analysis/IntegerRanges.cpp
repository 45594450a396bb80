//===- IntegerRanges.cpp - Ranges of all integers of a function -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges start empty and grow along the edges that can be taken, until what
// each op makes of its operands is within the range of its result: then they
// hold in every run, by induction over its steps. Not for: relations between
// values, which the rules of ops state.
//
//===----------------------------------------------------------------------===//

#include "IntegerRanges.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <deque>

using namespace mlir;
using namespace mlir::symshape;

/// How often a range of what several edges lead to grows before it is widened,
/// beside once for each edge between blocks; and that of any other value.
static constexpr unsigned maxJoins = 4, maxChanges = 40;

static unsigned widthOf(Value value) {
  return ConstantIntRanges::getStorageBitwidth(value.getType());
}

bool symshape::hasIntegerRange(Value value) {
  Type type = value.getType();
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  return type.isSignlessIntOrIndex() && widthOf(value) <= 64 &&
         widthOf(value) > 0;
}

bool symshape::isRangeWrong(Operation *op) {
  return isa<arith::CeilDivSIOp, arith::FloorDivSIOp, index::CeilDivSOp,
             index::FloorDivSOp, affine::AffineApplyOp>(op);
}

symshape::Range symshape::signedRange(const ConstantIntRanges &range) {
  APInt least = range.smin(), most = range.smax();
  if (range.umin().isNegative() == range.umax().isNegative()) {
    least = llvm::APIntOps::smax(least, range.umin());
    most = llvm::APIntOps::smin(most, range.umax());
  }
  return symshape::Range::between(least.getSExtValue(), most.getSExtValue());
}

static ConstantIntRanges allOf(Value value) {
  return ConstantIntRanges::maxRange(widthOf(value));
}

/// Of the numbers of `range` that fit the type of `value`; all of it if none
/// do.
static ConstantIntRanges fromSigned(Value value, symshape::Range range) {
  unsigned width = widthOf(value);
  range = symshape::Range::intersect(
      range,
      symshape::Range::between(llvm::minIntN(width), llvm::maxIntN(width)));
  if (range.isEmpty())
    return allOf(value);
  return ConstantIntRanges::fromSigned(
      APInt(width, int64_t(*range.min), /*isSigned=*/true),
      APInt(width, int64_t(*range.max), /*isSigned=*/true));
}

/// `known` where it did not grow, else the end of the type.
static ConstantIntRanges widened(const ConstantIntRanges &known,
                                 const ConstantIntRanges &grown) {
  unsigned width = known.smin().getBitWidth();
  auto all = ConstantIntRanges::maxRange(width);
  return {known.umin() == grown.umin() ? known.umin() : all.umin(),
          known.umax() == grown.umax() ? known.umax() : all.umax(),
          known.smin() == grown.smin() ? known.smin() : all.smin(),
          known.smax() == grown.smax() ? known.smax() : all.smax()};
}

/// Whether each run of a region of the op ends in a way that the interfaces
/// speak of.
static bool endsAreKnown(Operation *op) {
  return llvm::all_of(op->getRegions(), [](Region &region) {
    return llvm::all_of(region, [](Block &block) {
      return !block.empty() &&
             isa<BranchOpInterface, RegionBranchTerminatorOpInterface>(
                 block.back());
    });
  });
}

namespace {
class RangeSolver {
public:
  using OfCall = llvm::function_ref<std::optional<ConstantIntRanges>(OpResult)>;

  explicit RangeSolver(OfCall ofCall) : ofCall(ofCall) {}

  IntegerRanges solve(Region &body) {
    reach(body.front());
    for (BlockArgument argument : body.getArguments())
      grow(argument, allOf(argument));
    do {
      while (!work.empty()) {
        Operation *op = work.front();
        work.pop_front();
        waiting.erase(op);
        visit(op);
      }
      openCycles();
    } while (!work.empty());
    return {std::move(ranges), std::move(reached)};
  }

private:
  void visit(Operation *op);
  void visitPlain(Operation *op);
  using Choice = symshape::Range (*)(const symshape::Range &,
                                     const symshape::Range &);
  void visitMap(Operation *op, AffineMap map, Choice choose);
  void visitRounding(Operation *op, bool isUp);
  void visitBranch(BranchOpInterface branch);
  void follow(Operation *op, ArrayRef<RegionSuccessor> successors,
              llvm::function_ref<OperandRange(RegionSuccessor)> passed);
  void reach(Block &block);
  void openCycles();
  bool hasOperands(Operation *op) const;
  void setOthers(Operation *op, ValueRange values, ValueRange given);
  symshape::Range rangeOfMap(AffineExpr e, ValueRange operands,
                             unsigned numDims);
  void setBetween(Value variable, AffineMap lower, ValueRange lowerOperands,
                  AffineMap upper, ValueRange upperOperands);
  bool setVariable(LoopLikeOpInterface loop, Value variable);
  ConstantIntRanges rangeOf(OpFoldResult bound, unsigned width);
  SmallVector<Attribute> constantsOf(Operation *op);
  void grow(Value value, const ConstantIntRanges &range);
  void enqueue(Operation *op) {
    if (reached.contains(op->getBlock()) && waiting.insert(op).second)
      work.push_back(op);
  }

  OfCall ofCall;
  llvm::DenseMap<Value, ConstantIntRanges> ranges;
  llvm::DenseMap<Value, unsigned> changes;
  llvm::DenseSet<Block *> reached;
  SmallVector<Block *> unordered; ///< those reached that may be of graphs
  std::deque<Operation *> work;
  llvm::DenseSet<Operation *> waiting;
};
} // namespace

void RangeSolver::reach(Block &block) {
  if (!reached.insert(&block).second)
    return;
  if (mayBeGraphRegion(*block.getParent()))
    unordered.push_back(&block);
  for (Operation &op : block)
    enqueue(&op);
}

/// Where values need not be defined before they are used, those that are left
/// without a range may depend on themselves; elsewhere they are never computed.
void RangeSolver::openCycles() {
  for (size_t i = 0; i < unordered.size(); ++i)
    for (Operation &op : *unordered[i])
      for (Value result : op.getResults())
        if (hasIntegerRange(result) && !ranges.contains(result))
          grow(result, allOf(result));
}

/// Whether all integers among the operands were computed.
bool RangeSolver::hasOperands(Operation *op) const {
  return llvm::all_of(op->getOperands(), [&](Value v) {
    return !hasIntegerRange(v) || ranges.contains(v);
  });
}

void RangeSolver::grow(Value value, const ConstantIntRanges &range) {
  if (!hasIntegerRange(value))
    return;
  auto [it, isNew] = ranges.try_emplace(value, range);
  if (!isNew) {
    ConstantIntRanges joined = it->second.rangeUnion(range);
    if (joined == it->second)
      return;
    unsigned most = maxChanges;
    if (auto argument = dyn_cast<BlockArgument>(value))
      most =
          maxJoins + llvm::range_size(argument.getOwner()->getPredecessors());
    else if (value.getDefiningOp()->getNumRegions() > 0)
      most = maxJoins;
    it->second = ++changes[value] > most ? widened(it->second, joined) : joined;
  }
  for (Operation *user : value.getUsers())
    enqueue(user);
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

/// The conditions among the operands that have one value.
SmallVector<Attribute> RangeSolver::constantsOf(Operation *op) {
  return llvm::map_to_vector(op->getOperands(), [&](Value v) -> Attribute {
    auto it = ranges.find(v);
    Type type = v.getType();
    if (it == ranges.end() || !(type.isInteger(1) || type.isIndex()))
      return Attribute();
    std::optional<APInt> known = it->second.getConstantValue();
    return known ? IntegerAttr::get(type, *known) : Attribute();
  });
}

void RangeSolver::visitBranch(BranchOpInterface branch) {
  Block *only = branch.getSuccessorForOperands(constantsOf(branch));
  for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
    Block *successor = branch->getSuccessor(i);
    if (only && successor != only)
      continue;
    SuccessorOperands operands = branch.getSuccessorOperands(i);
    for (BlockArgument argument : successor->getArguments()) {
      Value given = operands[argument.getArgNumber()];
      grow(argument, given && hasIntegerRange(given)
                         ? ConstantIntRanges(ranges.find(given)->second)
                         : allOf(argument));
    }
    reach(*successor);
  }
}

ConstantIntRanges RangeSolver::rangeOf(OpFoldResult bound, unsigned width) {
  if (auto constant = dyn_cast<Attribute>(bound))
    return ConstantIntRanges::constant(
        cast<IntegerAttr>(constant).getValue().sextOrTrunc(width));
  return ranges.find(cast<Value>(bound))->second;
}

/// A map in exact arithmetic; its divisors are at least 1.
symshape::Range RangeSolver::rangeOfMap(AffineExpr e, ValueRange operands,
                                        unsigned numDims) {
  using symshape::Range;
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return Range::between(constant.getValue(), constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(e))
    return signedRange(ranges.find(operands[dim.getPosition()])->second);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
    return signedRange(
        ranges.find(operands[numDims + symbol.getPosition()])->second);
  auto binary = cast<AffineBinaryOpExpr>(e);
  Range lhs = rangeOfMap(binary.getLHS(), operands, numDims),
        rhs = rangeOfMap(binary.getRHS(), operands, numDims);
  if (e.getKind() == AffineExprKind::Add)
    return Range::add(lhs, rhs);
  if (e.getKind() == AffineExprKind::Mul)
    return Range::mul(lhs, rhs);
  rhs = Range::intersect(rhs, Range::atLeast(1));
  if (rhs.isEmpty())
    return Range::all();
  if (e.getKind() == AffineExprKind::FloorDiv)
    return Range::floorDiv(lhs, rhs);
  if (e.getKind() == AffineExprKind::CeilDiv)
    return Range::neg(Range::floorDiv(Range::neg(lhs), rhs));
  Range quotient = Range::floorDiv(lhs, rhs);
  if (quotient.min && quotient.min == quotient.max && rhs.min == rhs.max)
    return Range::add(lhs, Range::neg(Range::mul(quotient, rhs)));
  Range rest = Range::atLeast(0);
  if (rhs.max)
    rest.max = *rhs.max - 1;
  return lhs.isAtLeast(0) ? Range::intersect(rest, {rest.min, lhs.max}) : rest;
}

/// From the largest of the results of `lower` on, below the least of `upper`,
/// which fits.
void RangeSolver::setBetween(Value variable, AffineMap lower,
                             ValueRange lowerOperands, AffineMap upper,
                             ValueRange upperOperands) {
  auto range = symshape::Range::between(INT64_MIN, INT64_MAX - 1);
  for (AffineExpr e : lower.getResults())
    if (auto least = rangeOfMap(e, lowerOperands, lower.getNumDims()).min)
      range.min = std::max(*range.min, *least);
  for (AffineExpr e : upper.getResults())
    if (auto end = rangeOfMap(e, upperOperands, upper.getNumDims()).max)
      range.max = std::min(*range.max, *end - 1);
  if (*range.min <= *range.max)
    grow(variable, fromSigned(variable, range));
}

// From the lower bound on and below the upper one, as the loop compares; a
// step below 1 is undefined. Without an iteration it has no value. Loops of
// other dialects may include the upper bound, as those of acc do.
bool RangeSolver::setVariable(LoopLikeOpInterface loop, Value variable) {
  if (auto counted = dyn_cast<affine::AffineForOp>(loop.getOperation())) {
    if (variable != counted.getInductionVar())
      return false;
    setBetween(variable, counted.getLowerBoundMap(),
               counted.getLowerBoundOperands(), counted.getUpperBoundMap(),
               counted.getUpperBoundOperands());
    return true;
  }
  if (auto all = dyn_cast<affine::AffineParallelOp>(loop.getOperation())) {
    unsigned i = cast<BlockArgument>(variable).getArgNumber();
    setBetween(variable, all.getLowerBoundMap(i), all.getLowerBoundsOperands(),
               all.getUpperBoundMap(i), all.getUpperBoundsOperands());
    return true;
  }
  if (!isa<scf::ForOp, scf::ForallOp, scf::ParallelOp>(loop.getOperation()))
    return false;
  std::optional<SmallVector<Value>> variables = loop.getLoopInductionVars();
  std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds(),
                                           upper = loop.getLoopUpperBounds();
  if (!variables || !lower || !upper)
    return false;
  size_t number = llvm::find(*variables, variable) - variables->begin();
  if (number >= variables->size())
    return false;
  ConstantIntRanges first = rangeOf((*lower)[number], widthOf(variable)),
                    end = rangeOf((*upper)[number], widthOf(variable));
  auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
  if (counted && counted.getUnsignedCmp()) {
    if (first.umin().ult(end.umax()))
      grow(variable,
           ConstantIntRanges::fromUnsigned(first.umin(), end.umax() - 1));
  } else if (first.smin().slt(end.smax())) {
    grow(variable, ConstantIntRanges::fromSigned(first.smin(), end.smax() - 1));
  }
  return true;
}

/// The values that nothing in `given` leads to.
void RangeSolver::setOthers(Operation *op, ValueRange values,
                            ValueRange given) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  for (Value value : values)
    if (hasIntegerRange(value) && !llvm::is_contained(given, value) &&
        !(loop && setVariable(loop, value)))
      grow(value, allOf(value));
}

void RangeSolver::follow(
    Operation *op, ArrayRef<RegionSuccessor> successors,
    llvm::function_ref<OperandRange(RegionSuccessor)> passed) {
  for (const RegionSuccessor &successor : successors) {
    ValueRange inputs = successor.getSuccessorInputs();
    OperandRange operands = passed(successor);
    bool isKnown = inputs.size() == operands.size();
    if (isKnown)
      for (auto [input, operand] : llvm::zip(inputs, operands))
        grow(input, hasIntegerRange(operand)
                        ? ConstantIntRanges(ranges.find(operand)->second)
                        : allOf(input));
    ValueRange given = isKnown ? inputs : ValueRange();
    Region *region = successor.getSuccessor();
    if (!region) {
      setOthers(op, op->getResults(), given);
    } else if (!region->empty()) {
      setOthers(op, region->getArguments(), given);
      reach(region->front());
    }
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void RangeSolver::visit(Operation *op) {
  if (!hasOperands(op)) // it is visited again when they are
    return;
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    return visitBranch(branch);
  SmallVector<RegionSuccessor> successors;
  if (auto around = dyn_cast<RegionBranchOpInterface>(op);
      around && endsAreKnown(op)) {
    around.getEntrySuccessorRegions(constantsOf(op), successors);
    return follow(op, successors, [&](RegionSuccessor successor) {
      return around.getEntrySuccessorOperands(successor);
    });
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return visitMap(op, apply.getAffineMap(), nullptr);
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return visitMap(op, min.getAffineMap(), symshape::Range::minOf);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return visitMap(op, max.getAffineMap(), symshape::Range::maxOf);
  bool isUp = isa<arith::CeilDivSIOp, index::CeilDivSOp>(op);
  if ((isUp || isa<arith::FloorDivSIOp, index::FloorDivSOp>(op)) &&
      hasIntegerRange(op->getResult(0)))
    return visitRounding(op, isUp);
  auto end = dyn_cast<RegionBranchTerminatorOpInterface>(op);
  Operation *parent = op->getParentOp();
  if (end && isa<RegionBranchOpInterface>(parent) && endsAreKnown(parent)) {
    end.getSuccessorRegions(constantsOf(op), successors);
    return follow(parent, successors, [&](RegionSuccessor successor) {
      return end.getSuccessorOperands(successor);
    });
  }
  visitPlain(op);
}

/// The results fit; what is computed on the way need not. `choose` is of two
/// results of which the op gives one.
void RangeSolver::visitMap(Operation *op, AffineMap map, Choice choose) {
  using symshape::Range;
  auto all = Range::between(INT64_MIN, INT64_MAX);
  Range known;
  for (auto [i, e] : llvm::enumerate(map.getResults())) {
    Range each = Range::intersect(
        rangeOfMap(e, op->getOperands(), map.getNumDims()), all);
    if (each.isEmpty())
      each = all;
    known = i == 0 ? each : choose(known, each);
  }
  grow(op->getResult(0), fromSigned(op->getResult(0), known));
}

/// A signed division that rounds down, or up, in exact arithmetic; one by 0, or
/// whose result does not fit, is undefined.
void RangeSolver::visitRounding(Operation *op, bool isUp) {
  using symshape::Range;
  Range lhs = signedRange(ranges.find(op->getOperand(0))->second),
        rhs = signedRange(ranges.find(op->getOperand(1))->second);
  if (rhs.isAtLeast(0))
    rhs = Range::intersect(rhs, Range::atLeast(1));
  if (rhs.isAtMost(0))
    rhs = Range::intersect(rhs, Range::between(INT64_MIN, -1));
  grow(op->getResult(0),
       fromSigned(op->getResult(0),
                  isUp ? Range::neg(Range::floorDiv(Range::neg(lhs), rhs))
                       : Range::floorDiv(lhs, rhs)));
}

void RangeSolver::visitPlain(Operation *op) {
  SmallVector<IntegerValueRange> operands;
  for (Value v : op->getOperands()) {
    operands.emplace_back();
    if (hasIntegerRange(v))
      operands.back() = IntegerValueRange(ranges.find(v)->second);
  }
  llvm::SmallPtrSet<Value, 4> given;
  auto inferrable = dyn_cast<InferIntRangeInterface>(op);
  // Not about tensors: MLIR 22 crashes on a constant without elements.
  bool isAsked = op->getNumRegions() > 0 ||
                 llvm::any_of(op->getResults(), hasIntegerRange);
  if (inferrable && isAsked && !isRangeWrong(op))
    inferrable.inferResultRangesFromOptional(
        operands, [&](Value v, const IntegerValueRange &range) {
          if (range.isUninitialized())
            return;
          given.insert(v);
          grow(v, range.getValue());
        });
  for (OpResult result : op->getResults())
    if (hasIntegerRange(result) && !given.contains(result))
      grow(result, ofCall(result).value_or(allOf(result)));
  for (Block *successor : op->getSuccessors()) {
    for (BlockArgument argument : successor->getArguments())
      grow(argument, allOf(argument));
    reach(*successor);
  }
  SmallVector<Value> all(given.begin(), given.end());
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    setOthers(op, region.getArguments(), all);
    reach(region.front());
  }
}

IntegerRanges symshape::findIntegerRanges(func::FuncOp function,
                                          RangeSolver::OfCall ofCall) {
  return RangeSolver(ofCall).solve(function.getBody());
}
