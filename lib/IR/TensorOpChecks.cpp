//===- TensorOpChecks.cpp - What tensor ops check -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::symshape;

SmallVector<int64_t> symshape::otherAxes(int64_t rank, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> others;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(axes, d))
      others.push_back(d);
  return others;
}

LogicalResult symshape::verifyAxes(Operation *op, StringRef field,
                                   ArrayRef<int64_t> axes, int64_t rank,
                                   bool sorted) {
  llvm::SmallSet<int64_t, 8> seen;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (axis < 0 || axis >= rank)
      return emitFieldError(op, field + "[" + Twine(i) + "]",
                            "to be in [0, " + Twine(rank) + ")", Twine(axis));
    if (!seen.insert(axis).second || (sorted && i > 0 && axis < axes[i - 1]))
      return emitFieldError(op, field + "[" + Twine(i) + "]",
                            sorted ? "to be larger than the one before"
                                   : "to be an axis that is given once",
                            Twine(axis));
  }
  return success();
}

LogicalResult symshape::verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return emitFieldError(op, "axis", "to be in [0, " + Twine(rank) + ")",
                        Twine(axis));
}

LogicalResult symshape::verifyDisjoint(Operation *op, StringRef field,
                                       ArrayRef<int64_t> axes,
                                       ArrayRef<int64_t> others) {
  for (auto [i, axis] : llvm::enumerate(axes))
    if (llvm::is_contained(others, axis))
      return emitFieldError(op, field + "[" + Twine(i) + "]",
                            "to be an axis of one role", Twine(axis));
  return success();
}

LogicalResult symshape::verifyExtent(Operation *op, const Twine &field,
                                     int64_t actual, int64_t expected) {
  if (ShapedType::isDynamic(actual) || ShapedType::isDynamic(expected) ||
      actual == expected)
    return success();
  return emitFieldError(op, field, "to be " + Twine(expected), Twine(actual));
}

LogicalResult symshape::verifyAtMost(Operation *op, const Twine &field,
                                     int64_t actual, int64_t most) {
  if (ShapedType::isDynamic(actual) || ShapedType::isDynamic(most) ||
      actual <= most)
    return success();
  return emitFieldError(op, field, "to be at most " + Twine(most),
                        Twine(actual));
}

LogicalResult symshape::verifySameShape(Operation *op, StringRef field,
                                        Value value, Value like,
                                        std::optional<int64_t> except) {
  if (rankOf(value) != rankOf(like))
    return emitFieldError(op, field + ".rank", "to be " + Twine(rankOf(like)),
                          Twine(rankOf(value)));
  for (auto [d, extent] : llvm::enumerate(tensorTypeOf(like).getShape()))
    if (except != static_cast<int64_t>(d) &&
        failed(verifyExtent(op, field + ".shape[" + Twine(d) + "]",
                            tensorTypeOf(value).getDimSize(d), extent)))
      return failure();
  return success();
}

LogicalResult symshape::verifyIndexElements(Operation *op, StringRef field,
                                            Value value) {
  Type element = getElementTypeOrSelf(value);
  if (element.isIndex() || element.isSignlessInteger(32) ||
      element.isSignlessInteger(64))
    return success();
  return emitFieldError(op, field + ".element_type", "to be i32, i64 or index",
                        llvm::to_string(element));
}

LogicalResult symshape::verifyNumberElements(Operation *op, StringRef field,
                                             Value value) {
  Type element = getElementTypeOrSelf(value);
  if (isa<FloatType, IndexType>(element) || element.isSignlessInteger())
    return success();
  return emitFieldError(op, field + ".element_type",
                        "to be a float, an integer or an index",
                        llvm::to_string(element));
}

LogicalResult symshape::verifyElementType(Operation *op, StringRef field,
                                          Value value, Value source) {
  Type actual = getElementTypeOrSelf(value),
       expected = getElementTypeOrSelf(source);
  if (actual == expected)
    return success();
  return emitFieldError(op, field + ".element_type",
                        "to be " + llvm::to_string(expected),
                        llvm::to_string(actual));
}

int64_t symshape::staticExtent(OpFoldResult size) {
  auto constant = getConstantIntValue(size);
  return constant && isa<Attribute>(size) ? *constant : ShapedType::kDynamic;
}

SmallVector<OpFoldResult>
symshape::sizesOfResult(OpBuilder &builder, Value result,
                        ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> extents(sizes);
  for (auto [d, extent] : llvm::enumerate(tensorTypeOf(result).getShape()))
    if (!ShapedType::isDynamic(extent))
      extents[d] = builder.getIndexAttr(extent);
  return extents;
}

void symshape::setOrRequireExtent(ShapeFacts &facts, Value result, int64_t d,
                                  Expr e) {
  auto type = tensorTypeOf(result);
  if (!type.isDynamicDim(d)) {
    facts.require(Relation::eq(e, facts.constant(type.getDimSize(d))),
                  "result.shape[" + Twine(d) + "]");
    return;
  }
  if (!e.asSymbol() && !facts.fitsType(e, IndexType::get(result.getContext())))
    facts.require(Relation::le(e, facts.constant(INT64_MAX)),
                  "result.shape[" + Twine(d) + "]");
  facts.setExact(result, d, e);
}

void symshape::requireSizeWithin(ShapeFacts &facts, Expr size, Expr extent,
                                 const Twine &field) {
  facts.require(Relation::ge(size, facts.constant(0)), field);
  facts.require(Relation::le(size, extent), field);
}
