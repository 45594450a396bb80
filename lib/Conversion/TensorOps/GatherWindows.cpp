//===- GatherWindows.cpp - Windows of gather and scatter ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===/

#include "GatherWindows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::symshape;

void symshape::failIf(OpBuilder &builder, Operation *op, Value fails,
                      const FailMessage &text, StringRef primitive,
                      const Twine &field, const FailMessage &observed) {
  Location loc = op->getLoc();
  FailMessage message(op->getParentOfType<func::FuncOp>());
  message.append(text);
  if (loc->findInstanceOf<FileLineColLoc>()) {
    Requirement requirement;
    requirement.op = op;
    message << "\n  needed by " << describeOrigin(requirement);
  }
  message.addTriple(primitive, field, observed);
  OpBuilder inside = branchIf(builder, loc, fails);
  message.emit(inside, loc);
}

Value symshape::clampStart(OpBuilder &builder, Location loc, Value start,
                           Value last) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  start = arith::MinSIOp::create(builder, loc, start, last);
  return arith::MaxSIOp::create(builder, loc, start, zero);
}

void Windows::prepare(ArrayRef<OpFoldResult> sizes) {
  for (int64_t axis : startMap) {
    Value extent = tensor::DimOp::create(b, loc, source, axis);
    Value size = getValueOrCreateConstantIndexOp(b, loc, sizes[axis]);
    last.push_back(subtract(extent, size));
    counts.push_back(add(last.back(), index(1)));
  }
}

void Windows::computeStarts(ValueRange position) {
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  starts.assign(rank, Value());
  int64_t indexRank = cast<RankedTensorType>(indices.getType()).getRank();
  for (auto [component, axis] : llvm::enumerate(startMap)) {
    SmallVector<Value> at(position);
    if (vectorDim < indexRank)
      at.insert(at.begin() + vectorDim, index(component));
    Value start = tensor::ExtractOp::create(b, loc, indices, at);
    if (!start.getType().isIndex())
      start = arith::IndexCastOp::create(b, loc, b.getIndexType(), start);
    starts[axis] = start;
  }
  for (auto [axis, indexAxis] : llvm::zip(batching, indexBatching))
    starts[axis] = position[indexAxis - (indexAxis > vectorDim)];
  for (Value &start : starts)
    if (!start)
      start = index(0);
}

void Windows::clamp() {
  for (auto [axis, most] : llvm::zip(startMap, last))
    starts[axis] = clampStart(b, loc, starts[axis], most);
}

Value Windows::isInRange() {
  Value all = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  for (auto [axis, count] : llvm::zip(startMap, counts)) {
    // Read as unsigned, a negative number is too large.
    Value one = compare(arith::CmpIPredicate::ult, starts[axis], count);
    all = arith::AndIOp::create(b, loc, all, one);
  }
  return all;
}

void Windows::failUnlessInRange() {
  for (auto [component, axis] : llvm::enumerate(startMap)) {
    Value start = starts[axis], most = last[component];
    Value fails = compare(arith::CmpIPredicate::uge, start, counts[component]);
    // The one that is out of range: below 0, or above the last.
    Value larger = arith::MaxSIOp::create(b, loc, start, index(0));
    Value smaller = minimum(start, most);
    FailMessage text, observed;
    text << "an index that was promised to be in bounds is " << start
         << ", expected it in [0, " << most << "]";
    observed << larger << " > " << smaller;
    failIf(b, op, fails, text, primitiveName(op), "indices", observed);
  }
}

SliceBounds symshape::windowAt(OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes) {
  return {SmallVector<OpFoldResult>(offsets), SmallVector<OpFoldResult>(sizes),
          SmallVector<OpFoldResult>(offsets.size(), b.getIndexAttr(1))};
}

Value symshape::extractWindow(OpBuilder &b, Location loc, Value tensor,
                              const SliceBounds &bounds,
                              ArrayRef<int64_t> kept) {
  auto type = tensor::ExtractSliceOp::inferResultType(
      cast<RankedTensorType>(tensor.getType()), bounds.sizes);
  SmallVector<int64_t> shape = llvm::map_to_vector(
      kept, [&](int64_t axis) { return type.getDimSize(axis); });
  return extractSlice(b, loc, tensor, bounds, type.clone(shape));
}

void symshape::replaceCast(RewriterBase &b, Operation *op, Value value) {
  Type type = op->getResult(0).getType();
  if (value.getType() != type)
    value = tensor::CastOp::create(b, op->getLoc(), type, value);
  b.replaceOp(op, value);
}

SmallVector<OpFoldResult> symshape::select(ArrayRef<OpFoldResult> values,
                                           ArrayRef<int64_t> axes) {
  return llvm::map_to_vector(axes, [&](int64_t axis) { return values[axis]; });
}
