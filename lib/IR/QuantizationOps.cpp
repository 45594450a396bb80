//===- QuantizationOps.cpp - Numbers of few bits --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification and shapes of dequantize. Not for: lowering (Conversion).
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"

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
        {"result", getResult()}})
    if (value && failed(verifyExtent(*this, (field + ".shape[0]").str(),
                                     tensorTypeOf(value).getDimSize(0), rows)))
      return failure();
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
