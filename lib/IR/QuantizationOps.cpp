//===- QuantizationOps.cpp - Numbers of few bits --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification, shapes and derivatives of dequantize. Not for: lowering
// (Conversion).
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::symshape;

LogicalResult DequantizeOp::verify() {
  // C1
  auto elementOf = [](Value value) { return getElementTypeOrSelf(value); };
  Type scale = elementOf(getScales()), made = elementOf(getResult());
  if (scale != made &&
      scale.getIntOrFloatBitWidth() >= made.getIntOrFloatBitWidth())
    return emitFieldError(*this, "scales.element_type",
                          "to be " + llvm::to_string(made) + " or narrower",
                          llvm::to_string(scale));
  if (Value zeros = getZeros();
      zeros && !elementOf(zeros).isInteger() && elementOf(zeros) != scale)
    return emitFieldError(*this, "zeros.element_type",
                          "to be i8 or " + llvm::to_string(scale),
                          llvm::to_string(elementOf(zeros)));
  // C2
  int64_t bits = getBits(), block = getBlock();
  if (bits != 2 && bits != 4 && bits != 8)
    return emitFieldError(*this, "bits", "to be 2, 4 or 8", Twine(bits));
  // C3
  if (block < 1 || block % getTermsPerByte() != 0)
    return emitFieldError(*this, "block",
                          "to be a positive multiple of " +
                              Twine(getTermsPerByte()),
                          Twine(block));
  // C4
  int64_t terms = getNumTerms();
  if (ShapedType::isDynamic(terms))
    return emitFieldError(*this, "result.shape[1]", "to be static", "?");
  auto verifyLeast = [&](StringRef field, Value value, int64_t least) {
    int64_t actual = tensorTypeOf(value).getDimSize(1);
    if (ShapedType::isDynamic(actual) || actual >= least)
      return LogicalResult::success();
    return LogicalResult(emitFieldError(*this, (field + ".shape[1]").str(),
                                        "to be at least " + Twine(least),
                                        Twine(actual)));
  };
  int64_t blocks = llvm::divideCeil(terms, block);
  if (failed(verifyLeast("codes", getCodes(),
                         llvm::divideCeil(terms, getTermsPerByte()))) ||
      failed(verifyLeast("scales", getScales(), blocks)) ||
      (getZeros() && failed(verifyLeast("zeros", getZeros(), blocks))))
    return failure();
  // C5
  int64_t rows = tensorTypeOf(getCodes()).getDimSize(0);
  for (auto [field, value] :
       {std::pair<StringRef, Value>{"scales", getScales()},
        {"zeros", getZeros()},
        {"result", getResult()}}) {
    if (!value)
      continue;
    int64_t own = tensorTypeOf(value).getDimSize(0);
    if (failed(verifyExtent(*this, (field + ".shape[0]").str(), own, rows)))
      return failure();
    if (ShapedType::isDynamic(rows))
      rows = own;
  }
  return success();
}

void DequantizeOp::populateShapeFacts(ShapeFacts &facts) {
  int64_t terms = getNumTerms();
  int64_t bytes = llvm::divideCeil(terms, getTermsPerByte()),
          blocks = llvm::divideCeil(terms, getBlock());
  Expr rows = facts.dim(getCodes(), 0);
  auto require = [&](StringRef field, Value value, int64_t least) {
    facts.require(Relation::eq(facts.dim(value, 0), rows),
                  (field + ".shape[0]").str());
    facts.require(Relation::le(facts.constant(least), facts.dim(value, 1)),
                  (field + ".shape[1]").str());
  };
  require("codes", getCodes(), bytes);
  require("scales", getScales(), blocks);
  if (getZeros())
    require("zeros", getZeros(), blocks);
  setOrRequireExtent(facts, getResult(), 0, rows);
  facts.setExact(getResult(), 1, facts.constant(terms));
}

LogicalResult
DequantizeOp::reifyResultShapes(OpBuilder &b,
                                ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(
      sizesOfResult(b, getResult(),
                    {tensor::getMixedSize(b, getLoc(), getCodes(), 0),
                     b.getIndexAttr(getNumTerms())}));
  return success();
}

void DequantizeOp::populateBoundsForShapedValueDim(
    Value value, int64_t dim, ValueBoundsConstraintSet &cstr) {
  if (dim == 0)
    cstr.bound(value)[dim] == cstr.getExpr(getCodes(), 0);
  else
    cstr.bound(value)[dim] == getNumTerms();
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// `op` by other operands; its extents are the same.
static DequantizeOp makeNumbers(OpBuilder &b, DequantizeOp op, Value codes,
                                Value scales, Value zeros) {
  return DequantizeOp::create(b, op.getLoc(), op.getType(), codes, scales,
                              zeros, op.getBits(), op.getBlock());
}

/// By scales, the numbers of their tangents; by zeros, those of codes that are
/// all 0.
LogicalResult DequantizeOp::buildJvp(Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  Value sum;
  if (Value scales = tangents.of(getScales()))
    sum = makeNumbers(b, *this, getCodes(), scales, getZeros());
  if (Value zeros = getZeros() ? tangents.of(getZeros()) : Value()) {
    Value none = makeZero(b, getLoc(), getCodes().getType(),
                          extentsOf(b, getLoc(), getCodes()));
    Value part = makeNumbers(b, *this, none, getScales(), zeros);
    sum = sum ? makeSum(b, getLoc(), sum, part) : part;
  }
  tangents.set(getResult(), sum);
  return success();
}

/// The sums of the terms of each block, as a tensor of the extents of a scale,
/// `sizes`; zeros where there are more.
static Value sumBlocks(OpBuilder &b, DequantizeOp op, Value terms,
                       ArrayRef<OpFoldResult> sizes) {
  Location loc = op.getLoc();
  RankedTensorType type = tensorTypeOf(terms);
  int64_t rows = type.getDimSize(0), numTerms = op.getNumTerms();
  int64_t block = std::clamp<int64_t>(numTerms, 1, op.getBlock());
  int64_t count = llvm::divideCeil(numTerms, block);
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0)), beyond(origin),
      ones(2, b.getIndexAttr(1));
  beyond[1] = b.getIndexAttr(count * block - numTerms);
  Value whole = tensor::PadOp::create(
      b, loc, type.clone({rows, count * block}), terms, origin, beyond,
      makeZero(b, loc, type.getElementType(), {}));
  OpFoldResult blocks = b.getIndexAttr(count);
  Value split = tensor::ExpandShapeOp::create(
      b, loc, type.clone({rows, count, block}), whole,
      ArrayRef<ReassociationIndices>{{0}, {1, 2}},
      ArrayRef<OpFoldResult>{sizes[0], blocks, b.getIndexAttr(block)});
  RankedTensorType all = tensorTypeOf(op.getScales());
  Value zeros = makeZero(b, loc, all.clone(type.getElementType()), sizes);
  return tensor::InsertSliceOp::create(
      b, loc, sumOver(b, loc, split, {0, 1}), zeros, origin,
      ArrayRef<OpFoldResult>{sizes[0], blocks}, ones);
}

LogicalResult DequantizeOp::buildTranspose(Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  Location loc = getLoc();
  Value cotangent = cotangents.of(getResult());
  SmallVector<OpFoldResult> sizes = cotangents.extents(getScales());
  auto addTo = [&](Value operand, Value value) {
    cotangents.add(operand,
                   convertTensor(b, loc, value, tensorTypeOf(operand)));
  };
  if (cotangents.isLinear(getScales())) {
    Value ones = makeFilled(b, loc, 1, getScales().getType(), sizes);
    Value zeros = getZeros() ? cotangents.residual(getZeros()) : Value();
    Value numbers =
        makeNumbers(b, *this, cotangents.residual(getCodes()), ones, zeros);
    Value terms = arith::MulFOp::create(b, loc, cotangent, numbers);
    addTo(getScales(), sumBlocks(b, *this, terms, sizes));
  }
  if (getZeros() && cotangents.isLinear(getZeros())) {
    Value sums = sumBlocks(b, *this, cotangent, sizes);
    Value scales = convertTensor(b, loc, cotangents.residual(getScales()),
                                 tensorTypeOf(sums));
    Value product = arith::MulFOp::create(b, loc, sums, scales);
    addTo(getZeros(), arith::NegFOp::create(b, loc, product));
  }
  return success();
}
