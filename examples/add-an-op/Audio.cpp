//===- Audio.cpp - What symshape is told of the ops -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Audio.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/InliningUtils.h"
#include "symshape/Extensions/RuleHelpers.h"
#include "symshape/IR/Derivatives.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace audio;

#include "AudioDialect.cpp.inc"
#define GET_OP_CLASSES
#include "AudioOps.cpp.inc"

namespace {
/// Functions that hold our ops may be inlined: derivatives of calls need that.
struct AudioInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
};
} // namespace

void AudioDialect::initialize() {
  addInterfaces<AudioInliner>();
  addOperations<
#define GET_OP_LIST
#include "AudioOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

// A rule reads its operands as expressions, states what the results are, and
// requires what must hold; symshape proves that, or checks it before the
// program runs.

void FramesOp::populateShapeFacts(ShapeFacts &facts) {
  Expr length = facts.dim(getSignal(), 0), window = facts.constant(getWindow()),
       hop = facts.constant(getHop());
  facts.require(Relation::ge(length, window), "length of the signal");
  Expr rows = facts.arena().floorDiv(length - window, hop) + 1;
  setOrRequire(facts, getFrames(), 0, rows, "number of frames");
  setOrRequire(facts, getFrames(), 1, window, "window");
}

void OverlapAddOp::populateShapeFacts(ShapeFacts &facts) {
  Expr rows = facts.dim(getFrames(), 0), window = facts.dim(getFrames(), 1),
       length = facts.value(getLength());
  facts.require(Relation::ge(length, facts.constant(0)), "length");
  // Without rows nothing has to fit.
  Relation isEmpty = Relation::le(rows, facts.constant(0));
  Relation fits =
      Relation::le((rows - 1) * facts.constant(getHop()) + window, length);
  facts.require(Formula::disj(isEmpty, fits), "length");
  setOrRequire(facts, getSignal(), 0, length, "length");
}

/// The extents once more, as values: what rules state is not in the program.
LogicalResult FramesOp::reifyResultShapes(OpBuilder &b,
                                          ReifiedRankedShapedTypeDims &shapes) {
  auto constant = [&](int64_t n) -> Value {
    return arith::ConstantIndexOp::create(b, getLoc(), n);
  };
  Value rows = tensor::DimOp::create(b, getLoc(), getSignal(), 0);
  rows = arith::SubIOp::create(b, getLoc(), rows, constant(getWindow()));
  rows = arith::DivUIOp::create(b, getLoc(), rows, constant(getHop()));
  rows = arith::AddIOp::create(b, getLoc(), rows, constant(1));
  shapes = {{rows, b.getIndexAttr(getWindow())}};
  return success();
}

LogicalResult
OverlapAddOp::reifyResultShapes(OpBuilder &b,
                                ReifiedRankedShapedTypeDims &shapes) {
  shapes = {{getLength()}};
  return success();
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

// Both are linear in their tensor: the tangent of the result is the same op on
// the tangent of the operand, and each is the transpose of the other.

LogicalResult FramesOp::buildJvp(Tangents &tangents) {
  Value tangent =
      FramesOp::create(tangents.builder(), getLoc(), getFrames().getType(),
                       tangents.of(getSignal()), getWindow(), getHop());
  tangents.set(getFrames(), tangent);
  return success();
}

LogicalResult FramesOp::buildTranspose(Cotangents &cotangents) {
  Value cotangent = cotangents.of(getFrames());
  if (!cotangent)
    return success();
  OpBuilder &b = cotangents.builder();
  Value length = getValueOrCreateConstantIndexOp(
      b, getLoc(), cotangents.extents(getSignal()).front());
  cotangents.add(getSignal(),
                 OverlapAddOp::create(b, getLoc(), getSignal().getType(),
                                      cotangent, length, getHop()));
  return success();
}

LogicalResult OverlapAddOp::buildJvp(Tangents &tangents) {
  Value tangent =
      OverlapAddOp::create(tangents.builder(), getLoc(), getSignal().getType(),
                           tangents.of(getFrames()), getLength(), getHop());
  tangents.set(getSignal(), tangent);
  return success();
}

LogicalResult OverlapAddOp::buildTranspose(Cotangents &cotangents) {
  Value cotangent = cotangents.of(getSignal());
  if (!cotangent)
    return success();
  auto type = cast<RankedTensorType>(getFrames().getType());
  if (type.isDynamicDim(1))
    return emitOpError("expected frames of a static width, but got ") << type;
  OpBuilder &b = cotangents.builder();
  // A longer signal has more frames than were added up.
  int64_t window = type.getDimSize(1);
  auto all = RankedTensorType::get({ShapedType::kDynamic, window},
                                   type.getElementType());
  Value frames =
      FramesOp::create(b, getLoc(), all, cotangent, window, getHop());
  SmallVector<OpFoldResult> none(2, b.getIndexAttr(0)),
      one(2, b.getIndexAttr(1));
  cotangents.add(getFrames(), tensor::ExtractSliceOp::create(
                                  b, getLoc(), type, frames, none,
                                  cotangents.extents(getFrames()), one));
  return success();
}
