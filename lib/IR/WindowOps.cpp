//===- WindowOps.cpp - Windows over a tensor ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification, shapes and derivatives of windows. Not for: lowering
// (Conversion).
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/WindowOps.h"
#include "TensorOpChecks.h"
#include "symshape/IR/WindowExtents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::symshape;

#define GET_OP_CLASSES
#include "symshape/IR/WindowOps.cpp.inc"

SmallVector<WindowsOp::Axis> WindowsOp::getAxes() {
  SmallVector<Axis> axes(getStaticKernel().size());
  auto read = [&](OpFoldResult Axis::*field, ArrayRef<int64_t> statics,
                  ValueRange values) {
    for (auto [axis, value] :
         llvm::zip_equal(axes, getMixedValues(statics, values, getContext())))
      axis.*field = value;
  };
  read(&Axis::kernel, getStaticKernel(), getKernel());
  read(&Axis::low, getStaticLow(), getLow());
  read(&Axis::high, getStaticHigh(), getHigh());
  read(&Axis::stride, getStaticStride(), getStride());
  read(&Axis::dilation, getStaticDilation(), getDilation());
  read(&Axis::spread, getStaticSpread(), getSpread());
  return axes;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Checks one axis of an image, of this extent, where all is constant.
static LogicalResult verifyPlaces(Operation *op, unsigned number,
                                  const WindowsOp::Axis &axis, int64_t extent,
                                  int64_t places) {
  SmallVector<int64_t> known;
  for (OpFoldResult value : {axis.low, axis.high, axis.spread, axis.kernel,
                             axis.dilation, axis.stride})
    known.push_back(staticExtent(value));
  if (llvm::any_of(known, ShapedType::isDynamic) ||
      ShapedType::isDynamic(extent))
    return success();
  std::string field = "result.shape[" + std::to_string(1 + number) + "]";
  auto large = [](int64_t value) { return llvm::APInt(192, value, true); };
  if (extent == 0 && known[2] != 1)
    return emitFieldError(op, "source.shape[" + Twine(1 + number) + "]",
                          "to be at least 1", "0");
  llvm::APInt room = large(known[0]) + large(known[1]) +
                     (large(extent) - 1) * large(known[2]) -
                     (large(known[3]) - 1) * large(known[4]);
  auto text = [](const llvm::APInt &number) {
    SmallString<64> digits;
    number.toStringSigned(digits);
    return digits;
  };
  std::string at = "[" + std::to_string(number) + "]";
  if (room.isNegative())
    return emitFieldError(op, "kernel" + at, "to leave a room of at least 0",
                          text(room));
  if (room.srem(large(known[5])) != 0)
    return emitFieldError(op, "stride" + at, "to divide " + text(room),
                          Twine(known[5]));
  llvm::APInt count = room.sdiv(large(known[5])) + 1;
  if (!count.isSignedIntN(64))
    return emitFieldError(op, field, "to be at most 2^63 - 1", text(count));
  return verifyExtent(op, field, places, count.getSExtValue());
}

LogicalResult WindowsOp::verify() {
  // C1
  size_t n = getStaticKernel().size();
  for (auto [name, entries] :
       {std::pair<StringRef, ArrayRef<int64_t>>{"low", getStaticLow()},
        {"high", getStaticHigh()},
        {"stride", getStaticStride()},
        {"dilation", getStaticDilation()},
        {"spread", getStaticSpread()}})
    if (entries.size() != n)
      return emitFieldError(*this, name, "to have " + Twine(n) + " entries",
                            Twine(entries.size()));
  auto hasRank = [&](StringRef field, Value value, size_t rank) {
    return rankOf(value) == static_cast<int64_t>(rank)
               ? success()
               : emitFieldError(*this, field,
                                "to have " + Twine(rank) + " axes",
                                Twine(rankOf(value)));
  };
  if (n == 0)
    return emitFieldError(*this, "kernel", "to have at least 1 entry", "0");
  if (failed(hasRank("source", getSource(), n + 2)) ||
      failed(hasRank("result", getResult(), 2 * n + 2)))
    return failure();
  SmallVector<Axis> axes = getAxes();
  // C2
  for (auto [i, axis] : llvm::enumerate(axes))
    for (auto [name, value] :
         {std::pair<StringRef, OpFoldResult>{"kernel", axis.kernel},
          {"stride", axis.stride},
          {"dilation", axis.dilation},
          {"spread", axis.spread}})
      if (int64_t known = staticExtent(value);
          !ShapedType::isDynamic(known) && known < 1)
        return emitFieldError(*this, name + "[" + Twine(i) + "]",
                              "to be at least 1", Twine(known));
  // C3
  RankedTensorType source = tensorTypeOf(getSource()), result = getType();
  if (failed(verifyElementType(*this, "result", getResult(), getSource())) ||
      failed(verifyExtent(*this, "result.shape[0]", result.getDimSize(0),
                          source.getDimSize(0))) ||
      failed(verifyExtent(*this, "result.shape[" + Twine(2 * n + 1) + "]",
                          result.getDimSize(2 * n + 1),
                          source.getDimSize(n + 1))))
    return failure();
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (failed(verifyExtent(*this, "result.shape[" + Twine(1 + n + i) + "]",
                            result.getDimSize(1 + n + i),
                            staticExtent(axis.kernel))))
      return failure();
    // C4
    if (failed(verifyPlaces(*this, i, axis, source.getDimSize(1 + i),
                            result.getDimSize(1 + i))))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// How many windows there are along an axis, and what that requires. Where the
/// extent of the padded image fits 64 bits, so does all that is computed.
static Expr requirePlaces(ShapeFacts &facts, WindowsOp op, unsigned number,
                          const WindowsOp::Axis &axis) {
  std::string at = "[" + std::to_string(number) + "]";
  Expr one = facts.constant(1);
  auto requireFits = [&](Expr e, const Twine &field) {
    if (!e.asSymbol() && !facts.fitsType(e, IndexType::get(op.getContext())))
      facts.require(Relation::le(e, facts.constant(INT64_MAX)), field);
  };
  auto positive = [&](OpFoldResult value, StringRef field) {
    Expr e = facts.value(value);
    if (std::optional<int64_t> known = e.asInt64(); !known || *known < 1)
      facts.require(Relation::ge(e, one), field + at);
    return e;
  };
  Expr kernel = positive(axis.kernel, "kernel");
  Expr stride = positive(axis.stride, "stride");
  Expr dilation = positive(axis.dilation, "dilation");
  Expr spread = positive(axis.spread, "spread");
  Expr extent = facts.dim(op.getSource(), 1 + number);
  if (!spread.isConstant(1)) {
    std::string field = "source.shape[" + std::to_string(1 + number) + "]";
    facts.require(Relation::ge(extent, one), field);
    extent = spanOf(extent, spread);
    requireFits(extent, "spread" + at);
  }
  extent = facts.value(axis.low) + extent + facts.value(axis.high);
  requireFits(extent, "high" + at);
  Expr room = extent - spanOf(kernel, dilation);
  facts.require(Relation::ge(room, facts.constant(0)), "kernel" + at);
  if (!stride.isConstant(1))
    facts.require(Relation::divides(stride, room), "stride" + at);
  return windowsWithin(room, stride);
}

void WindowsOp::populateShapeFacts(ShapeFacts &facts) {
  SmallVector<Axis> axes = getAxes();
  size_t n = axes.size();
  setOrRequireExtent(facts, getResult(), 0, facts.dim(getSource(), 0));
  for (auto [i, axis] : llvm::enumerate(axes)) {
    setOrRequireExtent(facts, getResult(), 1 + i,
                       requirePlaces(facts, *this, i, axis));
    setOrRequireExtent(facts, getResult(), 1 + n + i, facts.value(axis.kernel));
  }
  setOrRequireExtent(facts, getResult(), 2 * n + 1,
                     facts.dim(getSource(), n + 1));
}

LogicalResult
WindowsOp::reifyResultShapes(OpBuilder &b,
                             ReifiedRankedShapedTypeDims &shapes) {
  Location loc = getLoc();
  ArithBuilder numbers(b, loc);
  auto value = [&](OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(b, loc, v);
  };
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Axis> axes = getAxes();
  SmallVector<OpFoldResult> source = tensor::getMixedSizes(b, loc, getSource());
  SmallVector<OpFoldResult> sizes{source.front()};
  for (auto [i, axis] : llvm::enumerate(axes)) {
    auto multiple = [&](OpFoldResult count, OpFoldResult distance) -> Value {
      Value gaps = b.createOrFold<arith::SubIOp>(loc, value(count), one);
      return b.createOrFold<arith::MulIOp>(loc, gaps, value(distance));
    };
    // (extent - 1) * spread + 1 is the extent for a spread of 1, also if that
    // is 0.
    Value room = multiple(source[1 + i], axis.spread);
    for (OpFoldResult border : {axis.low, axis.high})
      room = b.createOrFold<arith::AddIOp>(loc, room, value(border));
    room = b.createOrFold<arith::SubIOp>(loc, room,
                                         multiple(axis.kernel, axis.dilation));
    Value count = b.createOrFold<arith::DivSIOp>(loc, room, value(axis.stride));
    sizes.push_back(
        getAsOpFoldResult(b.createOrFold<arith::AddIOp>(loc, count, one)));
  }
  for (const Axis &axis : axes)
    sizes.push_back(axis.kernel);
  sizes.push_back(source.back());
  shapes.push_back(sizesOfResult(b, getResult(), sizes));
  return success();
}

/// That of windows is not affine, but at least 1.
void WindowsOp::populateBoundsForShapedValueDim(
    Value value, int64_t dim, ValueBoundsConstraintSet &cstr) {
  SmallVector<Axis> axes = getAxes();
  int64_t n = axes.size();
  if (dim == 0 || dim == 2 * n + 1)
    cstr.bound(value)[dim] == cstr.getExpr(getSource(), dim ? n + 1 : 0);
  else if (dim <= n)
    cstr.bound(value)[dim] >= 1;
  else
    cstr.bound(value)[dim] == cstr.getExpr(axes[dim - n - 1].kernel);
}

namespace {
/// Constants among the six lists become static, unless the verifier refuses
/// them: the check at run time then reports it.
struct ConstantWindowsBecomeStatic : OpRewritePattern<WindowsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(WindowsOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> lists[6];
    SmallVector<int64_t> statics[6];
    bool isChanged = false;
    for (const WindowsOp::Axis &axis : op.getAxes()) {
      OpFoldResult entries[] = {axis.kernel, axis.low,      axis.high,
                                axis.stride, axis.dilation, axis.spread};
      for (auto [i, entry] : llvm::enumerate(entries)) {
        std::optional<int64_t> known = getConstantIntValue(entry);
        if (known && ShapedType::isDynamic(*known))
          known.reset();
        isChanged |= known && isa<Value>(entry);
        statics[i].push_back(known.value_or(ShapedType::kDynamic));
        if (!known)
          lists[i].push_back(cast<Value>(entry));
      }
    }
    if (!isChanged)
      return failure();
    auto copy = WindowsOp::create(
        rewriter, op.getLoc(), op.getType(), op.getSource(), op.getValue(),
        lists[0], lists[1], lists[2], lists[3], lists[4], lists[5], statics[0],
        statics[1], statics[2], statics[3], statics[4], statics[5]);
    ScopedDiagnosticHandler quiet(op.getContext(),
                                  [](Diagnostic &) { return success(); });
    if (failed(verify(copy))) {
      rewriter.eraseOp(copy);
      return failure();
    }
    rewriter.replaceOp(op, copy);
    return success();
  }
};
} // namespace

void WindowsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<ConstantWindowsBecomeStatic>(context);
}
