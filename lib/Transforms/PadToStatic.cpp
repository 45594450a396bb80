//===- PadToStatic.cpp - Tiles of static shape ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First everything is decided, then everything is rewritten: the facts of a
// place belong to the ops that imply them. PaddingValues.cpp finds the values
// to pad with.
//
// Upstream's `rewriteAsPaddedOp` is not used: through `makeComposedPadHighOp`
// it mistakes the padding of a producer's destination for that of its result,
// so a sum over `exp(tile)` would add exp(0) for each padded element.
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/PadToStatic.h"
#include "MissingFact.h"
#include "PaddingValues.h"
#include "PassCounters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "symshape/Analysis/FactCursor.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/IR/Slices.h"
#include "symshape/Transforms/Passes.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_PADTOSTATICPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;
using linalg::LinalgOp;

static constexpr llvm::StringLiteral kPadCategory = "symshape-pad-to-static";

static remark::RemarkOpts optionsOfRemark() {
  return remark::RemarkOpts::name("tile").category(kPadCategory);
}

static void reportIndexing(LinalgOp op) {
  remark::missed(op->getLoc(), optionsOfRemark())
      << "the operands are not indexed by loops and sums of loops";
}

namespace {
/// An op, the extents of its loops and the static shapes of its operands.
struct PaddedTile {
  LinalgOp op;
  SmallVector<int64_t> loops;
  SmallVector<SmallVector<int64_t>> shapes;
  PaddingValues padding;
};

/// Decides for one function what is padded, and says what is not.
class TileFinder {
public:
  TileFinder(FunctionShapes &shapes, int64_t maxExtent)
      : shapes(shapes), cursor(shapes), maxExtent(maxExtent) {}

  void visit(LinalgOp op);
  SmallVector<PaddedTile> tiles;

private:
  std::optional<int64_t> boundOf(OpOperand &operand, unsigned dim,
                                 int64_t most);
  std::optional<SmallVector<int64_t>> boundsOfLoops(LinalgOp op);
  std::optional<SmallVector<int64_t>> paddedShape(OpOperand &operand,
                                                  ArrayRef<int64_t> loops);

  FunctionShapes &shapes;
  FactCursor cursor;
  int64_t maxExtent;
};
} // namespace

/// Whether the value grows with each dim: no subtraction, no remainder.
static bool isSum(AffineExpr e) {
  bool result = true;
  e.walk([&](AffineExpr part) {
    auto constant = dyn_cast<AffineConstantExpr>(part);
    if ((constant && constant.getValue() < 0) ||
        part.getKind() == AffineExprKind::Mod)
      result = false;
  });
  return result;
}

/// A constant from 1 to `most` that the extent does not exceed; else a remark.
std::optional<int64_t> TileFinder::boundOf(OpOperand &operand, unsigned dim,
                                           int64_t most) {
  Operation *op = operand.getOwner();
  Expr extent = shapes.dim(operand.get(), dim);
  ConstraintSet &facts = cursor.before(op);
  std::optional<llvm::DynamicAPInt> bound = facts.bounds(extent).max;
  if (bound && *bound <= most)
    return std::max<int64_t>(1, int64_t(*bound));
  Relation isSmall = Relation::le(extent, shapes.arena().constant(most));
  remark::missed(op->getLoc(), optionsOfRemark())
      << describeMissing(shapes, facts, op, isSmall);
  return std::nullopt;
}

/// How far each loop of the op runs, if its types say so.
static SmallVector<int64_t> staticLoops(LinalgOp op) {
  SmallVector<int64_t> result(op.getNumLoops(), ShapedType::kDynamic);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [e, size] :
         llvm::zip(op.getMatchingIndexingMap(&operand).getResults(),
                   op.getShape(&operand)))
      if (auto dim = dyn_cast<AffineDimExpr>(e);
          dim && !ShapedType::isDynamic(size))
        result[dim.getPosition()] = size;
  return result;
}

/// How far each loop runs when the op is padded: to its static extent, or to
/// the largest bound of the extents that it indexes.
std::optional<SmallVector<int64_t>> TileFinder::boundsOfLoops(LinalgOp op) {
  SmallVector<int64_t> fixed = staticLoops(op), result = fixed;
  for (OpOperand &operand : op->getOpOperands())
    for (auto [d, e] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(e);
      if (!dim || !ShapedType::isDynamic(op.getShape(&operand)[d]))
        continue;
      unsigned loop = dim.getPosition();
      // That the op demands equal extents does not prove it.
      bool isFixed = !ShapedType::isDynamic(fixed[loop]);
      std::optional<int64_t> bound =
          boundOf(operand, d, isFixed ? fixed[loop] : maxExtent);
      if (!bound)
        return std::nullopt;
      result[loop] = std::max(result[loop], *bound);
    }
  if (llvm::is_contained(result, ShapedType::kDynamic)) {
    reportIndexing(op);
    return std::nullopt;
  }
  return result;
}

/// The shape that covers both the operand and what the loops then index.
std::optional<SmallVector<int64_t>>
TileFinder::paddedShape(OpOperand &operand, ArrayRef<int64_t> loops) {
  auto op = cast<LinalgOp>(operand.getOwner());
  SmallVector<int64_t> result(op.getShape(&operand));
  SmallVector<AffineExpr> last;
  for (int64_t loop : loops)
    last.push_back(getAffineConstantExpr(loop - 1, op->getContext()));
  for (auto [d, e] :
       llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(e)) {
      result[d] = loops[dim.getPosition()];
      continue;
    }
    auto end = dyn_cast<AffineConstantExpr>(e.replaceDims(last));
    std::optional<int64_t> bound = ShapedType::isDynamic(result[d])
                                       ? boundOf(operand, d, maxExtent)
                                       : result[d];
    if (!bound)
      return std::nullopt;
    if (!end || !isSum(e)) {
      reportIndexing(op);
      return std::nullopt;
    }
    result[d] = std::max(*bound, end.getValue() + 1);
  }
  return result;
}

void TileFinder::visit(LinalgOp op) {
  auto isDynamic = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  };
  if (!op.hasPureTensorSemantics() ||
      !op->getParentOfType<LoopLikeOpInterface>() ||
      llvm::none_of(op->getOperandTypes(), isDynamic))
    return;
  std::optional<SmallVector<int64_t>> loops = boundsOfLoops(op);
  if (!loops)
    return;
  PaddedTile tile{op, *loops, {}, {}};
  llvm::SmallBitVector padded(loops->size());
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<SmallVector<int64_t>> shape = paddedShape(operand, *loops);
    if (!shape)
      return;
    for (auto [d, e] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(e);
          dim && ShapedType::isDynamic(op.getShape(&operand)[d]))
        padded.set(dim.getPosition());
    tile.shapes.push_back(std::move(*shape));
  }
  std::string reason;
  FailureOr<PaddingValues> padding = choosePadding(op, padded, reason);
  if (failed(padding)) {
    remark::missed(op->getLoc(), optionsOfRemark()) << reason;
    return;
  }
  tile.padding = std::move(*padding);
  tiles.push_back(std::move(tile));
}

/// What `value` is a part of, if that begins with it and has this type.
static Value findWider(Value value, RankedTensorType type) {
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  bool isPrefix = slice && slice.getSourceType() == type &&
                  llvm::all_of(slice.getStaticOffsets(),
                               [](int64_t offset) { return offset == 0; }) &&
                  llvm::all_of(slice.getStaticStrides(),
                               [](int64_t stride) { return stride == 1; });
  return isPrefix ? slice.getSource() : Value();
}

static Value padOperand(OpBuilder &builder, const PaddedTile &tile,
                        OpOperand &operand) {
  LinalgOp op = tile.op;
  unsigned i = operand.getOperandNumber();
  Value value = operand.get();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getShape() == ArrayRef(tile.shapes[i]))
    return value;
  auto wide = type.clone(tile.shapes[i]);
  // A loop without iterations leaves what it has not read, too.
  bool isOverwritten = op.isDpsInit(&operand) &&
                       !op.payloadUsesValueFromOperand(&operand) &&
                       op.getMatchingIndexingMap(&operand).isPermutation();
  if (isOverwritten)
    return tensor::EmptyOp::create(builder, op.getLoc(), wide, ValueRange());
  if (!tile.padding.matters[i])
    if (Value source = findWider(value, wide))
      return source;
  Value padding =
      arith::ConstantOp::create(builder, op.getLoc(), tile.padding.values[i]);
  return tensor::createPadHighOp(wide, value, padding, /*nofold=*/false,
                                 op.getLoc(), builder, ValueRange());
}

static void rewrite(const PaddedTile &tile) {
  LinalgOp op = tile.op;
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(padOperand(builder, tile, operand));
  auto types = ValueRange(operands).take_back(op.getNumDpsInits()).getTypes();
  Operation *wide = clone(builder, op, types, operands);
  for (auto [init, from, to] :
       llvm::zip(op.getDpsInits(), op->getResults(), wide->getResults())) {
    if (from.getType() == to.getType()) {
      from.replaceAllUsesWith(to);
      continue;
    }
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, op.getLoc(), init);
    SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0)),
        ones(sizes.size(), builder.getIndexAttr(1));
    from.replaceAllUsesWith(
        extractSlice(builder, op.getLoc(), to, {zeros, sizes, ones}));
  }
  op->erase();
}

unsigned mlir::symshape::padToStatic(FunctionShapes &shapes,
                                     int64_t maxExtent) {
  TileFinder finder(shapes, maxExtent);
  shapes.function().walk<WalkOrder::PreOrder>(
      [&](LinalgOp op) { finder.visit(op); });
  for (const PaddedTile &tile : finder.tiles) {
    std::string text = "padded to loops of ";
    llvm::raw_string_ostream os(text);
    llvm::interleave(tile.loops, os, "x");
    remark::passed(tile.op->getLoc(), optionsOfRemark()) << text;
    rewrite(tile);
  }
  return finder.tiles.size();
}

namespace {
struct PadToStaticPass : symshape::impl::PadToStaticPassBase<PadToStaticPass> {
  using PadToStaticPassBase::PadToStaticPassBase;

  void runOnOperation() override {
    CountQuestions questions(*this, numAsked, numNew);
    auto &analysis = getAnalysis<ShapeAnalysis>();
    unsigned numOfAll = 0;
    getOperation()->walk([&](func::FuncOp func) {
      FunctionShapes *shapes = analysis.lookup(func);
      unsigned numOfFunction = shapes ? padToStatic(*shapes, maxExtent) : 0;
      if (numOfFunction && !func->hasAttr(kGuarded))
        remark::passed(func.getLoc(),
                       remark::RemarkOpts::name("facts").category(
                           "symshape-pad-to-static"))
            << "pads operands, and that their extents agree is not needed any "
               "more where symshape-insert-guards has not run";
      numOfAll += numOfFunction;
    });
    count(*this, numPadded, "num-padded", numOfAll);
    if (numOfAll == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
