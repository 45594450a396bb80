//===- GatherLoops.cpp - Gather and scatter as loops ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop for each batch axis, the results being carried; inside, the window is
// a slice of the one tensor and of the other. Bufferization makes the slices
// views and the loops work in place.
//
//===----------------------------------------------------------------------===//

#include "GatherLoops.h"

#include "Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::symshape;

void symshape::failIf(OpBuilder &builder, Operation *op, Value fails,
                      StringRef text, StringRef primitive, const Twine &field,
                      const Twine &observed, ValueRange values) {
  Location loc = op->getLoc();
  auto branch =
      scf::IfOp::create(builder, loc, fails, /*withElseRegion=*/false);
  OpBuilder inside(branch.thenBlock(), branch.thenBlock()->begin());
  std::string message =
      ("@" + op->getParentOfType<func::FuncOp>().getName() + ": " + text).str();
  if (loc->findInstanceOf<FileLineColLoc>()) {
    Requirement requirement;
    requirement.op = op;
    message += "\n  needed by " + describeOrigin(requirement);
  }
  // A brace that is no placeholder is doubled.
  message += "\nsymshape: {" + makeTriple(primitive, field, observed);
  FailOp::create(inside, loc, values, builder.getStringAttr(message));
}

Value symshape::clampStart(OpBuilder &builder, Location loc, Value start,
                           Value last) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  start = arith::MinSIOp::create(builder, loc, start, last);
  return arith::MaxSIOp::create(builder, loc, start, zero);
}

namespace {
/// What gather and scatter have in common: where the window of a position
/// begins in the source.
class Windows {
public:
  Windows(RewriterBase &rewriter, Operation *op, Value source, Value indices,
          int64_t vectorDim, ArrayRef<int64_t> startMap,
          ArrayRef<int64_t> batching, ArrayRef<int64_t> indexBatching)
      : b(rewriter), op(op), loc(op->getLoc()), source(source),
        indices(indices), vectorDim(vectorDim), startMap(startMap),
        batching(batching), indexBatching(indexBatching) {}

  /// Reads extents before the loops; `sizes` are those of windows.
  void prepare(ArrayRef<OpFoldResult> sizes);
  /// Computes the starts of the window at a position of the indices.
  void computeStarts(ValueRange position);
  /// Moves starts to where the window fits.
  void clamp();
  /// Whether each component is in range.
  Value isInRange();
  void failUnlessInRange();

  SmallVector<Value> starts; ///< per axis of the source

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  RewriterBase &b;
  Operation *op;
  Location loc;
  Value source, indices;
  int64_t vectorDim;
  ArrayRef<int64_t> startMap, batching, indexBatching;
  SmallVector<Value> last; ///< the largest start, per component
};
} // namespace

void Windows::prepare(ArrayRef<OpFoldResult> sizes) {
  for (int64_t axis : startMap) {
    Value extent = tensor::DimOp::create(b, loc, source, axis);
    Value size = getValueOrCreateConstantIndexOp(b, loc, sizes[axis]);
    last.push_back(arith::SubIOp::create(b, loc, extent, size));
  }
}

void Windows::computeStarts(ValueRange position) {
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  starts.assign(rank, Value());
  int64_t indexRank = cast<RankedTensorType>(indices.getType()).getRank();
  for (auto [component, axis] : llvm::enumerate(startMap)) {
    SmallVector<Value> at(position);
    if (vectorDim < indexRank)
      at.insert(at.begin() + vectorDim, constant(component));
    Value index = tensor::ExtractOp::create(b, loc, indices, at);
    if (!index.getType().isIndex())
      index = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
    starts[axis] = index;
  }
  for (auto [axis, indexAxis] : llvm::zip(batching, indexBatching))
    starts[axis] = position[indexAxis - (indexAxis > vectorDim)];
  for (Value &start : starts)
    if (!start)
      start = constant(0);
}

void Windows::clamp() {
  for (auto [axis, most] : llvm::zip(startMap, last))
    starts[axis] = clampStart(b, loc, starts[axis], most);
}

Value Windows::isInRange() {
  Value all = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  for (auto [axis, most] : llvm::zip(startMap, last)) {
    // Read as unsigned, what is negative is too large.
    Value one = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule,
                                      starts[axis], most);
    all = arith::AndIOp::create(b, loc, all, one);
  }
  return all;
}

void Windows::failUnlessInRange() {
  for (auto [component, axis] : llvm::enumerate(startMap)) {
    Value fails = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                        starts[axis], last[component]);
    failIf(b, op, fails,
           "an index that was promised to be in bounds is {0}, expected it in "
           "[0, {1}]",
           primitiveName(op), "indices", "{0} > {1}",
           {starts[axis], last[component]});
  }
}

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

using BodyFn = function_ref<Value(ValueRange position, Value carried)>;

/// Runs `body` for each position below `extents`, in row-major order.
static Value makeLoops(RewriterBase &b, Location loc,
                       ArrayRef<OpFoldResult> extents, Value init,
                       BodyFn body) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Value> lower(extents.size(), zero), step(extents.size(), one);
  SmallVector<Value> upper;
  for (OpFoldResult extent : extents)
    upper.push_back(getValueOrCreateConstantIndexOp(b, loc, extent));
  if (extents.empty())
    return body({}, init);
  scf::LoopNest nest =
      scf::buildLoopNest(b, loc, lower, upper, step, init,
                         [&](OpBuilder &inner, Location, ValueRange position,
                             ValueRange carried) -> scf::ValueVector {
                           OpBuilder::InsertionGuard guard(b);
                           b.restoreInsertionPoint(inner.saveInsertionPoint());
                           return {body(position, carried.front())};
                         });
  return nest.results.front();
}

namespace {
/// A part of a tensor.
struct Slice {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  static Slice at(OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                  ArrayRef<OpFoldResult> sizes) {
    return {SmallVector<OpFoldResult>(offsets),
            SmallVector<OpFoldResult>(sizes),
            SmallVector<OpFoldResult>(offsets.size(), b.getIndexAttr(1))};
  }
};
} // namespace

/// The slice without the axes that are not in `kept`, along which it has the
/// size 1.
static Value extractSlice(OpBuilder &b, Location loc, Value tensor,
                          const Slice &slice, ArrayRef<int64_t> kept) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape;
  for (int64_t axis : kept)
    shape.push_back(
        getConstantIntValue(slice.sizes[axis]).value_or(ShapedType::kDynamic));
  return tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), tensor,
      slice.offsets, slice.sizes, slice.strides);
}

static Value insertSlice(OpBuilder &b, Location loc, Value part, Value tensor,
                         const Slice &slice) {
  return tensor::InsertSliceOp::create(b, loc, part, tensor, slice.offsets,
                                       slice.sizes, slice.strides);
}

/// `body(carried)` where `condition` holds, else `carried`. A loop of one
/// iteration or none: bufferization knows that it works in place.
static Value makeConditional(RewriterBase &b, Location loc, Value condition,
                             Value carried, function_ref<Value(Value)> body) {
  Value count =
      arith::IndexCastUIOp::create(b, loc, b.getIndexType(), condition);
  return makeLoops(b, loc, OpFoldResult(count), carried,
                   [&](ValueRange, Value inner) { return body(inner); });
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// The place of the window of a batch position in the result.
static Slice resultSlice(OpBuilder &b, ArrayRef<int64_t> batchAxes,
                         ArrayRef<int64_t> windowAxes, ValueRange position,
                         ArrayRef<OpFoldResult> windowSizes) {
  int64_t rank = batchAxes.size() + windowAxes.size();
  Slice slice{SmallVector<OpFoldResult>(rank, b.getIndexAttr(0)),
              SmallVector<OpFoldResult>(rank, b.getIndexAttr(1)),
              SmallVector<OpFoldResult>(rank, b.getIndexAttr(1))};
  for (auto [axis, value] : llvm::zip(batchAxes, position))
    slice.offsets[axis] = value;
  for (auto [axis, size] : llvm::zip(windowAxes, windowSizes))
    slice.sizes[axis] = size;
  return slice;
}

static SmallVector<OpFoldResult> select(ArrayRef<OpFoldResult> values,
                                        ArrayRef<int64_t> axes) {
  return llvm::map_to_vector(axes, [&](int64_t axis) { return values[axis]; });
}

void symshape::lowerGather(RewriterBase &b, GatherOp op, bool isChecked) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = op.getMixedSliceSizes();
  SmallVector<int64_t> windowAxes = op.getWindowAxes();
  SmallVector<int64_t> batchAxes = op.getBatchAxes();
  SmallVector<OpFoldResult> windowSizes = select(sizes, windowAxes);
  ReifiedRankedShapedTypeDims shapes;
  (void)op.reifyResultShapes(b, shapes); // never fails
  Type element = op.getType().getElementType();
  Value result = tensor::EmptyOp::create(b, loc, shapes.front(), element);
  Windows windows(b, op, op.getSource(), op.getIndices(),
                  op.getIndexVectorDim(), op.getStartIndexMap(),
                  op.getOperandBatchingDims(),
                  op.getStartIndicesBatchingDims());
  windows.prepare(sizes);
  bool isFill = op.getMode() == GatherMode::Fill;
  if (isFill) { // what no window overwrites
    Value filler = arith::ConstantOp::create(b, loc, *op.getFillValue());
    result = linalg::FillOp::create(b, loc, filler, result).getResult(0);
  }
  auto copyWindow = [&](ValueRange position, Value carried) {
    Slice from = Slice::at(b, getAsOpFoldResult(windows.starts), sizes);
    Value window = extractSlice(b, loc, op.getSource(), from, windowAxes);
    return insertSlice(
        b, loc, window, carried,
        resultSlice(b, batchAxes, op.getOffsetDims(), position, windowSizes));
  };
  Value all =
      makeLoops(b, loc, select(shapes.front(), batchAxes), result,
                [&](ValueRange position, Value carried) {
                  windows.computeStarts(position);
                  if (op.getMode() == GatherMode::Clip)
                    windows.clamp();
                  if (op.getMode() == GatherMode::PromiseInBounds && isChecked)
                    windows.failUnlessInRange();
                  if (!isFill)
                    return copyWindow(position, carried);
                  return makeConditional(
                      b, loc, windows.isInRange(), carried,
                      [&](Value inner) { return copyWindow(position, inner); });
                });
  b.replaceOp(op, all);
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

static Value combineElements(OpBuilder &b, Location loc, Combiner combiner,
                             Value old, Value update) {
  bool isFloat = isa<FloatType>(old.getType());
  switch (combiner) {
  case Combiner::Add:
    return addNumbers(b, loc, old, update);
  case Combiner::Sub:
    return isFloat ? arith::SubFOp::create(b, loc, old, update).getResult()
                   : arith::SubIOp::create(b, loc, old, update).getResult();
  case Combiner::Mul:
    return multiplyNumbers(b, loc, old, update);
  case Combiner::Max:
    return isFloat ? arith::MaximumFOp::create(b, loc, old, update).getResult()
                   : arith::MaxSIOp::create(b, loc, old, update).getResult();
  case Combiner::Min:
    return isFloat ? arith::MinimumFOp::create(b, loc, old, update).getResult()
                   : arith::MinSIOp::create(b, loc, old, update).getResult();
  case Combiner::Update:
    return update;
  }
  llvm_unreachable("a combiner");
}

/// The window of the updates combined with that of the source, or itself.
static Value combineWindows(OpBuilder &b, Location loc, Combiner combiner,
                            Value old, Value update) {
  if (combiner == Combiner::Update)
    return update;
  int64_t rank = cast<RankedTensorType>(old.getType()).getRank();
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, old.getType(), update, old, maps, loops,
             [&](OpBuilder &inner, Location where, ValueRange args) {
               linalg::YieldOp::create(
                   inner, where,
                   combineElements(inner, where, combiner, args[1], args[0]));
             })
      .getResult(0);
}

/// Whether the order of windows is not the row-major order of updates, and
/// matters: for the last of the updates of one element.
static bool needsOrderOfElements(ScatterOp op) {
  if (op.getCombiner() != Combiner::Update || op.getUniqueIndices() ||
      op.getUpdateWindowDims().empty() || op.getBatchAxes().empty())
    return false;
  return op.getUpdateWindowDims().front() < op.getBatchAxes().back();
}

/// Ends the call where two updates write one element: a mark per element of
/// the source says which are written.
static void failUnlessUnique(RewriterBase &b, ScatterOp op, Windows &windows,
                             ArrayRef<OpFoldResult> extents) {
  Location loc = op.getLoc();
  Value no = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  Value marks = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, op.getSource()), b.getI1Type());
  marks = linalg::FillOp::create(b, loc, no, marks).getResult(0);
  makeLoops(b, loc, extents, marks, [&](ValueRange position, Value carried) {
    windows.computeStarts(
        llvm::map_to_vector(op.getBatchAxes(), [&](int64_t axis) -> Value {
          return position[axis];
        }));
    if (op.getMode() == ScatterMode::Clip)
      windows.clamp();
    if (op.getMode() == ScatterMode::PromiseInBounds)
      windows.failUnlessInRange();
    auto mark = [&](Value inner) -> Value {
      SmallVector<Value> at = windows.starts;
      for (auto [update, axis] :
           llvm::zip(op.getUpdateWindowDims(), op.getWindowAxes()))
        at[axis] = arith::AddIOp::create(b, loc, at[axis], position[update]);
      failIf(b, op, tensor::ExtractOp::create(b, loc, inner, at),
             "an element is written twice, though the indices are promised to "
             "be unique",
             "scatter", "unique_indices", "false", {});
      return tensor::InsertOp::create(b, loc, yes, inner, at);
    };
    if (op.getMode() != ScatterMode::Drop)
      return mark(carried);
    return makeConditional(b, loc, windows.isInRange(), carried, mark);
  });
}

void symshape::lowerScatter(RewriterBase &b, ScatterOp op, bool isChecked) {
  Location loc = op.getLoc();
  SmallVector<int64_t> windowAxes = op.getWindowAxes();
  SmallVector<int64_t> batchAxes = op.getBatchAxes();
  SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(b, loc, op.getUpdates());
  int64_t rank = cast<RankedTensorType>(op.getType()).getRank();
  SmallVector<OpFoldResult> sizes(rank, b.getIndexAttr(1));
  for (auto [update, axis] : llvm::zip(op.getUpdateWindowDims(), windowAxes))
    sizes[axis] = extents[update];
  Windows windows(b, op, op.getSource(), op.getIndices(),
                  op.getIndexVectorDim(), op.getScatterDimsToOperandDims(),
                  op.getOperandBatchingDims(),
                  op.getScatterIndicesBatchingDims());
  windows.prepare(sizes);
  if (op.getUniqueIndices() && isChecked)
    failUnlessUnique(b, op, windows, extents);
  bool byElement = needsOrderOfElements(op);
  SmallVector<int64_t> loopAxes = batchAxes;
  if (byElement)
    loopAxes = llvm::to_vector(llvm::seq<int64_t>(0, extents.size()));
  auto writeWindow = [&](ValueRange position, Value carried) {
    Slice from, to;
    SmallVector<OpFoldResult> offsets(extents.size(), b.getIndexAttr(0)),
        ones(extents.size(), b.getIndexAttr(1)), fromSizes = extents,
                                                 toSizes = sizes;
    for (auto [axis, value] : llvm::zip(loopAxes, position)) {
      offsets[axis] = value;
      fromSizes[axis] = b.getIndexAttr(1);
    }
    SmallVector<Value> starts = windows.starts;
    SmallVector<int64_t> kept = windowAxes,
                         keptUpdates(op.getUpdateWindowDims());
    if (byElement) {
      for (auto [update, axis] : llvm::zip(keptUpdates, kept)) {
        starts[axis] =
            arith::AddIOp::create(b, loc, starts[axis], position[update]);
        toSizes[axis] = b.getIndexAttr(1);
      }
      kept.clear();
      keptUpdates.clear();
    }
    from = Slice::at(b, offsets, fromSizes);
    to = Slice::at(b, getAsOpFoldResult(starts), toSizes);
    Value update = extractSlice(b, loc, op.getUpdates(), from, keptUpdates);
    Value old = extractSlice(b, loc, carried, to, kept);
    return insertSlice(b, loc,
                       combineWindows(b, loc, op.getCombiner(), old, update),
                       carried, to);
  };
  Value all = makeLoops(
      b, loc, select(extents, loopAxes), op.getSource(),
      [&](ValueRange position, Value carried) {
        SmallVector<Value> batch(position);
        if (byElement)
          batch = llvm::map_to_vector(
              batchAxes, [&](int64_t axis) -> Value { return position[axis]; });
        windows.computeStarts(batch);
        if (op.getMode() == ScatterMode::Clip)
          windows.clamp();
        if (op.getMode() == ScatterMode::PromiseInBounds && isChecked)
          windows.failUnlessInRange();
        if (op.getMode() != ScatterMode::Drop)
          return writeWindow(position, carried);
        return makeConditional(
            b, loc, windows.isInRange(), carried,
            [&](Value inner) { return writeWindow(position, inner); });
      });
  b.replaceOp(op, all);
}
