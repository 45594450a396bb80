//===- GatherOps.cpp - Gather and scatter ---------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification and shapes of gather and scatter. The two share most of their
// dimension numbers; a view of these gives them one name. Not for: their
// derivatives (GatherDerivatives.cpp) and lowering (Conversion).
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

namespace {
/// The dimension numbers that gather and scatter share, and what they call
/// them.
struct IndexNumbers {
  Value source, indices;
  ArrayRef<int64_t> absent; ///< collapsed or inserted axes
  ArrayRef<int64_t> batching, indexBatching, startMap;
  int64_t vectorDim;
  StringRef absentName, indexBatchingName, startMapName;
};
} // namespace

static IndexNumbers numbersOf(GatherOp op) {
  return {op.getSource(),
          op.getIndices(),
          op.getCollapsedSliceDims(),
          op.getOperandBatchingDims(),
          op.getStartIndicesBatchingDims(),
          op.getStartIndexMap(),
          static_cast<int64_t>(op.getIndexVectorDim()),
          "collapsed_slice_dims",
          "start_indices_batching_dims",
          "start_index_map"};
}

static IndexNumbers numbersOf(ScatterOp op) {
  return {op.getSource(),
          op.getIndices(),
          op.getInsertedWindowDims(),
          op.getOperandBatchingDims(),
          op.getScatterIndicesBatchingDims(),
          op.getScatterDimsToOperandDims(),
          static_cast<int64_t>(op.getIndexVectorDim()),
          "inserted_window_dims",
          "scatter_indices_batching_dims",
          "scatter_dims_to_operand_dims"};
}

static SmallVector<int64_t> windowAxes(const IndexNumbers &numbers) {
  SmallVector<int64_t> absent(numbers.absent);
  llvm::append_range(absent, numbers.batching);
  return otherAxes(rankOf(numbers.source), absent);
}

static SmallVector<int64_t> indexBatchAxes(const IndexNumbers &numbers) {
  return otherAxes(rankOf(numbers.indices), numbers.vectorDim);
}

static LogicalResult verifyBatching(Operation *op, const IndexNumbers &n) {
  if (n.indexBatching.size() != n.batching.size())
    return emitFieldError(op, n.indexBatchingName,
                          "to have " + Twine(n.batching.size()) + " axes",
                          Twine(n.indexBatching.size()));
  if (failed(verifyAxes(op, n.indexBatchingName, n.indexBatching,
                        rankOf(n.indices), /*sorted=*/false)))
    return failure();
  return verifyDisjoint(op, n.indexBatchingName, n.indexBatching,
                        ArrayRef<int64_t>(n.vectorDim));
}

static LogicalResult verifyStartMap(Operation *op, const IndexNumbers &n) {
  // The implicit vector has one component.
  int64_t length = n.vectorDim == rankOf(n.indices)
                       ? 1
                       : tensorTypeOf(n.indices).getDimSize(n.vectorDim);
  int64_t components = n.startMap.size();
  if (!ShapedType::isDynamic(length) && components != length)
    return emitFieldError(op, n.startMapName,
                          "to have " + Twine(length) + " axes",
                          Twine(components));
  if (failed(verifyAxes(op, n.startMapName, n.startMap, rankOf(n.source),
                        /*sorted=*/false)))
    return failure();
  return verifyDisjoint(op, n.startMapName, n.startMap, n.batching);
}

static LogicalResult verifyBatchExtents(Operation *op, const IndexNumbers &n) {
  for (auto [axis, indexAxis] : llvm::zip(n.batching, n.indexBatching))
    if (failed(verifyExtent(op, "indices.shape[" + Twine(indexAxis) + "]",
                            tensorTypeOf(n.indices).getDimSize(indexAxis),
                            tensorTypeOf(n.source).getDimSize(axis))))
      return failure();
  return success();
}

static LogicalResult verifyVectorDim(Operation *op, const IndexNumbers &n) {
  if (n.vectorDim >= 0 && n.vectorDim <= rankOf(n.indices))
    return success();
  return emitFieldError(op, "index_vector_dim",
                        "to be in [0, " + Twine(rankOf(n.indices)) + "]",
                        Twine(n.vectorDim));
}

/// Checks the numbers that both ops have.
static LogicalResult verifyNumbers(Operation *op, const IndexNumbers &n) {
  int64_t rank = rankOf(n.source);
  if (failed(verifyAxes(op, n.absentName, n.absent, rank, /*sorted=*/true)) ||
      failed(verifyAxes(op, "operand_batching_dims", n.batching, rank,
                        /*sorted=*/true)) ||
      failed(
          verifyDisjoint(op, "operand_batching_dims", n.batching, n.absent)) ||
      failed(verifyVectorDim(op, n)) || failed(verifyBatching(op, n)))
    return failure();
  return verifyStartMap(op, n);
}

/// Requires equal extents of batching axes, and one component per axis of the
/// start map.
static void requireIndexExtents(ShapeFacts &facts, const IndexNumbers &n) {
  for (auto [axis, indexAxis] : llvm::zip(n.batching, n.indexBatching))
    facts.require(Relation::eq(facts.dim(n.indices, indexAxis),
                               facts.dim(n.source, axis)),
                  "indices.shape[" + Twine(indexAxis) + "]");
  if (n.vectorDim < rankOf(n.indices))
    facts.require(Relation::eq(facts.dim(n.indices, n.vectorDim),
                               facts.constant(n.startMap.size())),
                  "indices.shape[" + Twine(n.vectorDim) + "]");
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> GatherOp::getMixedSliceSizes() {
  return getMixedValues(getStaticSliceSizes(), getSliceSizes(), getContext());
}

SmallVector<int64_t> GatherOp::getWindowAxes() {
  return windowAxes(numbersOf(*this));
}

SmallVector<int64_t> GatherOp::getIndexBatchAxes() {
  return indexBatchAxes(numbersOf(*this));
}

SmallVector<int64_t> GatherOp::getBatchAxes() {
  return otherAxes(rankOf(getResult()), getOffsetDims());
}

static LogicalResult verifySliceSizes(GatherOp op) {
  SmallVector<OpFoldResult> sizes = op.getMixedSliceSizes();
  SmallVector<int64_t> windows = op.getWindowAxes();
  for (auto [d, size] : llvm::enumerate(sizes)) {
    std::string field = ("slice_sizes[" + Twine(d) + "]").str();
    int64_t known = staticExtent(size);
    // C15
    if (!llvm::is_contained(windows, static_cast<int64_t>(d))) {
      if (known != 1)
        return emitFieldError(op, field, "to be 1",
                              ShapedType::isDynamic(known) ? Twine("symbolic")
                                                           : Twine(known));
      continue;
    }
    // C16
    if (!ShapedType::isDynamic(known) && known < 0)
      return emitFieldError(op, field, "to be at least 0", Twine(known));
    if (failed(verifyAtMost(op, field, known,
                            tensorTypeOf(op.getSource()).getDimSize(d))))
      return failure();
  }
  return success();
}

static LogicalResult verifyResultExtents(GatherOp op) {
  auto type = op.getType();
  auto check = [&](int64_t axis, int64_t expected) {
    return verifyExtent(op, "result.shape[" + Twine(axis) + "]",
                        type.getDimSize(axis), expected);
  };
  for (auto [axis, index] :
       llvm::zip(op.getBatchAxes(), op.getIndexBatchAxes()))
    if (failed(check(axis, tensorTypeOf(op.getIndices()).getDimSize(index))))
      return failure();
  SmallVector<OpFoldResult> sizes = op.getMixedSliceSizes();
  for (auto [axis, window] : llvm::zip(op.getOffsetDims(), op.getWindowAxes()))
    if (failed(check(axis, staticExtent(sizes[window]))))
      return failure();
  return verifyElementType(op, "result", op.getResult(), op.getSource());
}

static LogicalResult verifyFillValue(GatherOp op) {
  std::optional<TypedAttr> value = op.getFillValue();
  bool isNeeded = op.getMode() == GatherMode::Fill;
  if (value.has_value() != isNeeded)
    return emitFieldError(op, "fill_value",
                          isNeeded ? "to be given with mode fill"
                                   : "to be absent without mode fill",
                          isNeeded ? "none" : "a value");
  Type element = getElementTypeOrSelf(op.getSource());
  if (value && value->getType() != element)
    return emitFieldError(op, "fill_value",
                          "to be of type " + llvm::to_string(element),
                          llvm::to_string(value->getType()));
  return success();
}

LogicalResult GatherOp::verify() {
  IndexNumbers numbers = numbersOf(*this);
  int64_t rank = rankOf(getSource());
  // C7
  if (static_cast<int64_t>(getStaticSliceSizes().size()) != rank)
    return emitFieldError(*this, "slice_sizes",
                          "to have " + Twine(rank) + " entries",
                          Twine(getStaticSliceSizes().size()));
  // C8, C9, C10, C11, C12
  if (failed(verifyNumbers(*this, numbers)))
    return failure();
  // C13
  if (getOffsetDims().size() != getWindowAxes().size())
    return emitFieldError(*this, "offset_dims",
                          "to have " + Twine(getWindowAxes().size()) + " axes",
                          Twine(getOffsetDims().size()));
  if (failed(verifyAxes(*this, "offset_dims", getOffsetDims(),
                        rankOf(getResult()), /*sorted=*/true)))
    return failure();
  // C14
  if (getBatchAxes().size() != getIndexBatchAxes().size())
    return emitFieldError(
        *this, "result.rank",
        "to be " + Twine(getIndexBatchAxes().size() + getOffsetDims().size()),
        Twine(rankOf(getResult())));
  // C15, C16
  if (failed(verifySliceSizes(*this)))
    return failure();
  // C17
  if (failed(verifyBatchExtents(*this, numbers)))
    return failure();
  // C18
  if (failed(verifyResultExtents(*this)))
    return failure();
  // C19
  if (failed(verifyIndexElements(*this, "indices", getIndices())))
    return failure();
  // C20
  return verifyFillValue(*this);
}

void GatherOp::populateShapeFacts(ShapeFacts &facts) {
  SmallVector<OpFoldResult> sizes = getMixedSliceSizes();
  for (auto [result, axis] : llvm::zip(getOffsetDims(), getWindowAxes())) {
    Expr size = facts.value(sizes[axis]);
    requireSizeWithin(facts, size, facts.dim(getSource(), axis),
                      "slice_sizes[" + Twine(axis) + "]");
    setOrRequireExtent(facts, getResult(), result, size);
  }
  // A collapsed axis has at least one element.
  for (int64_t axis : getCollapsedSliceDims())
    facts.require(Relation::ge(facts.dim(getSource(), axis), facts.constant(1)),
                  "slice_sizes[" + Twine(axis) + "]");
  for (auto [result, axis] : llvm::zip(getBatchAxes(), getIndexBatchAxes()))
    setOrRequireExtent(facts, getResult(), result,
                       facts.dim(getIndices(), axis));
  requireIndexExtents(facts, numbersOf(*this));
}

LogicalResult GatherOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> extents(rankOf(getResult()));
  SmallVector<OpFoldResult> sizes = getMixedSliceSizes();
  for (auto [result, axis] : llvm::zip(getOffsetDims(), getWindowAxes()))
    extents[result] = sizes[axis];
  for (auto [result, axis] : llvm::zip(getBatchAxes(), getIndexBatchAxes()))
    extents[result] =
        tensor::getMixedSize(builder, getLoc(), getIndices(), axis);
  shapes.push_back(sizesOfResult(builder, getResult(), extents));
  return success();
}

//===----------------------------------------------------------------------===//
// ScatterOp
//===----------------------------------------------------------------------===//

SmallVector<int64_t> ScatterOp::getWindowAxes() {
  return windowAxes(numbersOf(*this));
}

SmallVector<int64_t> ScatterOp::getIndexBatchAxes() {
  return indexBatchAxes(numbersOf(*this));
}

SmallVector<int64_t> ScatterOp::getBatchAxes() {
  return otherAxes(rankOf(getUpdates()), getUpdateWindowDims());
}

/// Checks the extents of windows, those of the batch, and the element types.
static LogicalResult verifyUpdates(ScatterOp op) {
  auto updates = tensorTypeOf(op.getUpdates());
  // C25
  for (auto [axis, index] :
       llvm::zip(op.getBatchAxes(), op.getIndexBatchAxes()))
    if (failed(verifyExtent(op, "updates.shape[" + Twine(axis) + "]",
                            updates.getDimSize(axis),
                            tensorTypeOf(op.getIndices()).getDimSize(index))))
      return failure();
  // C26
  for (auto [axis, window] :
       llvm::zip(op.getUpdateWindowDims(), op.getWindowAxes()))
    if (failed(verifyAtMost(op, "updates.shape[" + Twine(axis) + "]",
                            updates.getDimSize(axis),
                            tensorTypeOf(op.getSource()).getDimSize(window))))
      return failure();
  return success();
}

LogicalResult ScatterOp::verify() {
  IndexNumbers numbers = numbersOf(*this);
  // C9, C10, C11, C12, C23
  if (failed(verifyNumbers(*this, numbers)))
    return failure();
  // C21
  if (getUpdateWindowDims().size() != getWindowAxes().size())
    return emitFieldError(*this, "update_window_dims",
                          "to have " + Twine(getWindowAxes().size()) + " axes",
                          Twine(getUpdateWindowDims().size()));
  // C22
  if (failed(verifyAxes(*this, "update_window_dims", getUpdateWindowDims(),
                        rankOf(getUpdates()), /*sorted=*/true)))
    return failure();
  // C24
  if (getBatchAxes().size() != getIndexBatchAxes().size())
    return emitFieldError(*this, "updates.rank",
                          "to be " + Twine(getIndexBatchAxes().size() +
                                           getUpdateWindowDims().size()),
                          Twine(rankOf(getUpdates())));
  // C17
  if (failed(verifyBatchExtents(*this, numbers)))
    return failure();
  // C25, C26
  if (failed(verifyUpdates(*this)))
    return failure();
  // C19
  if (failed(verifyIndexElements(*this, "indices", getIndices())))
    return failure();
  // C27
  if (failed(verifyElementType(*this, "updates", getUpdates(), getSource())))
    return failure();
  Type element = getElementTypeOrSelf(getSource());
  if (getCombiner() != Combiner::Update && !element.isIntOrIndexOrFloat())
    return emitFieldError(*this, "operand.element_type",
                          "to be an integer or a float",
                          llvm::to_string(element));
  return success();
}

void ScatterOp::populateShapeFacts(ShapeFacts &facts) {
  for (auto [update, axis] : llvm::zip(getUpdateWindowDims(), getWindowAxes()))
    facts.require(Relation::le(facts.dim(getUpdates(), update),
                               facts.dim(getSource(), axis)),
                  "updates.shape[" + Twine(update) + "]");
  for (int64_t axis : getInsertedWindowDims())
    facts.require(Relation::ge(facts.dim(getSource(), axis), facts.constant(1)),
                  "operand.shape[" + Twine(axis) + "]");
  for (auto [update, axis] : llvm::zip(getBatchAxes(), getIndexBatchAxes()))
    facts.require(Relation::eq(facts.dim(getUpdates(), update),
                               facts.dim(getIndices(), axis)),
                  "updates.shape[" + Twine(update) + "]");
  requireIndexExtents(facts, numbersOf(*this));
  facts.copyExtents(getSource(), getResult());
}
