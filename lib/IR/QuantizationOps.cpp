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
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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

/// A tensor of one number.
static Value fill(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes,
                  TypedAttr number) {
  Value empty = tensor::EmptyOp::create(b, loc, sizes, number.getType());
  Value element = arith::ConstantOp::create(b, loc, number);
  return linalg::FillOp::create(b, loc, element, empty).getResult(0);
}

/// By scales, the numbers of their tangents; by zeros, those of codes that are
/// all 0.
LogicalResult DequantizeOp::buildJvp(Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  Value sum;
  if (Value scales = tangents.of(getScales()))
    sum = makeNumbers(b, *this, getCodes(), scales, getZeros());
  if (Value zeros = getZeros() ? tangents.of(getZeros()) : Value()) {
    Value none =
        fill(b, getLoc(), tensor::getMixedSizes(b, getLoc(), getCodes()),
             b.getI8IntegerAttr(0));
    if (none.getType() != getCodes().getType())
      none = tensor::CastOp::create(b, getLoc(), getCodes().getType(), none);
    Value part = makeNumbers(b, *this, none, getScales(), zeros);
    sum =
        sum ? arith::AddFOp::create(b, getLoc(), sum, part).getResult() : part;
  }
  tangents.set(getResult(), sum);
  return success();
}

/// The sums of the terms of each block, as a tensor of the extents of a scale,
/// `sizes`; zeros where there are more.
static Value sumBlocks(OpBuilder &b, DequantizeOp op, Value terms,
                       ArrayRef<OpFoldResult> sizes) {
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(terms);
  Value init = fill(b, loc, sizes, b.getFloatAttr(element, 0));
  int64_t block = std::clamp<int64_t>(op.getNumTerms(), 1, op.getBlock());
  int64_t count = llvm::divideCeil(op.getNumTerms(), block);
  auto pad = [&](Value value, ArrayRef<int64_t> shape, OpFoldResult high) {
    SmallVector<OpFoldResult> none(2, b.getIndexAttr(0)), above(none);
    above[1] = high;
    Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(element, 0));
    return tensor::PadOp::create(b, loc, RankedTensorType::get(shape, element),
                                 value, none, above, zero)
        .getResult();
  };
  int64_t rows = tensorTypeOf(terms).getDimSize(0);
  Value whole = pad(terms, {rows, count * block},
                    b.getIndexAttr(count * block - op.getNumTerms()));
  SmallVector<OpFoldResult> split{sizes[0], b.getIndexAttr(count),
                                  b.getIndexAttr(block)};
  Value blocks = tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get({rows, count, block}, element), whole,
      ArrayRef<ReassociationIndices>{{0}, {1, 2}}, split);
  Value start = fill(b, loc, {sizes[0], b.getIndexAttr(count)},
                     b.getFloatAttr(element, 0));
  Value sums =
      linalg::ReduceOp::create(
          b, loc, blocks, start, ArrayRef<int64_t>{2},
          [](OpBuilder &b, Location loc, ValueRange args) {
            linalg::YieldOp::create(
                b, loc,
                arith::AddFOp::create(b, loc, args[0], args[1]).getResult());
          })
          ->getResult(0);
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0)),
      ones(2, b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(
      b, loc, sums, init, origin,
      ArrayRef<OpFoldResult>{sizes[0], b.getIndexAttr(count)}, ones);
}

LogicalResult DequantizeOp::buildTranspose(Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  Location loc = getLoc();
  Value cotangent = cotangents.of(getResult());
  auto addTo = [&](Value operand, Value value) {
    RankedTensorType type = tensorTypeOf(operand), made = tensorTypeOf(value);
    if (type.getElementType() != made.getElementType())
      value = arith::TruncFOp::create(b, loc, made.clone(type.getElementType()),
                                      value);
    if (value.getType() != type)
      value = tensor::CastOp::create(b, loc, type, value);
    cotangents.add(operand, value);
  };
  SmallVector<OpFoldResult> sizes = cotangents.extents(getScales());
  bool byZeros = getZeros() && cotangents.isLinear(getZeros());
  if (cotangents.isLinear(getScales())) {
    Type scale = getElementTypeOrSelf(getScales());
    Value ones = fill(b, loc, sizes, b.getFloatAttr(scale, 1));
    if (ones.getType() != getScales().getType())
      ones = tensor::CastOp::create(b, loc, getScales().getType(), ones);
    Value zeros = getZeros() ? cotangents.residual(getZeros()) : Value();
    Value numbers =
        makeNumbers(b, *this, cotangents.residual(getCodes()), ones, zeros);
    Value terms = arith::MulFOp::create(b, loc, cotangent, numbers);
    addTo(getScales(), sumBlocks(b, *this, terms, sizes));
  }
  if (byZeros) {
    Value sums = sumBlocks(b, *this, cotangent, sizes);
    Value scales = cotangents.residual(getScales());
    auto wide = tensorTypeOf(sums);
    if (tensorTypeOf(scales) != wide &&
        getElementTypeOrSelf(scales) != wide.getElementType())
      scales = arith::ExtFOp::create(
          b, loc, tensorTypeOf(scales).clone(wide.getElementType()), scales);
    if (scales.getType() != wide)
      scales = tensor::CastOp::create(b, loc, wide, scales);
    Value product = arith::MulFOp::create(b, loc, sums, scales);
    addTo(getZeros(), arith::NegFOp::create(b, loc, product));
  }
  return success();
}
