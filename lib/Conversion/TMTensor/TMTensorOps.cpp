//===- TMTensorOps.cpp - What exports of torch-mlir hold ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect, and verification of its ops: what their lowering takes for
// granted. Not for: extents, which are asserted.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/TMTensorOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::symshape;

#include "symshape/Conversion/TMTensorDialect.cpp.inc"

#define GET_OP_CLASSES
#include "symshape/Conversion/TMTensorOps.cpp.inc"

void tm_tensor::TMTensorDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "symshape/Conversion/TMTensorOps.cpp.inc"
      >();
}

static int64_t rankOfTensor(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

static LogicalResult verifyCounts(Operation *op, size_t inputs, size_t least,
                                  size_t most, size_t outputs, size_t wanted) {
  if (inputs < least || inputs > most)
    return op->emitOpError("expected ")
           << least << (most > least ? " or " + Twine(most) : Twine())
           << " inputs, but got " << inputs;
  if (outputs != wanted)
    return op->emitOpError("expected ")
           << wanted << " outputs, but got " << outputs;
  if (op->getNumResults() != outputs)
    return op->emitOpError("expected a result for each output, but got ")
           << op->getNumResults();
  return success();
}

static LogicalResult verifyDimension(Operation *op, int64_t axis,
                                     int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError("expected 'dimension' to be at least 0 and less than ")
         << rank << ", but got " << axis;
}

static LogicalResult verifyElements(Operation *op, StringRef what, Value tensor,
                                    Type element) {
  if (getElementTypeOrSelf(tensor) == element)
    return success();
  return op->emitOpError("expected ")
         << what << " to have elements of type " << element << ", but got "
         << getElementTypeOrSelf(tensor);
}

/// Checks the arguments of the region, and the one value that it yields.
static LogicalResult verifyRegion(Operation *op, TypeRange arguments,
                                  Type yielded) {
  Block &block = op->getRegion(0).front();
  if (block.getArgumentTypes() != arguments)
    return op->emitOpError("expected a region with arguments ")
           << arguments << ", but got " << block.getArgumentTypes();
  Operation *last = block.getTerminator();
  if (last->getOperandTypes() == TypeRange(yielded))
    return success();
  return last->emitOpError("expected to yield one value of type ")
         << yielded << ", but got " << last->getOperandTypes();
}

LogicalResult tm_tensor::TMScanOp::verify() {
  if (failed(verifyCounts(*this, getInputs().size(), 1, 1, getOutputs().size(),
                          2)))
    return failure();
  Type element = getElementTypeOrSelf(getInputs()[0]);
  int64_t rank = rankOfTensor(getInputs()[0]);
  if (rankOfTensor(getOutputs()[0]) != rank ||
      rankOfTensor(getOutputs()[1]) + 1 != rank)
    return emitOpError("expected outputs of rank ")
           << rank << " and " << rank - 1;
  for (Value output : getOutputs())
    if (failed(verifyElements(*this, "outputs", output, element)))
      return failure();
  if (failed(verifyDimension(*this, getDimension(), rank)))
    return failure();
  return verifyRegion(*this, {element, element}, element);
}

LogicalResult tm_tensor::TMScatterOp::verify() {
  if (failed(verifyCounts(*this, getInputs().size(), 2, 2, getOutputs().size(),
                          1)))
    return failure();
  auto rows = cast<RankedTensorType>(getInputs()[1].getType());
  ArrayRef<int64_t> map = getDimensionMap();
  if (rows.getRank() != 2 || rows.getDimSize(1) != int64_t(map.size()) ||
      !(rows.getElementType().isInteger(32) ||
        rows.getElementType().isInteger(64)))
    return emitOpError("expected rows of ")
           << map.size() << " integers of 32 or 64 bits, but got " << rows;
  Type element = getElementTypeOrSelf(getOutputs()[0]);
  if (failed(verifyElements(*this, "updates", getInputs()[0], element)))
    return failure();
  int64_t rank = rankOfTensor(getOutputs()[0]);
  int64_t updateRank = rankOfTensor(getInputs()[0]);
  if (updateRank < 1 || updateRank > rank + 1)
    return emitOpError("expected updates of rank 1 to ")
           << rank + 1 << ", but got " << updateRank;
  llvm::SmallSet<int64_t, 4> axes(map.begin(), map.end());
  if (axes.size() != map.size() ||
      llvm::any_of(map, [&](int64_t d) { return d < 0 || d >= rank; }))
    return emitOpError("expected 'dimension_map' to have distinct axes of the "
                       "output");
  for (int64_t d = 0; d < rank - (updateRank - 1); ++d)
    if (!axes.contains(d))
      return emitOpError("expected 'dimension_map' to have axis ")
             << d << ", along which windows do not extend";
  return verifyRegion(*this, {element, element}, element);
}

LogicalResult tm_tensor::TMSortOp::verify() {
  if (getOutputs().empty())
    return emitOpError("expected an output");
  if (failed(verifyCounts(*this, getInputs().size(), 0, 0, getOutputs().size(),
                          getOutputs().size())))
    return failure();
  SmallVector<Type> arguments;
  int64_t rank = rankOfTensor(getOutputs()[0]);
  for (Value output : getOutputs()) {
    if (rankOfTensor(output) != rank)
      return emitOpError("expected outputs of one rank, but got ")
             << rank << " and " << rankOfTensor(output);
    arguments.append(2, getElementTypeOrSelf(output));
  }
  if (failed(verifyDimension(*this, getDimension(), rank)))
    return failure();
  return verifyRegion(*this, arguments, IntegerType::get(getContext(), 1));
}

LogicalResult tm_tensor::TMTopKOp::verify() {
  if (failed(verifyCounts(*this, getInputs().size(), 1, 2, getOutputs().size(),
                          2)))
    return failure();
  int64_t rank = rankOfTensor(getInputs()[0]);
  if (failed(verifyDimension(*this, getDimension(), rank)))
    return failure();
  for (Value output : getOutputs())
    if (rankOfTensor(output) != rank)
      return emitOpError("expected outputs of rank ")
             << rank << ", but got " << rankOfTensor(output);
  Type element = getElementTypeOrSelf(getInputs()[0]);
  if (failed(verifyElements(*this, "values", getOutputs()[0], element)))
    return failure();
  Type place = getElementTypeOrSelf(getOutputs()[1]);
  if (!place.isInteger(32) && !place.isInteger(64))
    return emitOpError("expected places that are i32 or i64, but got ")
           << place;
  return verifyRegion(*this, {element, element},
                      IntegerType::get(getContext(), 1));
}

LogicalResult tm_tensor::TMAttentionOp::verify() {
  if (failed(verifyCounts(*this, getInputs().size(), 3, 4, getOutputs().size(),
                          1)))
    return failure();
  int64_t rank = rankOfTensor(getInputs()[0]);
  Type element = getElementTypeOrSelf(getInputs()[0]);
  if (rank < 2)
    return emitOpError("expected tensors of rank 2 or more, but got ") << rank;
  if (!isa<FloatType>(element))
    return emitOpError("expected floats, but got ") << element;
  for (Value tensor : getOperands()) {
    if (rankOfTensor(tensor) != rank)
      return emitOpError("expected tensors of one rank, but got ")
             << rank << " and " << rankOfTensor(tensor);
    bool isMask = getInputs().size() == 4 && tensor == getInputs()[3];
    if (!(isMask && getElementTypeOrSelf(tensor).isInteger(1)) &&
        failed(verifyElements(*this, "inputs and output", tensor, element)))
      return failure();
  }
  if (Attribute scale = (*this)->getAttr("scale");
      scale && !isa<FloatAttr>(scale))
    return emitOpError("expected 'scale' to be a float, but got ") << scale;
  return success();
}
