//===- RefineResults.cpp - Result types from operands and constants -------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the shape rule of one op, with no facts but types and constants.
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/RefineResults.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "symshape/IR/OneOpFacts.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

/// Null for other types.
static ShapedType tensorOrMemRef(Type type) {
  return isa<RankedTensorType, MemRefType>(type) ? cast<ShapedType>(type)
                                                 : ShapedType();
}

/// The types of the results with the extents that the rule of `op` makes
/// constants.
static SmallVector<Type> refineByRule(Operation *op) {
  SmallVector<Type> types(op->getResultTypes());
  if (llvm::all_of(types, [](Type type) {
        ShapedType shaped = tensorOrMemRef(type);
        return !shaped || shaped.hasStaticShape();
      }))
    return types;
  OneOpFacts facts;
  cast<ShapeFactsOpInterface>(op).populateShapeFacts(facts);
  for (auto [type, result] : llvm::zip_equal(types, op->getResults())) {
    // The layout of a memref may say an extent as well.
    auto shaped = dyn_cast<RankedTensorType>(type);
    if (!shaped)
      continue;
    SmallVector<int64_t> shape(shaped.getShape());
    for (auto [d, extent] : llvm::enumerate(shape))
      if (std::optional<int64_t> size = facts.dim(result, d).asInt64();
          size && *size >= 0)
        extent = *size;
    type = shaped.clone(shape);
  }
  return types;
}

/// The types of the results of `op`, whose operands have other types than
/// before: what its definition derives from operands, what was known, and what
/// its rule gives, together.
static SmallVector<Type> inferResults(Operation *op) {
  auto derived = dyn_cast<InferTypeOpInterface>(op);
  SmallVector<Type> types;
  if (!derived || failed(derived.inferReturnTypes(
                      op->getContext(), op->getLoc(), op->getOperands(),
                      op->getAttrDictionary(), op->getPropertiesStorage(),
                      op->getRegions(), types)))
    return refineByRule(op);
  for (auto [type, result] : llvm::zip_equal(types, op->getResults())) {
    auto shaped = dyn_cast<RankedTensorType>(type);
    auto known = dyn_cast<RankedTensorType>(result.getType());
    if (shaped && known && shaped.getRank() == known.getRank()) {
      SmallVector<int64_t> shape(shaped.getShape());
      for (auto [extent, other] : llvm::zip_equal(shape, known.getShape()))
        if (ShapedType::isDynamic(extent))
          extent = other;
      type = shaped.clone(shape);
    }
    result.setType(type);
  }
  return refineByRule(op);
}

/// The source of a cast that forgets extents; null for any other value.
static Value sourceOfCast(Value value) {
  if (auto cast = value.getDefiningOp<tensor::CastOp>())
    return tensor::canFoldIntoConsumerOp(cast) ? cast.getSource() : Value();
  if (auto cast = value.getDefiningOp<memref::CastOp>())
    return memref::CastOp::canFoldIntoConsumerOp(cast) ? cast.getSource()
                                                       : Value();
  return {};
}

/// The operands of `op` without casts that forget extents; nullopt if there
/// are none.
static std::optional<SmallVector<Value>> skipCasts(Operation *op) {
  SmallVector<Value> operands(op->getOperands());
  bool isChanged = false;
  for (Value &operand : operands)
    while (Value source = sourceOfCast(operand)) {
      operand = source;
      isChanged = true;
    }
  return isChanged ? std::optional(operands) : std::nullopt;
}

LogicalResult symshape::refineResults(Operation *op, RewriterBase &rewriter) {
  if (!isa<ShapeFactsOpInterface>(op) || op->getNumRegions() != 0)
    return failure();
  std::optional<SmallVector<Value>> operands = skipCasts(op);
  SmallVector<Type> types;
  if (!operands) {
    types = refineByRule(op);
    if (TypeRange(types) == op->getResultTypes())
      return failure();
  }
  Operation *copy = op->clone();
  if (operands) {
    copy->setOperands(*operands);
    types = inferResults(copy);
  }
  for (auto [result, type] : llvm::zip_equal(copy->getResults(), types))
    result.setType(type);
  ScopedDiagnosticHandler quiet(op->getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(verify(copy))) {
    copy->erase();
    return failure();
  }
  rewriter.setInsertionPoint(op);
  rewriter.insert(copy);
  SmallVector<Value> results;
  for (auto [result, old] :
       llvm::zip_equal(copy->getResults(), op->getResultTypes())) {
    if (result.getType() == old)
      results.push_back(result);
    else if (isa<MemRefType>(old))
      results.push_back(
          memref::CastOp::create(rewriter, op->getLoc(), old, result));
    else
      results.push_back(
          tensor::CastOp::create(rewriter, op->getLoc(), old, result));
  }
  rewriter.replaceOp(op, results);
  return success();
}

namespace {
struct RefineResults : OpInterfaceRewritePattern<ShapeFactsOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ShapeFactsOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isa<SymShapeDialect>(op->getDialect()))
      return failure();
    return refineResults(op, rewriter);
  }
};
} // namespace

void symshape::populateRefineResultsPatterns(RewritePatternSet &patterns) {
  patterns.add<RefineResults>(patterns.getContext());
}
