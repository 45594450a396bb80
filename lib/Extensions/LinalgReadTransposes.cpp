//===- LinalgReadTransposes.cpp - Transposes of reads in bodies -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body that reads a tensor by tensor.extract gathers; transposed, what the
// iterations give is scattered and added. An axis that is read at the position
// of a loop, on which no other index depends, is an axis of windows: the rest
// are indexed. Loops on which no place depends are summed over first. A place
// out of range, where a read is undefined, is dropped.
//
//===----------------------------------------------------------------------===//

#include "LinalgReadTransposes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::symshape;

/// What the values depend on inside the body: ops of its block, and arguments.
static SmallPtrSet<void *, 16> sliceOf(Block &body, ValueRange values) {
  SmallPtrSet<void *, 16> slice;
  SmallVector<Value> work(values);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == &body)
        slice.insert(argument.getAsOpaquePointer());
      continue;
    }
    Operation *def = body.findAncestorOpInBlock(*value.getDefiningOp());
    if (def && slice.insert(def).second)
      def->walk([&](Operation *inner) {
        llvm::append_range(work, inner->getOperands());
      });
  }
  return slice;
}

llvm::SmallBitVector ReadTranspose::loopsOf(ValueRange values) {
  llvm::SmallBitVector loops(op.getNumLoops());
  SmallPtrSet<void *, 16> slice = sliceOf(*op.getBlock(), values);
  for (Operation &inner : *op.getBlock())
    if (slice.contains(&inner))
      inner.walk([&](linalg::IndexOp index) { loops.set(index.getDim()); });
  for (OpOperand *input : op.getDpsInputOperands())
    if (slice.contains(op.getMatchingBlockArgument(input).getAsOpaquePointer()))
      for (AffineExpr place : op.getMatchingIndexingMap(input).getResults())
        for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
          if (place.isFunctionOfDim(loop))
            loops.set(loop);
  return loops;
}

void ReadTranspose::findWindows() {
  int64_t rank = read.getTensor().getType().getRank();
  SmallVector<llvm::SmallBitVector> loops;
  for (Value index : read.getIndices())
    loops.push_back(loopsOf(index));
  auto isWindow = [&](int64_t axis) {
    auto index = read.getIndices()[axis].getDefiningOp<linalg::IndexOp>();
    if (!index)
      return false;
    for (int64_t other = 0; other < rank; ++other)
      if (other != axis && loops[other][index.getDim()])
        return false;
    // A window is no larger than the tensor.
    std::optional<int64_t> size = getConstantIntValue(extents[index.getDim()]);
    int64_t extent = read.getTensor().getType().getDimSize(axis);
    return !size || ShapedType::isDynamic(extent) || *size <= extent;
  };
  llvm::SmallBitVector others(op.getNumLoops());
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (!isWindow(axis)) {
      indexed.push_back(axis);
      others |= loops[axis];
      continue;
    }
    auto index = read.getIndices()[axis].getDefiningOp<linalg::IndexOp>();
    windows.push_back(index.getDim());
  }
  batch.assign(others.set_bits_begin(), others.set_bits_end());
}

AffineMap ReadTranspose::layout() {
  SmallVector<AffineExpr> places;
  for (unsigned loop : llvm::concat<const unsigned>(batch, windows))
    places.push_back(b.getAffineDimExpr(loop));
  return AffineMap::get(op.getNumLoops(), 0, places, b.getContext());
}

SmallVector<OpFoldResult> ReadTranspose::updateExtents() {
  SmallVector<OpFoldResult> result;
  for (unsigned loop : llvm::concat<const unsigned>(batch, windows))
    result.push_back(extents[loop]);
  return result;
}

/// The index of one read, in the body of an op over the batch and the
/// components of the index.
Value ReadTranspose::buildIndex(OpBuilder &inner, Location loc,
                                IRMapping &mapping, ArrayRef<Value> places) {
  SmallPtrSet<void *, 16> slice = sliceOf(*op.getBlock(), places);
  auto mapCaptured = [&](ValueRange values) {
    for (Value value : values)
      if (value.getParentRegion()->isProperAncestor(op.getBlock()->getParent()))
        mapping.map(value, cotangents.residual(value));
  };
  mapCaptured(places);
  for (Operation &primal : *op.getBlock()) {
    if (!slice.contains(&primal))
      continue;
    primal.walk([&](Operation *nested) { mapCaptured(nested->getOperands()); });
    inner.clone(primal, mapping)->walk([&](linalg::IndexOp index) {
      index.setDim(llvm::find(batch, index.getDim()) - batch.begin());
    });
  }
  Value component = linalg::IndexOp::create(inner, loc, batch.size());
  Value result;
  for (auto [number, place] : llvm::enumerate(places)) {
    Value index = mapping.lookup(place);
    if (result) {
      Value own = arith::CmpIOp::create(
          inner, loc, arith::CmpIPredicate::eq, component,
          arith::ConstantIndexOp::create(inner, loc, number));
      index = arith::SelectOp::create(inner, loc, own, index, result);
    }
    result = index;
  }
  return result;
}

Value ReadTranspose::makeIndices() {
  SmallVector<Value> places;
  for (int64_t axis : indexed)
    places.push_back(read.getIndices()[axis]);
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop : batch)
    sizes.push_back(extents[loop]);
  sizes.push_back(b.getIndexAttr(places.size()));
  Location loc = read.getLoc();
  Value empty = tensor::EmptyOp::create(b, loc, sizes, b.getIndexType());
  if (places.empty())
    return empty;
  SmallVector<AffineExpr> dims(op.getNumLoops(), b.getAffineConstantExpr(0));
  for (auto [number, loop] : llvm::enumerate(batch))
    dims[loop] = b.getAffineDimExpr(number);
  SmallPtrSet<void *, 16> slice = sliceOf(*op.getBlock(), places);
  SmallVector<Value> inputs, arguments;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value argument = op.getMatchingBlockArgument(input);
    if (!slice.contains(argument.getAsOpaquePointer()))
      continue;
    inputs.push_back(cotangents.residual(input->get()));
    arguments.push_back(argument);
    maps.push_back(op.getMatchingIndexingMap(input).replaceDimsAndSymbols(
        dims, {}, sizes.size(), 0));
  }
  maps.push_back(b.getMultiDimIdentityMap(sizes.size()));
  SmallVector<utils::IteratorType> loops(sizes.size(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, empty.getType(), inputs, empty, maps, loops,
             [&](OpBuilder &inner, Location where, ValueRange args) {
               IRMapping mapping;
               mapping.map(arguments, args.drop_back());
               linalg::YieldOp::create(
                   inner, where, buildIndex(inner, where, mapping, places));
             })
      .getResult(0);
}

/// Gives the updates an axis for each axis of the tensor that is indexed, of
/// extent 1, or 0 where that of the tensor is: a window of 1 would be more than
/// an empty axis has, even if there is none. Known axes need no such care; they
/// are added to `inserted`.
Value ReadTranspose::addUnits(Value updates, SmallVector<int64_t> &inserted) {
  Location loc = read.getLoc();
  RankedTensorType source = read.getTensor().getType();
  SmallVector<OpFoldResult> own = updateExtents();
  SmallVector<OpFoldResult> sizes(ArrayRef(own).take_front(batch.size()));
  size_t window = batch.size();
  for (auto [axis, extent] :
       llvm::enumerate(cotangents.extents(read.getTensor()))) {
    if (!llvm::is_contained(indexed, axis)) {
      sizes.push_back(own[window++]);
    } else if (source.getDimSize(axis) > 0) {
      inserted.push_back(axis);
    } else {
      Value one = arith::ConstantIndexOp::create(b, loc, 1);
      Value value = getValueOrCreateConstantIndexOp(b, loc, extent);
      sizes.push_back(arith::MinSIOp::create(b, loc, value, one).getResult());
    }
  }
  if (sizes.size() == own.size())
    return updates;
  auto [shape, dynamic] = decomposeMixedValues(sizes);
  return ReshapeOp::create(b, loc, RankedTensorType::get(shape, read.getType()),
                           updates, dynamic, shape);
}

void ReadTranspose::scatter(Value updates) {
  Value source = read.getTensor();
  auto axesOf = [](size_t from, size_t count) {
    return llvm::to_vector(llvm::seq<int64_t>(from, from + count));
  };
  SmallVector<int64_t> inserted;
  updates = addUnits(updates, inserted);
  int64_t numWindows =
      cast<RankedTensorType>(updates.getType()).getRank() - batch.size();
  Value sum = ScatterOp::create(
      b, read.getLoc(), source.getType(), cotangents.sumOf(source),
      makeIndices(), updates, Combiner::Add, ScatterMode::Drop,
      /*unique_indices=*/false, axesOf(batch.size(), numWindows), inserted,
      /*operand_batching_dims=*/{}, /*scatter_indices_batching_dims=*/{},
      indexed, batch.size());
  cotangents.replace(source, sum);
}
