//===- GatherLoops.cpp - Gather as loops ----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop for each batch axis carries the result; inside, the window is a slice
// of both tensors. Bufferization makes the slices views, and the loops work in
// place.
//
//===----------------------------------------------------------------------===//

#include "GatherLoops.h"

#include "GatherWindows.h"
#include "Structure/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

/// The place of the window of a batch position in the result.
static SliceBounds resultSlice(OpBuilder &b, ArrayRef<int64_t> batchAxes,
                               ArrayRef<int64_t> windowAxes,
                               ValueRange position,
                               ArrayRef<OpFoldResult> windowSizes) {
  int64_t rank = batchAxes.size() + windowAxes.size();
  SmallVector<OpFoldResult> zeros(rank, b.getIndexAttr(0)),
      ones(rank, b.getIndexAttr(1));
  SliceBounds slice = windowAt(b, zeros, ones);
  for (auto [axis, value] : llvm::zip(batchAxes, position))
    slice.offsets[axis] = value;
  for (auto [axis, size] : llvm::zip(windowAxes, windowSizes))
    slice.sizes[axis] = size;
  return slice;
}

void symshape::lower(RewriterBase &b, GatherOp op, bool isChecked) {
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
    SliceBounds from = windowAt(b, getAsOpFoldResult(windows.starts), sizes);
    Value window = extractWindow(b, loc, op.getSource(), from, windowAxes);
    return insertSlice(
        b, loc, window, carried,
        resultSlice(b, batchAxes, op.getOffsetDims(), position, windowSizes));
  };
  auto addWindow = [&](ValueRange position,
                       ValueRange carried) -> scf::ValueVector {
    windows.computeStarts(position);
    if (op.getMode() == GatherMode::Clip)
      windows.clamp();
    if (op.getMode() == GatherMode::PromiseInBounds && isChecked)
      windows.failUnlessInRange();
    if (!isFill)
      return {copyWindow(position, carried.front())};
    return {makeConditional(
        b, loc, windows.isInRange(), carried.front(),
        [&](Value inner) { return copyWindow(position, inner); })};
  };
  replaceCast(b, op,
              makePositionLoops(b, loc, select(shapes.front(), batchAxes),
                                result, addWindow)
                  .front());
}
