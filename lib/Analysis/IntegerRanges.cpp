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
#include "OpRanges.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
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
      grow(argument, wholeRange(argument));
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
  void visitBranch(BranchOpInterface branch);
  void follow(Operation *op, ArrayRef<RegionSuccessor> successors,
              llvm::function_ref<OperandRange(RegionSuccessor)> passed);
  void reach(Block &block);
  void openCycles();
  bool hasOperands(Operation *op) const;
  void setOthers(Operation *op, ValueRange values, ValueRange given);
  bool setVariable(LoopLikeOpInterface loop, Value variable);
  ConstantIntRanges known(Value v) const { return ranges.find(v)->second; }
  ConstantIntRanges rangeOf(OpFoldResult bound, unsigned width) const;
  SmallVector<Attribute> constantsOf(Operation *op);
  void dropCases(scf::IndexSwitchOp op,
                 SmallVectorImpl<RegionSuccessor> &successors);
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
          grow(result, wholeRange(result));
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
      grow(argument, given && hasIntegerRange(given) ? known(given)
                                                     : wholeRange(argument));
    }
    reach(*successor);
  }
}

ConstantIntRanges RangeSolver::rangeOf(OpFoldResult bound,
                                       unsigned width) const {
  if (auto constant = dyn_cast<Attribute>(bound))
    return ConstantIntRanges::constant(
        cast<IntegerAttr>(constant).getValue().sextOrTrunc(width));
  return known(cast<Value>(bound));
}

// From the lower bound on and below the upper one, as the loop compares; a
// step below 1 is undefined. Without an iteration it has no value. Loops of
// other dialects may include the upper bound, as those of acc do.
bool RangeSolver::setVariable(LoopLikeOpInterface loop, Value variable) {
  auto lookup = [&](Value v) { return known(v); };
  auto growTo = [&](const symshape::Range &range) {
    if (!range.isEmpty())
      grow(variable, typedRange(variable, range));
  };
  if (auto counted = dyn_cast<affine::AffineForOp>(loop.getOperation())) {
    if (variable != counted.getInductionVar())
      return false;
    growTo(counterRange(
        counted.getLowerBoundMap(), counted.getLowerBoundOperands(),
        counted.getUpperBoundMap(), counted.getUpperBoundOperands(), lookup));
    return true;
  }
  if (auto all = dyn_cast<affine::AffineParallelOp>(loop.getOperation())) {
    unsigned i = cast<BlockArgument>(variable).getArgNumber();
    growTo(counterRange(all.getLowerBoundMap(i), all.getLowerBoundsOperands(),
                        all.getUpperBoundMap(i), all.getUpperBoundsOperands(),
                        lookup));
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
  unsigned width = ConstantIntRanges::getStorageBitwidth(variable.getType());
  ConstantIntRanges first = rangeOf((*lower)[number], width),
                    end = rangeOf((*upper)[number], width);
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
      grow(value, wholeRange(value));
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
        grow(input,
             hasIntegerRange(operand) ? known(operand) : wholeRange(input));
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

/// Drops the cases that are not in the range of what chooses.
void RangeSolver::dropCases(scf::IndexSwitchOp op,
                            SmallVectorImpl<RegionSuccessor> &successors) {
  ConstantIntRanges range = known(op.getArg());
  llvm::erase_if(successors, [&](RegionSuccessor successor) {
    unsigned number = successor.getSuccessor()->getRegionNumber();
    if (number == 0) // the default
      return false;
    APInt value(range.smin().getBitWidth(), op.getCases()[number - 1],
                /*isSigned=*/true);
    return value.slt(range.smin()) || value.sgt(range.smax());
  });
}

void RangeSolver::visit(Operation *op) {
  if (!hasOperands(op)) // it is visited again when they are
    return;
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    return visitBranch(branch);
  SmallVector<RegionSuccessor> successors;
  if (auto around = dyn_cast<RegionBranchOpInterface>(op);
      around && endsAreKnown(op)) {
    around.getEntrySuccessorRegions(constantsOf(op), successors);
    if (auto choice = dyn_cast<scf::IndexSwitchOp>(op))
      dropCases(choice, successors);
    return follow(op, successors, [&](RegionSuccessor successor) {
      return around.getEntrySuccessorOperands(successor);
    });
  }
  if (std::optional<ConstantIntRanges> range =
          exactRange(op, [&](Value v) { return known(v); }))
    return grow(op->getResult(0), *range);
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

void RangeSolver::visitPlain(Operation *op) {
  SmallVector<IntegerValueRange> operands;
  for (Value v : op->getOperands()) {
    operands.emplace_back();
    if (hasIntegerRange(v))
      operands.back() = IntegerValueRange(known(v));
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
      grow(result, ofCall(result).value_or(wholeRange(result)));
  for (Block *successor : op->getSuccessors()) {
    for (BlockArgument argument : successor->getArguments())
      grow(argument, wholeRange(argument));
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
