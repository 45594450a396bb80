//===- BodyChecks.cpp - Checks of what a structured op reads --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An obligation inside the body of a structured op that depends on elements:
// one reduction over those elements finds the first position where it fails.
//
//===----------------------------------------------------------------------===//

#include "CheckEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// The part of a body that some obligations depend on, and its copies.
///
/// A copy needs, at its insertion point, the position along each loop in
/// `loops` and the elements of the operands in `operands`.
class BodySlice {
public:
  BodySlice(linalg::LinalgOp op, FunctionShapes &shapes)
      : op(op), block(op.getBlock()), shapes(shapes) {}

  /// Fails where the slice has effects or reads results of the loop itself.
  LogicalResult add(const Requirement &requirement);

  /// Clones the slice; `position` gives the value of each loop, `elements`
  /// those of the operands. Null where the condition cannot be computed.
  Value emitCondition(OpBuilder &builder, const Requirement &requirement,
                      ArrayRef<Value> position, ArrayRef<Value> elements);
  void emitFailure(OpBuilder &builder, const Requirement &requirement,
                   ArrayRef<Value> position, ArrayRef<Value> elements,
                   ArrayRef<Value> shownPosition);

  linalg::LinalgOp op;
  llvm::SetVector<unsigned> loops;
  llvm::SetVector<unsigned> operands;

private:
  IRMapping clone(OpBuilder &builder, ArrayRef<Value> position,
                  ArrayRef<Value> elements);
  ExprEmitter emitter(OpBuilder &builder, Location loc,
                      const Requirement &requirement, ArrayRef<Value> position,
                      IRMapping &copies);
  bool isInside(Value value) const {
    return value && value.getParentBlock() == block;
  }
  LogicalResult addValue(Value value);
  /// The branches inside the body that lead to `inner`, each with the outcome
  /// of its condition that does; nullopt where it is in a loop.
  std::optional<SmallVector<std::pair<Value, bool>>>
  branchesTo(Operation *inner);

  Block *block;
  FunctionShapes &shapes;
  llvm::SetVector<Operation *> ops;
};
} // namespace

LogicalResult BodySlice::addValue(Value root) {
  SmallVector<Value> worklist{root};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!isInside(value)) {
      // A value of a nested region has none at the top of the body.
      if (block->getParent()->isProperAncestor(value.getParentRegion()))
        return failure();
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      // The element of an init is the one before the op only where each is
      // visited once; else it is what the body has accumulated.
      if (op.isDpsInit(operand) &&
          !op.getMatchingIndexingMap(operand).isPermutation())
        return failure();
      operands.insert(operand->getOperandNumber());
      for (AffineExpr e : op.getMatchingIndexingMap(operand).getResults())
        e.walk([&](AffineExpr part) {
          if (auto dim = dyn_cast<AffineDimExpr>(part))
            loops.insert(dim.getPosition());
        });
      continue;
    }
    Operation *def = value.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(def))
      loops.insert(index.getDim());
    else if (!isMemoryEffectFree(def) || def->getNumRegions() != 0)
      return failure();
    if (ops.insert(def))
      llvm::append_range(worklist, def->getOperands());
  }
  return success();
}

/// The loop that an iteration symbol of the requirement counts, if it is one of
/// this op: its counters are the last ones, in the order of the loops.
static std::optional<unsigned>
loopOf(linalg::LinalgOp op, const Requirement &requirement, Expr symbol) {
  unsigned numLoops = op.getNumLoops();
  size_t total = requirement.iterations.size();
  for (unsigned loop = 0; loop < numLoops && loop < total; ++loop)
    if (requirement.iterations[total - numLoops + loop].symbol == symbol)
      return loop;
  return std::nullopt;
}

/// What to compute of an assert when no formula expresses it.
static Value assertedValue(const Requirement &requirement) {
  auto assertion = dyn_cast<cf::AssertOp>(requirement.op);
  return assertion ? assertion.getArg() : Value();
}

std::optional<SmallVector<std::pair<Value, bool>>>
BodySlice::branchesTo(Operation *inner) {
  SmallVector<std::pair<Value, bool>> branches;
  for (; inner->getBlock() != block; inner = inner->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(inner->getParentOp());
    if (!branch)
      return std::nullopt;
    branches.push_back({branch.getCondition(),
                        inner->getParentRegion() == &branch.getThenRegion()});
  }
  return branches;
}

LogicalResult BodySlice::add(const Requirement &requirement) {
  auto branches = branchesTo(requirement.op);
  if (!branches)
    return failure();
  for (auto [condition, taken] : *branches)
    if (failed(addValue(condition)))
      return failure();
  if (requirement.condition.hasOpaque()) {
    Value asserted = assertedValue(requirement);
    return asserted ? addValue(asserted) : failure();
  }
  SmallVector<Expr> symbols;
  requirement.condition.collectSymbols(symbols);
  for (Expr symbol : symbols) {
    if (std::optional<unsigned> loop = loopOf(op, requirement, symbol)) {
      loops.insert(*loop);
      continue;
    }
    const SymbolDef *def = shapes.definition(symbol);
    if (!def || !def->value)
      continue;
    if (failed(addValue(def->value)))
      return failure();
  }
  return success();
}

IRMapping BodySlice::clone(OpBuilder &builder, ArrayRef<Value> position,
                           ArrayRef<Value> elements) {
  IRMapping copies;
  for (auto [i, operand] : llvm::enumerate(operands))
    copies.map(op.getBlock()->getArgument(operand), elements[i]);
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (!ops.contains(&inner))
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(&inner))
      copies.map(index.getResult(), position[index.getDim()]);
    else
      builder.clone(inner, copies);
  }
  return copies;
}

ExprEmitter BodySlice::emitter(OpBuilder &builder, Location loc,
                               const Requirement &requirement,
                               ArrayRef<Value> position, IRMapping &copies) {
  auto outer = std::make_shared<SymbolValues>(shapes, builder, loc);
  SmallVector<Value> where(position);
  auto valueOf = [this, outer, where, &requirement,
                  &copies](Expr symbol) -> Value {
    if (std::optional<unsigned> loop = loopOf(op, requirement, symbol))
      return where[*loop];
    const SymbolDef *def = shapes.definition(symbol);
    if (def && def->dim < 0 && isInside(def->value))
      return copies.lookupOrNull(def->value);
    return (*outer)(symbol);
  };
  FunctionShapes &known = shapes;
  return ExprEmitter(builder, loc, valueOf, [&known](Expr symbol) {
    // Loop counters have no range of their own; extents bound them.
    const SymbolDef *def = known.definition(symbol);
    if (def && def->kind == SymbolDef::Iteration)
      return symshape::Range::between(0, INT64_MAX);
    return known.entryFacts().info(symbol).range;
  });
}

Value BodySlice::emitCondition(OpBuilder &builder,
                               const Requirement &requirement,
                               ArrayRef<Value> position,
                               ArrayRef<Value> elements) {
  Location loc = op.getLoc();
  IRMapping copies = clone(builder, position, elements);
  Value holds = requirement.condition.hasOpaque()
                    ? copies.lookupOrDefault(assertedValue(requirement))
                    : emitter(builder, loc, requirement, position, copies)
                          .emitCondition(requirement.condition);
  if (!holds)
    return Value();
  // Where a branch is not taken, nothing is required.
  auto branches = branchesTo(requirement.op);
  for (auto [condition, taken] : *branches) {
    Value outcome =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(taken));
    Value idle = arith::XOrIOp::create(
        builder, loc, copies.lookupOrDefault(condition), outcome);
    holds = arith::OrIOp::create(builder, loc, holds, idle);
  }
  return holds;
}

void BodySlice::emitFailure(OpBuilder &builder, const Requirement &requirement,
                            ArrayRef<Value> position, ArrayRef<Value> elements,
                            ArrayRef<Value> shownPosition) {
  IRMapping copies = clone(builder, position, elements);
  ExprEmitter values =
      emitter(builder, op.getLoc(), requirement, position, copies);
  SmallVector<Expr> shown;
  std::string place = " at position [";
  std::string text = messageOf(shapes, requirement, "\1", shown);
  for (size_t i = 0; i < shownPosition.size(); ++i)
    place += (i ? ", {" : "{") + std::to_string(shown.size() + i) + "}";
  place += "]";
  size_t mark = text.find('\1');
  text.replace(mark, 1, shownPosition.empty() ? "" : place);
  SmallVector<Value> operandsShown;
  for (Expr e : shown) {
    Value value = values.emitIndex(e);
    operandsShown.push_back(
        value ? value
              : arith::ConstantIndexOp::create(builder, op.getLoc(), -1));
  }
  llvm::append_range(operandsShown, shownPosition);
  FailOp::create(builder, op.getLoc(), operandsShown,
                 builder.getStringAttr(text));
}

namespace {
/// One reduction over the loops of a slice, and its verdict.
class BodyCheck {
public:
  BodyCheck(BodySlice &slice, OpBuilder &builder,
            ArrayRef<const Requirement *> required)
      : slice(slice), op(slice.op), builder(builder), loc(op.getLoc()),
        required(required) {}

  LogicalResult emit();

private:
  void readExtents();
  Value emitReduction();
  void emitVerdict(Value firstBad);
  AffineMap mapOver(AffineMap map);

  BodySlice &slice;
  linalg::LinalgOp op;
  OpBuilder &builder;
  Location loc;
  ArrayRef<const Requirement *> required;
  SmallVector<Value> extents; ///< of every loop of the op
  SmallVector<unsigned> loops;
  Value none;
};
} // namespace

/// The map of an operand, over the loops of the reduction.
AffineMap BodyCheck::mapOver(AffineMap map) {
  SmallVector<AffineExpr> dims(op.getNumLoops(),
                               builder.getAffineConstantExpr(0));
  for (auto [i, loop] : llvm::enumerate(loops))
    dims[loop] = builder.getAffineDimExpr(i);
  return map.replaceDimsAndSymbols(dims, {}, loops.size(), 0);
}

void BodyCheck::readExtents() {
  extents.assign(op.getNumLoops(), Value());
  for (OpOperand &operand : op->getOpOperands())
    for (auto [d, e] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(e);
          dim && !extents[dim.getPosition()])
        extents[dim.getPosition()] =
            tensor::DimOp::create(builder, loc, operand.get(), d);
}

/// The least linear position that is bad, or `none`.
Value BodyCheck::emitReduction() {
  Type i64 = builder.getI64Type();
  none = arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(INT64_MAX));
  Value init = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{}, i64);
  init = linalg::FillOp::create(builder, loc, none, init).getResult(0);
  SmallVector<Value> strides(loops.size());
  Value stride = arith::ConstantIndexOp::create(builder, loc, 1);
  for (size_t i = loops.size(); i-- > 0;) {
    strides[i] = stride;
    stride = arith::MulIOp::create(builder, loc, stride, extents[loops[i]]);
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (unsigned operand : slice.operands) {
    inputs.push_back(op->getOperand(operand));
    maps.push_back(
        mapOver(op.getMatchingIndexingMap(&op->getOpOperand(operand))));
  }
  // A tensor that is never read gives the extents of loops that no operand has.
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop : loops)
    sizes.push_back(getAsOpFoldResult(extents[loop]));
  inputs.push_back(
      tensor::EmptyOp::create(builder, loc, sizes, builder.getI1Type()));
  maps.push_back(builder.getMultiDimIdentityMap(loops.size()));
  maps.push_back(AffineMap::get(loops.size(), 0, builder.getContext()));
  SmallVector<utils::IteratorType> iterators(loops.size(),
                                             utils::IteratorType::reduction);
  bool allComputed = true;
  auto reduction = linalg::GenericOp::create(
      builder, loc, TypeRange{init.getType()}, inputs, ValueRange{init}, maps,
      iterators, [&](OpBuilder &b, Location where, ValueRange args) {
        SmallVector<Value> position(op.getNumLoops());
        Value linear; // stays null where there are no loops
        for (auto [i, loop] : llvm::enumerate(loops)) {
          position[loop] = linalg::IndexOp::create(b, where, i);
          Value part =
              arith::MulIOp::create(b, where, position[loop], strides[i]);
          linear =
              linear ? arith::AddIOp::create(b, where, linear, part).getResult()
                     : part;
        }
        SmallVector<Value> elements(args.begin(),
                                    args.begin() + slice.operands.size());
        Value good;
        for (const Requirement *requirement : required) {
          Value holds =
              slice.emitCondition(b, *requirement, position, elements);
          if (!holds) {
            allComputed = false;
            continue;
          }
          good = good ? arith::AndIOp::create(b, where, good, holds).getResult()
                      : holds;
        }
        Value best = args.back();
        if (good) {
          if (!linear)
            linear = arith::ConstantIndexOp::create(b, where, 0);
          Value here = arith::IndexCastOp::create(b, where, i64, linear);
          Value bad = arith::SelectOp::create(b, where, good, none, here);
          best = arith::MinSIOp::create(b, where, best, bad);
        }
        linalg::YieldOp::create(b, where, best);
      });
  if (!allComputed)
    return Value();
  return tensor::ExtractOp::create(builder, loc, reduction.getResult(0),
                                   ValueRange{});
}

void BodyCheck::emitVerdict(Value firstBad) {
  Value bad = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                    firstBad, none);
  // The body runs only where the other loops do.
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    if (llvm::is_contained(loops, loop) || !extent)
      continue;
    Value runs = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                       extent, zero);
    bad = arith::AndIOp::create(builder, loc, bad, runs);
  }
  auto branch = scf::IfOp::create(builder, loc, bad, /*withElseRegion=*/false);
  OpBuilder cold(branch.thenBlock(), branch.thenBlock()->begin());
  Value rest =
      arith::IndexCastOp::create(cold, loc, cold.getIndexType(), firstBad);
  SmallVector<Value> position(op.getNumLoops()), shownPosition(loops.size());
  for (size_t i = loops.size(); i-- > 0;) {
    Value extent = extents[loops[i]];
    shownPosition[i] = arith::RemUIOp::create(cold, loc, rest, extent);
    position[loops[i]] = shownPosition[i];
    rest = arith::DivUIOp::create(cold, loc, rest, extent);
  }
  SmallVector<Value> elements;
  for (unsigned operand : slice.operands) {
    AffineMap map =
        mapOver(op.getMatchingIndexingMap(&op->getOpOperand(operand)));
    SmallVector<Value> indices;
    for (AffineExpr e : map.getResults())
      indices.push_back(affine::AffineApplyOp::create(
          cold, loc, AffineMap::get(map.getNumDims(), 0, e), shownPosition));
    elements.push_back(
        tensor::ExtractOp::create(cold, loc, op->getOperand(operand), indices));
  }
  for (const Requirement *requirement : required) {
    Value holds = slice.emitCondition(cold, *requirement, position, elements);
    Value yes = arith::ConstantOp::create(cold, loc, cold.getBoolAttr(true));
    Value fails = arith::XOrIOp::create(cold, loc, holds, yes);
    auto one = scf::IfOp::create(cold, loc, fails, /*withElseRegion=*/false);
    OpBuilder inside(one.thenBlock(), one.thenBlock()->begin());
    slice.emitFailure(inside, *requirement, position, elements, shownPosition);
  }
}

LogicalResult BodyCheck::emit() {
  loops.assign(slice.loops.begin(), slice.loops.end());
  llvm::sort(loops);
  readExtents();
  for (unsigned loop : loops)
    if (!extents[loop])
      return failure();
  Value firstBad = emitReduction();
  if (!firstBad)
    return failure();
  emitVerdict(firstBad);
  return success();
}

/// Whether computing the obligation reads memory: then it may only be computed
/// once earlier obligations are known to hold.
static bool readsElements(linalg::LinalgOp op, FunctionShapes &shapes,
                          const Requirement &requirement) {
  SmallVector<Value> worklist;
  SmallVector<Expr> symbols;
  requirement.condition.collectSymbols(symbols);
  for (Expr symbol : symbols)
    if (const SymbolDef *def = shapes.definition(symbol); def && def->value)
      worklist.push_back(def->value);
  if (Value asserted = assertedValue(requirement))
    worklist.push_back(asserted);
  for (Operation *inner = requirement.op; inner->getBlock() != op.getBlock();
       inner = inner->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(inner->getParentOp()))
      worklist.push_back(branch.getCondition());
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *def = value.getDefiningOp();
    if (!def || def->getBlock() != op.getBlock() || !seen.insert(value).second)
      continue;
    if (isa<tensor::ExtractOp>(def))
      return true;
    llvm::append_range(worklist, def->getOperands());
  }
  return false;
}

LogicalResult
mlir::symshape::emitBodyChecks(FunctionShapes &shapes, Operation *body,
                               ArrayRef<const Requirement *> requirements) {
  auto op = cast<linalg::LinalgOp>(body);
  OpBuilder builder(body);
  auto refuse = [&](const Requirement &requirement) {
    return requirement.op->emitError()
           << "cannot be checked before " << body->getName() << " runs";
  };
  auto emitGroup = [&](ArrayRef<const Requirement *> group) -> LogicalResult {
    BodySlice slice(op, shapes);
    for (const Requirement *requirement : group)
      if (failed(slice.add(*requirement)))
        return refuse(*requirement);
    if (failed(BodyCheck(slice, builder, group).emit()))
      return refuse(*group.front());
    return success();
  };
  // One reduction reads tensors alone.
  if (!op.hasPureTensorSemantics())
    return refuse(*requirements.front());
  SmallVector<const Requirement *> group;
  for (const Requirement *requirement : requirements) {
    if (!group.empty() && readsElements(op, shapes, *requirement)) {
      if (failed(emitGroup(group)))
        return failure();
      group.clear();
    }
    group.push_back(requirement);
  }
  if (!group.empty() && failed(emitGroup(group)))
    return failure();
  return success();
}
