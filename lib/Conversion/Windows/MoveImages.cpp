//===- MoveImages.cpp - Ops behind images with channels last --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How transposed copies behind convolutions move behind the ops that follow:
// pools, elementwise ops, borders, parts and concatenations.
//
//===----------------------------------------------------------------------===//

#include "MoveImages.h"

#include "ChannelsLast.h"
#include "Structure/Contraction.h"
#include "Structure/WindowMaps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "symshape/IR/Slices.h"

using namespace mlir;
using namespace mlir::symshape;

SmallVector<int64_t> symshape::toLast(int64_t rank, int64_t moved) {
  SmallVector<int64_t> order{0};
  llvm::append_range(order, llvm::seq<int64_t>(1 + moved, rank));
  llvm::append_range(order, llvm::seq<int64_t>(1, 1 + moved));
  return order;
}

void symshape::replaceByMoved(RewriterBase &b, Operation *op, Value value,
                              ArrayRef<int64_t> order) {
  Value back =
      makeTranspose(b, op->getLoc(), value, invertPermutationVector(order));
  if (back.getType() != op->getResult(0).getType())
    back = tensor::CastOp::create(b, op->getLoc(), op->getResult(0).getType(),
                                  back);
  b.replaceOp(op, back);
}

Value symshape::moveInit(RewriterBase &b, Location loc, Value init,
                         ArrayRef<int64_t> order) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return makeTranspose(b, loc, init, order);
  Value empty = tensor::EmptyOp::create(
      b, loc, applyPermutation(tensor::getMixedSizes(b, loc, init), order),
      getElementTypeOrSelf(init.getType()));
  return linalg::FillOp::create(b, loc, fill.value(), empty).getResult(0);
}

Value symshape::beforeMove(Value value) {
  auto op = value.getDefiningOp<linalg::TransposeOp>();
  if (!op || op.getPermutation().size() < 3)
    return Value();
  SmallVector<int64_t> order = toLast(op.getPermutation().size());
  return op.getPermutation() == ArrayRef(invertPermutationVector(order))
             ? op.getInput()
             : Value();
}

namespace {
/// The images that the body of `op` reads at places that it computes.
static SmallVector<tensor::ExtractOp> getExtracts(linalg::GenericOp op,
                                                  int64_t rank) {
  SmallVector<tensor::ExtractOp> extracts;
  op.walk([&](tensor::ExtractOp extract) {
    if (extract.getTensor().getType().getRank() == rank)
      extracts.push_back(extract);
  });
  return extracts;
}

/// A pool, or an elementwise op all of whose images come with channels last.
struct MoveBehindStructured : OpRewritePattern<linalg::GenericOp> {
  MoveBehindStructured(MLIRContext *context, bool integers)
      : OpRewritePattern(context), integers(integers) {}
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &b) const override {
    if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
        isProduct(op, integers) || matchTranspose(op.getResult(0)))
      return failure();
    AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    unsigned rank = written.getNumResults();
    if (rank < 3 || written != AffineMap::getMultiDimIdentityMap(
                                   op.getNumLoops(), b.getContext())
                                   .getMajorSubMap(rank))
      return failure();
    bool isPool = op.getNumReductionLoops() != 0;
    auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
    if (isPool ? !readsWindows(op) || !fill || op.hasIndexSemantics()
               : !op.getRegionOutputArgs().front().use_empty())
      return failure();
    bool isMoved = false;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      bool moves = static_cast<bool>(beforeMove(operand->get()));
      AffineMap map = op.getMatchingIndexingMap(operand);
      if (!moves && map.isPermutation() && rank == op.getNumLoops())
        return failure(); // an image that would be read across
      isMoved |= moves;
    }
    for (tensor::ExtractOp extract : getExtracts(op, rank)) {
      if (!beforeMove(extract.getTensor()))
        return failure();
      isMoved = true;
    }
    if (!isMoved)
      return failure();
    rewrite(op, fill, b);
    return success();
  }

  static void rewrite(linalg::GenericOp op, linalg::FillOp fill,
                      PatternRewriter &b) {
    Location loc = op.getLoc();
    int64_t rank = cast<RankedTensorType>(op.getResult(0).getType()).getRank();
    SmallVector<int64_t> order = toLast(rank);
    SmallVector<AffineExpr> loops(op.getNumLoops());
    for (unsigned d = 0; d < loops.size(); ++d)
      loops[d] = b.getAffineDimExpr(d);
    for (auto [now, before] : llvm::enumerate(order))
      loops[before] = b.getAffineDimExpr(now);
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand).replaceDimsAndSymbols(
          loops, {}, loops.size(), 0);
      Value source = beforeMove(operand->get());
      inputs.push_back(source ? source : operand->get());
      if (source) {
        auto moved =
            applyPermutation(map.getResults(), toLast(map.getNumResults()));
        map = AffineMap::get(loops.size(), 0, moved, b.getContext());
      }
      maps.push_back(map);
    }
    maps.push_back(
        AffineMap::getMultiDimIdentityMap(loops.size(), b.getContext())
            .getMajorSubMap(rank));
    Value init = op.getDpsInits()[0];
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, init);
    Value target =
        tensor::EmptyOp::create(b, loc, applyPermutation(sizes, order),
                                getElementTypeOrSelf(init.getType()));
    if (fill)
      target =
          linalg::FillOp::create(b, loc, fill.value(), target).getResult(0);
    auto made =
        linalg::GenericOp::create(b, loc, target.getType(), inputs, target,
                                  maps, op.getIteratorTypesArray());
    b.cloneRegionBefore(op.getRegion(), made.getRegion(),
                        made.getRegion().end());
    moveIndices(made, order, b);
    replaceByMoved(b, op, made.getResult(0), order);
  }

  /// Adapts a body to loops that come in `order`.
  static void moveIndices(linalg::GenericOp op, ArrayRef<int64_t> order,
                          PatternRewriter &b) {
    SmallVector<int64_t> places = invertPermutationVector(order);
    op.walk([&](linalg::IndexOp index) {
      if (index.getDim() < places.size())
        index.setDim(places[index.getDim()]);
    });
    for (tensor::ExtractOp extract : getExtracts(op, order.size())) {
      SmallVector<Value> indices(extract.getIndices());
      applyPermutationToVector(indices, order);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(extract);
      b.replaceOpWithNewOp<tensor::ExtractOp>(
          extract, beforeMove(extract.getTensor()), indices);
    }
  }
  bool integers;
};

/// An image among equal numbers: as a border, part of which may be negative.
struct MoveBehindInsert : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &b) const override {
    Value source = beforeMove(op.getSource());
    int64_t rank = op.getType().getRank();
    if (!source || !op.getDest().getDefiningOp<linalg::FillOp>() ||
        op.getSourceType().getRank() != rank)
      return failure();
    Location loc = op.getLoc();
    SmallVector<int64_t> order = toLast(rank);
    Value around = moveInit(b, loc, op.getDest(), order);
    Value moved = insertSlice(b, loc, source, around,
                              {applyPermutation(op.getMixedOffsets(), order),
                               applyPermutation(op.getMixedSizes(), order),
                               applyPermutation(op.getMixedStrides(), order)});
    replaceByMoved(b, op, moved, order);
    return success();
  }
};

/// `op` around an image whose dimensions are those of its own in `order`.
static Value movePad(OpBuilder &b, tensor::PadOp op, Value image, Value number,
                     ArrayRef<int64_t> order) {
  auto shape = applyPermutation(op.getResultType().getShape(), order);
  auto type = RankedTensorType::get(shape, op.getResultType().getElementType());
  return tensor::PadOp::create(
      b, op.getLoc(), type, image, applyPermutation(op.getMixedLowPad(), order),
      applyPermutation(op.getMixedHighPad(), order), number);
}

/// Images side by side; one that is not moved yet moves, instead of all. Of
/// three dimensions, its move would be one to move back behind the op.
struct MoveBehindConcat : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &b) const override {
    int64_t rank = op.getResultType().getRank();
    if (rank < 4 ? !llvm::all_of(op.getInputs(), beforeMove)
                 : llvm::none_of(op.getInputs(), beforeMove))
      return failure();
    SmallVector<int64_t> order = toLast(rank);
    auto inputs = llvm::map_to_vector(op.getInputs(), [&](Value input) {
      Value source = beforeMove(input);
      return source ? source : makeTranspose(b, op.getLoc(), input, order);
    });
    auto dim = std::distance(
        order.begin(), llvm::find(order, static_cast<int64_t>(op.getDim())));
    auto joined = tensor::ConcatOp::create(b, op.getLoc(), dim, inputs);
    replaceByMoved(b, op, joined, order);
    return success();
  }
};

/// A part of an image.
struct MoveBehindSlice : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &b) const override {
    Value source = beforeMove(op.getSource());
    if (!source || op.getType().getRank() != op.getSourceType().getRank())
      return failure();
    SmallVector<int64_t> order = toLast(op.getType().getRank());
    Value part = extractSlice(b, op.getLoc(), source,
                              {applyPermutation(op.getMixedOffsets(), order),
                               applyPermutation(op.getMixedSizes(), order),
                               applyPermutation(op.getMixedStrides(), order)});
    replaceByMoved(b, op, part, order);
    return success();
  }
};

/// A border of one number.
struct MoveBehindPad : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &b) const override {
    Value source = beforeMove(op.getSource()),
          number = op.getConstantPaddingValue();
    if (!source || !number)
      return failure();
    SmallVector<int64_t> order = toLast(op.getResultType().getRank());
    replaceByMoved(b, op, movePad(b, op, source, number, order), order);
    return success();
  }
};

/// A border of one number, before its image is moved: the image moves to its
/// place between the borders. Of three dimensions, moving there and back are
/// the same, and MoveBehindPad would undo it.
struct MoveBeforePad : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &b) const override {
    auto pad = op.getInput().getDefiningOp<tensor::PadOp>();
    ArrayRef<int64_t> order = op.getPermutation();
    if (!pad || !op.hasPureTensorSemantics() || order.size() < 4 ||
        order != ArrayRef(toLast(order.size())) ||
        !llvm::all_of(pad->getUsers(), [&](Operation *user) {
          return user == op || isa<tensor::DimOp>(user);
        }))
      return failure();
    Value number = pad.getConstantPaddingValue();
    if (!number)
      return failure();
    b.setInsertionPoint(op);
    b.replaceOp(op,
                movePad(b, pad,
                        makeTranspose(b, op.getLoc(), pad.getSource(), order),
                        number, order));
    return success();
  }
};

/// A reduction that is no pool reads its image as it is.
struct ReadMoved : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &b) const override {
    if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() == 0 ||
        readsWindows(op) || getFactors(op).first)
      return failure();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<Value> inputs(op.getInputs());
    bool isMoved = false;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      Value source = beforeMove(operand->get());
      if (!source)
        continue;
      isMoved = true;
      AffineMap &map = maps[operand->getOperandNumber()];
      auto moved =
          applyPermutation(map.getResults(), toLast(map.getNumResults()));
      map = AffineMap::get(map.getNumDims(), 0, moved, b.getContext());
      inputs[operand->getOperandNumber()] = source;
    }
    if (!isMoved)
      return failure();
    b.modifyOpInPlace(op, [&] {
      op.getInputsMutable().assign(inputs);
      op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
    });
    return success();
  }
};

} // namespace

void symshape::populateMoveImagesPatterns(RewritePatternSet &patterns,
                                          bool integers) {
  MLIRContext *context = patterns.getContext();
  patterns.add<MoveBehindStructured>(context, integers);
  patterns.add<MoveBehindConcat, MoveBehindSlice, MoveBehindInsert,
               MoveBehindPad, MoveBeforePad, ReadMoved>(context);
}
