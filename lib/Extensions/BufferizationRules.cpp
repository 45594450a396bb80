//===- BufferizationRules.cpp - Shape rules of bufferization --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops between tensors and buffers: both sides have the same extents.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::bufferization;

namespace {
void allocTensorRule(AllocTensorOp op, ShapeFacts &facts) {
  if (Value copy = op.getCopy())
    facts.copyExtents(copy, op.getResult());
  else
    setDynamicSizes(facts, op.getResult(), op.getDynamicSizes());
}

template <typename OpTy>
void sameExtentsRule(OpTy op, ShapeFacts &facts) {
  Value source = op->getOperand(0), result = op->getResult(0);
  if (isRankedShaped(source.getType()) && isRankedShaped(result.getType()))
    facts.copyExtents(source, result);
}
} // namespace

void symshape::registerBufferizationRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, BufferizationDialect *) {
    attachRule<AllocTensorOp, allocTensorRule>(context);
    attachRule<CloneOp, sameExtentsRule<CloneOp>>(context);
    attachRule<ToBufferOp, sameExtentsRule<ToBufferOp>>(context);
    attachRule<ToTensorOp, sameExtentsRule<ToTensorOp>>(context);
  });
}
