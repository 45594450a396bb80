//===- TensorOpFolds.cpp - Folds of ops on tensors ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that change nothing, and constants among sizes. No fold takes away what
// an op requires: it has to follow from static types and constants.
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "symshape/IR/RefineResults.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Ops that change nothing
//===----------------------------------------------------------------------===//

/// Whether `a` and `b` are one type of static extents.
static bool isSameStatic(Value a, Value b) {
  return a.getType() == b.getType() && tensorTypeOf(a).hasStaticShape();
}

/// `source` if the op has static sizes that are its extents.
static OpFoldResult foldUnlessResized(Value source, Value result,
                                      ValueRange sizes) {
  if (sizes.empty() && isSameStatic(source, result))
    return source;
  return {};
}

/// Starts are clamped, so a slice of full size is all of the source.
OpFoldResult DynamicSliceOp::fold(FoldAdaptor) {
  return foldUnlessResized(getSource(), getResult(), getSizes());
}

OpFoldResult DynamicUpdateSliceOp::fold(FoldAdaptor) {
  return foldUnlessResized(getUpdate(), getResult(), {});
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  return foldUnlessResized(getSource(), getResult(), getSizes());
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  if (!llvm::equal(getDims(), llvm::seq(rankOf(getSource()))))
    return {};
  return foldUnlessResized(getSource(), getResult(), getSizes());
}

/// Also for dynamic extents: nothing is added to them.
OpFoldResult PadOp::fold(FoldAdaptor) {
  auto isZero = [](int64_t v) { return v == 0; };
  if (getType() == getSource().getType() &&
      llvm::all_of(getStaticLow(), isZero) &&
      llvm::all_of(getStaticHigh(), isZero) &&
      llvm::all_of(getInterior(), isZero))
    return getSource();
  return {};
}

/// The constant extent that an index or a tensor gives at `axis`.
static std::optional<int64_t> constantExtent(Value size, int64_t axis) {
  if (size.getType().isIndex())
    return getConstantIntValue(size);
  auto type = dyn_cast<RankedTensorType>(size.getType());
  if (!type || type.isDynamicDim(axis))
    return std::nullopt;
  return type.getDimSize(axis);
}

OpFoldResult PadToMatchOp::fold(FoldAdaptor) {
  int64_t axis = getAxis();
  if (getType() != getSource().getType())
    return {};
  if (getSize() == getSource())
    return getSource();
  std::optional<int64_t> size = constantExtent(getSize(), axis);
  if (size && !getType().isDynamicDim(axis) &&
      *size <= getType().getDimSize(axis))
    return getSource();
  return {};
}

OpFoldResult DynamicTruncateOp::fold(FoldAdaptor) {
  int64_t axis = getAxis();
  std::optional<int64_t> size = getConstantIntValue(getSize());
  if (size && getType() == getSource().getType() &&
      !getType().isDynamicDim(axis) && *size >= getType().getDimSize(axis))
    return getSource();
  return {};
}

//===----------------------------------------------------------------------===//
// Constants among sizes
//===----------------------------------------------------------------------===//

/// Moves the constants of a list that is partly static to its static part, and
/// returns that.
static SmallVector<int64_t> takeConstants(MutableOperandRange dynamic,
                                          ArrayRef<int64_t> statics) {
  SmallVector<int64_t> result(statics);
  unsigned next = 0;
  for (int64_t &entry : result) {
    if (!ShapedType::isDynamic(entry))
      continue;
    std::optional<int64_t> constant = getConstantIntValue(dynamic[next].get());
    if (constant && !ShapedType::isDynamic(*constant)) {
      entry = *constant;
      dynamic.erase(next);
    } else {
      ++next;
    }
  }
  return result;
}

/// For an op with a list of sizes.
template <typename OpTy>
static void takeConstants(OpTy op) {
  op.setStaticSizes(takeConstants(op.getSizesMutable(), op.getStaticSizes()));
}

static void takeConstants(PadOp op) {
  op.setStaticLow(takeConstants(op.getLowMutable(), op.getStaticLow()));
  op.setStaticHigh(takeConstants(op.getHighMutable(), op.getStaticHigh()));
}

static void takeConstants(GatherOp op) {
  op.setStaticSliceSizes(
      takeConstants(op.getSliceSizesMutable(), op.getStaticSliceSizes()));
}

static void takeConstants(IotaOp op) {
  op.setStaticBounds(
      takeConstants(op.getBoundsMutable(), op.getStaticBounds()));
}

namespace {
/// Not if the verifier would refuse the constant: the check at run time then
/// reports it.
template <typename OpTy>
struct ConstantsBecomeStatic : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto copy = cast<OpTy>(op->clone());
    takeConstants(copy);
    bool isChanged = copy->getNumOperands() != op->getNumOperands();
    ScopedDiagnosticHandler quiet(op.getContext(),
                                  [](Diagnostic &) { return success(); });
    if (!isChanged || failed(verify(copy))) {
      copy->erase();
      return failure();
    }
    rewriter.insert(copy);
    rewriter.replaceOp(op, copy->getResults());
    return success();
  }
};
} // namespace

/// Also what all ops of the dialect share: one of them has to give it.
void DynamicSliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add<ConstantsBecomeStatic<DynamicSliceOp>>(context);
  populateRefineResultsPatterns(patterns);
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<ConstantsBecomeStatic<ReshapeOp>>(context);
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<ConstantsBecomeStatic<BroadcastOp>>(context);
}

void symshape::PadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<ConstantsBecomeStatic<symshape::PadOp>>(context);
}

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<ConstantsBecomeStatic<GatherOp>>(context);
}

void IotaOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<ConstantsBecomeStatic<IotaOp>>(context);
}
