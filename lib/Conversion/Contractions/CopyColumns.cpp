//===- CopyColumns.cpp - Contractions whose columns lie apart -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After bufferization an operand may be a view with a step along its columns. A
// tile reads and writes vectors of columns, so it gets a copy of such an
// operand in which they are neighbours; and so does a left operand whose terms
// are read in groups. Whatever shares memory with the view,
// the result is written after everything has been read.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"
#include "ContractionRemarks.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::symshape;

/// A buffer with the dimensions of `buffer` in another order.
static Value allocateLike(RewriterBase &rewriter, Operation *op, Value buffer,
                          ArrayRef<int64_t> order, bool frees) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  rewriter.setInsertionPoint(op);
  for (int64_t dim : order) {
    shape.push_back(type.getDimSize(dim));
    if (type.isDynamicDim(dim))
      sizes.push_back(
          memref::DimOp::create(rewriter, op->getLoc(), buffer, dim));
  }
  Value made = memref::AllocOp::create(
      rewriter, op->getLoc(), MemRefType::get(shape, type.getElementType()),
      sizes);
  rewriter.setInsertionPointAfter(op);
  if (frees)
    memref::DeallocOp::create(rewriter, op->getLoc(), made);
  return made;
}

static void copyOperand(RewriterBase &rewriter, ContractOp op, bool frees) {
  AffineMap map = op.getMap(1);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, map.getNumResults()));
  auto column = llvm::find_if(order, [&](int64_t position) {
    return map.getDimPosition(position) == op.getColumnLoop();
  });
  std::rotate(column, column + 1, order.end());
  Value copy = allocateLike(rewriter, op, op.getRhs(), order, frees);
  rewriter.setInsertionPoint(op);
  linalg::TransposeOp::create(rewriter, op.getLoc(), op.getRhs(), copy, order);
  SmallVector<AffineMap> maps(op.getMaps().getAsValueRange<AffineMapAttr>());
  maps[1] = AffineMap::get(
      map.getNumDims(), 0,
      llvm::map_to_vector(
          order, [&](int64_t position) { return map.getResult(position); }),
      op.getContext());
  op.getRhsMutable().assign(copy);
  op.setMapsAttr(rewriter.getAffineMapArrayAttr(maps));
}

static void copyResult(RewriterBase &rewriter, ContractOp op, bool frees) {
  Value result = op.getInit();
  auto order =
      llvm::to_vector(llvm::seq<int64_t>(0, op.getInitMap().getNumResults()));
  Value copy = allocateLike(rewriter, op, result, order, frees);
  rewriter.setInsertionPoint(op);
  if (op.getAccumulate())
    linalg::CopyOp::create(rewriter, op.getLoc(), result, copy);
  rewriter.setInsertionPointAfter(op);
  linalg::CopyOp::create(rewriter, op.getLoc(), copy, result);
  op.getInitMutable().assign(copy);
}

/// A copy of an operand as it is, with its last dimension contiguous, unless
/// that is so already.
static void makeTermsNeighbours(RewriterBase &rewriter, ContractOp op,
                                OpOperand &operand, bool frees) {
  auto type = cast<MemRefType>(operand.get().getType());
  if (type.isLastDimUnitStride())
    return;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  Value copy = allocateLike(rewriter, op, operand.get(), order, frees);
  rewriter.setInsertionPoint(op);
  linalg::CopyOp::create(rewriter, op.getLoc(), operand.get(), copy);
  operand.set(copy);
}

/// True if neighbouring columns are neighbours in `buffer`, whose dimensions
/// are `map`, except for the last one of a packed operand.
static bool hasContiguousColumns(ContractOp op, Value buffer, AffineMap map) {
  auto type = cast<MemRefType>(buffer.getType());
  bool isLast =
      type.getRank() > static_cast<int64_t>(map.getNumResults()) ||
      map.getDimPosition(map.getNumResults() - 1) == op.getColumnLoop();
  return isLast && type.isLastDimUnitStride();
}

void symshape::copyColumns(RewriterBase &rewriter, ContractOp op, bool frees) {
  TileAttr tile = findTile(op);
  bool isInPlace = tile && tile.getPacking() == Packing::InPlace;
  bool isRead =
      isInPlace || hasContiguousColumns(op, op.getRhs(), op.getMap(1));
  bool isWritten = hasContiguousColumns(op, op.getInit(), op.getInitMap());
  if (op.isGrouped() || isInPlace)
    makeTermsNeighbours(rewriter, op, op.getLhsMutable(), frees);
  if (isInPlace)
    makeTermsNeighbours(rewriter, op, op.getRhsMutable(), frees);
  if (!isRead)
    copyOperand(rewriter, op, frees);
  if (!isWritten)
    copyResult(rewriter, op, frees);
  if (!isRead || !isWritten)
    reportContractionNeed(op, "neighbouring columns of right operand and "
                              "result next to each other in memory, which "
                              "are copied otherwise");
}
