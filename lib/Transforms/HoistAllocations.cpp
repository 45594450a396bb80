//===- HoistAllocations.cpp - One buffer for all iterations ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First everything is decided, then everything is rewritten: the facts of a
// place belong to the ops that imply them. Whether a buffer stays inside its
// iteration is found in BufferUses.cpp.
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/HoistAllocations.h"
#include "BufferUses.h"
#include "CheckEmitter.h"
#include "LoopCounter.h"
#include "MissingFact.h"
#include "PassCounters.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "symshape/Analysis/FactCursor.h"
#include "symshape/IR/ElementBytes.h"
#include "symshape/Transforms/Passes.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_HOISTALLOCATIONSPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static constexpr llvm::StringLiteral kHoistCategory =
    "symshape-hoist-allocations";

static void reportMissed(Operation *op, const Twine &why) {
  remark::missed(
      op->getLoc(),
      remark::RemarkOpts::name("allocation").category(kHoistCategory))
      << why.str();
}

namespace {
/// A buffer and the place to which its allocation moves.
struct Move {
  Operation *alloc = nullptr;
  SmallVector<memref::DeallocOp> deallocations;
  /// The outermost loop that it leaves; at first, of all that it may leave.
  Operation *loop = nullptr;
  /// The largest number of elements that a constant may ask for.
  int64_t maxBytes = 0, maxElements = 0;
  /// How many elements are enough for each iteration.
  Expr count;
  /// If this does not hold before the loop, none are needed.
  Formula isReached = Formula::truth(true);
};

/// Decides for one function what can move, and says what stays.
class MoveFinder {
public:
  MoveFinder(FunctionShapes &shapes, const HoistAllocationsLimits &limits)
      : shapes(shapes), cursor(shapes), dominance(shapes.function()),
        limits(limits) {}

  void visit(Operation *alloc);
  SmallVector<Move> moves;

private:
  bool moveAtConstant(Move &move);
  bool moveAtLargest(Move &move);
  Expr largestIn(const LoopCounter &loop, Operation *place, Expr count);

  FunctionShapes &shapes;
  FactCursor cursor;
  DominanceInfo dominance;
  const HoistAllocationsLimits &limits;
};
} // namespace

/// Loops whose iterations run one after another.
static bool isSequentialLoop(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, affine::AffineForOp>(op);
}

/// Ops that run each of their regions at most once each time they run.
static bool runsBodyOnce(Operation *op, Operation *alloc) {
  if (isa<memref::AllocaScopeOp>(op))
    return isa<memref::AllocOp>(alloc);
  return isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp,
             affine::AffineIfOp>(op);
}

/// The loops that the allocation may leave, innermost first, and the op beyond
/// which it may not go.
static std::pair<SmallVector<Operation *>, Operation *>
loopsAround(Operation *alloc) {
  SmallVector<Operation *> loops;
  Operation *outer = alloc->getParentOp();
  for (; isSequentialLoop(outer) || runsBodyOnce(outer, alloc);
       outer = outer->getParentOp())
    if (isSequentialLoop(outer))
      loops.push_back(outer);
  return {loops, outer};
}

static Expr countOf(FunctionShapes &shapes, Operation *alloc) {
  Expr count = shapes.arena().one();
  unsigned dynamic = 0;
  for (int64_t size :
       cast<MemRefType>(alloc->getResult(0).getType()).getShape())
    count = count * (ShapedType::isDynamic(size)
                         ? shapes.value(alloc->getOperand(dynamic++))
                         : shapes.arena().constant(size));
  return count;
}

/// The move of a buffer that is seen in one iteration only; nullopt, and a
/// remark, for any other.
static std::optional<Move> findMove(Operation *alloc,
                                    const HoistAllocationsLimits &limits) {
  auto [loops, barrier] = loopsAround(alloc);
  if (loops.empty()) {
    if (auto loop = dyn_cast<LoopLikeOpInterface>(barrier))
      reportMissed(alloc, "each iteration of '" +
                              loop->getName().getStringRef() +
                              "' needs a buffer of its own");
    return std::nullopt;
  }
  auto type = cast<MemRefType>(alloc->getResult(0).getType());
  int64_t elementBytes = bytesOfElement(alloc, type);
  if (!type.getLayout().isIdentity() || elementBytes == 0) {
    reportMissed(alloc, "the layout or the size of its elements is not "
                        "that of a plain array");
    return std::nullopt;
  }
  BufferUses uses = findBufferUses(alloc->getResult(0));
  if (uses.escape) {
    reportMissed(alloc, "'" + uses.escape->getName().getStringRef() +
                            "' may keep the buffer beyond the iteration");
    return std::nullopt;
  }
  Move move;
  move.alloc = alloc;
  move.deallocations = std::move(uses.deallocations);
  move.loop = loops.back();
  move.maxBytes =
      isa<memref::AllocaOp>(alloc) ? limits.maxStackBytes : limits.maxBytes;
  move.maxElements = move.maxBytes / elementBytes;
  return move;
}

void MoveFinder::visit(Operation *alloc) {
  std::optional<Move> move = findMove(alloc, limits);
  if (!move)
    return;
  move->count = countOf(shapes, alloc);
  Relation isSmall =
      Relation::le(move->count, shapes.arena().constant(move->maxElements));
  if (moveAtConstant(*move) || moveAtLargest(*move))
    moves.push_back(std::move(*move));
  else
    reportMissed(alloc,
                 describeMissing(shapes, cursor.before(alloc), alloc, isSmall));
}

/// A constant that bounds the size in every iteration.
bool MoveFinder::moveAtConstant(Move &move) {
  std::optional<llvm::DynamicAPInt> bound =
      cursor.before(move.alloc).bounds(move.count).max;
  if (!bound || *bound > move.maxElements)
    return false;
  move.count = shapes.arena().constant(std::max(*bound, llvm::DynamicAPInt(0)));
  return true;
}

/// Out of as many loops as have an iteration in which the size is largest: the
/// program then allocates that much anyway. Only for allocations that each
/// iteration reaches.
bool MoveFinder::moveAtLargest(Move &move) {
  if (cursor.before(move.alloc).isContradictory())
    return false;
  Operation *place = move.alloc;
  move.loop = nullptr;
  while (true) {
    auto loop = dyn_cast<LoopLikeOpInterface>(place->getParentOp());
    if (!loop || !isSequentialLoop(loop))
      break;
    std::optional<LoopCounter> counted = readCounter(shapes, loop);
    Expr largest = counted ? largestIn(*counted, place, move.count) : Expr();
    if (!largest || !isKnownBefore(shapes, dominance, largest, loop))
      break;
    move.count = largest;
    move.loop = loop;
    Formula isReached = Relation::lt(counted->first, counted->end);
    bool isCertain = prove(cursor.before(loop), isReached).isYes();
    move.isReached = isCertain ? Formula::truth(true) : isReached;
    if (!isCertain)
      break;
    place = loop;
  }
  return move.loop != nullptr;
}

/// The value of `count`, which is that at `place`, in the first or the last
/// iteration, if it is never larger; else null. Both are iterations that run
/// when there is one, see `setLoopVariable`.
Expr MoveFinder::largestIn(const LoopCounter &loop, Operation *place,
                           Expr count) {
  ConstraintSet &facts = cursor.before(place);
  for (Expr value : {loop.first, loop.last()}) {
    Expr largest = shapes.arena().substitute(
        count, [&](Expr s) { return s == loop.counter ? value : Expr(); });
    if (facts.isProvably(Relation::le(count, largest)))
      return largest;
  }
  return Expr();
}

/// The elements that `move` needs, as a value or a constant before its loop.
static OpFoldResult emitCount(FunctionShapes &shapes, OpBuilder &builder,
                              const Move &move) {
  if (std::optional<int64_t> constant = move.count.asInt64())
    return builder.getIndexAttr(*constant);
  Location loc = move.alloc->getLoc();
  ExprEmitter emitter = emitterFor(shapes, builder, loc);
  Value count = emitter.emitIndex(move.count);
  if (move.isReached.isTrue())
    return count;
  Value isReached =
      emitter.emitCondition(move.isReached, /*whenUndecided=*/true);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return arith::SelectOp::create(builder, loc, isReached, count, zero)
      .getResult();
}

/// The strides of an array of these sizes without gaps.
static SmallVector<OpFoldResult> stridesOf(OpBuilder &builder, Location loc,
                                           ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(sizes.size());
  OpFoldResult stride = builder.getIndexAttr(1);
  AffineExpr a, b;
  bindSymbols(builder.getContext(), a, b);
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    if (i > 0)
      stride = affine::makeComposedFoldedAffineApply(builder, loc, a * b,
                                                     {stride, sizes[i]});
  }
  return strides;
}

/// An array of `count` elements, allocated like `alloc`.
static Value allocateArray(OpBuilder &builder, Operation *alloc,
                           OpFoldResult count) {
  auto type = cast<MemRefType>(alloc->getResult(0).getType());
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  dispatchIndexOpFoldResults(count, sizes, shape);
  auto arrayType =
      MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace());
  Location loc = alloc->getLoc();
  if (auto heap = dyn_cast<memref::AllocOp>(alloc))
    return memref::AllocOp::create(builder, loc, arrayType, sizes,
                                   heap.getAlignmentAttr());
  return memref::AllocaOp::create(
      builder, loc, arrayType, sizes,
      cast<memref::AllocaOp>(alloc).getAlignmentAttr());
}

/// Sizes that the uses ask for stay as they are: `affine` accepts the size of
/// an allocation as a symbol, but not that of its view.
static void replaceDims(Value buffer, ArrayRef<OpFoldResult> sizes) {
  for (Operation *user : llvm::make_early_inc_range(buffer.getUsers())) {
    if (isa<memref::CastOp>(user))
      replaceDims(user->getResult(0), sizes);
    auto dim = dyn_cast<memref::DimOp>(user);
    std::optional<int64_t> d = dim ? dim.getConstantIndex() : std::nullopt;
    if (!d || *d < 0 || *d >= static_cast<int64_t>(sizes.size()))
      continue;
    OpBuilder builder(dim);
    dim.replaceAllUsesWith(
        getValueOrCreateConstantIndexOp(builder, dim.getLoc(), sizes[*d]));
    dim.erase();
  }
}

/// Gives each iteration a part of an array that is allocated before the loop.
static Value replaceByArray(FunctionShapes &shapes, const Move &move) {
  Operation *alloc = move.alloc;
  Location loc = alloc->getLoc();
  auto type = cast<MemRefType>(alloc->getResult(0).getType());
  OpBuilder builder(move.loop);
  Value array = allocateArray(builder, alloc, emitCount(shapes, builder, move));
  builder.setInsertionPoint(alloc);
  SmallVector<OpFoldResult> sizes =
      getMixedValues(type.getShape(), alloc->getOperands(), builder);
  replaceDims(alloc->getResult(0), sizes);
  Value view = memref::ReinterpretCastOp::create(
      builder, loc, type, array, OpFoldResult(builder.getIndexAttr(0)), sizes,
      stridesOf(builder, loc, sizes));
  alloc->getResult(0).replaceAllUsesWith(view);
  alloc->erase();
  return array;
}

/// Allocates the buffer in front of the loop, unchanged.
static Value moveAsItIs(const Move &move) {
  move.alloc->moveBefore(move.loop);
  return move.alloc->getResult(0);
}

static void deallocateBehind(const Move &move, Location loc, Value buffer) {
  if (move.deallocations.empty())
    return;
  for (memref::DeallocOp dealloc : move.deallocations)
    dealloc.erase();
  OpBuilder builder(move.loop->getContext());
  builder.setInsertionPointAfter(move.loop);
  memref::DeallocOp::create(builder, loc, buffer);
}

static bool hasStaticSize(Operation *alloc) {
  return cast<MemRefType>(alloc->getResult(0).getType()).hasStaticShape();
}

template <typename Visit>
static void visitAllocations(func::FuncOp function, Visit visit) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<memref::AllocOp, memref::AllocaOp>(op))
      visit(op);
  });
}

unsigned
mlir::symshape::hoistAllocations(FunctionShapes &shapes,
                                 const HoistAllocationsLimits &limits) {
  MoveFinder finder(shapes, limits);
  visitAllocations(shapes.function(),
                   [&](Operation *alloc) { finder.visit(alloc); });
  for (const Move &move : finder.moves) {
    std::string size = move.count.isConstant()
                           ? "at most " + move.count.str() + " elements"
                           : "the size of its largest iteration";
    remark::passed(
        move.alloc->getLoc(),
        remark::RemarkOpts::name("allocation").category(kHoistCategory))
        << ("allocated before '" + move.loop->getName().getStringRef() +
            "' with " + size)
               .str();
    Location loc = move.alloc->getLoc();
    Value buffer = hasStaticSize(move.alloc) ? moveAsItIs(move)
                                             : replaceByArray(shapes, move);
    deallocateBehind(move, loc, buffer);
  }
  return finder.moves.size();
}

unsigned
mlir::symshape::hoistStaticAllocations(func::FuncOp function,
                                       const HoistAllocationsLimits &limits) {
  SmallVector<Move> moves;
  visitAllocations(function, [&](Operation *alloc) {
    if (!hasStaticSize(alloc))
      return;
    std::optional<Move> move = findMove(alloc, limits);
    if (move &&
        staticBytes(alloc, cast<MemRefType>(alloc->getResult(0).getType()),
                    move->maxBytes + 1) <= move->maxBytes)
      moves.push_back(std::move(*move));
  });
  for (const Move &move : moves)
    deallocateBehind(move, move.alloc->getLoc(), moveAsItIs(move));
  return moves.size();
}

namespace {
struct HoistAllocationsPass
    : symshape::impl::HoistAllocationsPassBase<HoistAllocationsPass> {
  using HoistAllocationsPassBase::HoistAllocationsPassBase;

  void runOnOperation() override {
    HoistAllocationsLimits limits{maxBytes, maxStackBytes};
    CountQuestions questions(*this, numAsked, numNew);
    unsigned numOfAll = 0;
    getOperation()->walk([&](func::FuncOp func) {
      if (staticOnly)
        numOfAll += hoistStaticAllocations(func, limits);
      else if (auto *shapes = getAnalysis<ShapeAnalysis>().lookup(func))
        numOfAll += hoistAllocations(*shapes, limits);
    });
    count(*this, numMoved, "num-moved", numOfAll);
    if (numOfAll == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
