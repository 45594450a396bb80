//===- DerivativeOps.cpp - What derivatives are written in ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification, shapes and derivatives of with_extents and stop_gradient: both
// are the identity.
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// WithExtentsOp
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> WithExtentsOp::getMixedExtents() {
  return getMixedValues(getStaticExtents(), getExtents(), getContext());
}

LogicalResult WithExtentsOp::verify() {
  // C1
  if (static_cast<int64_t>(getStaticExtents().size()) != rankOf(getSource()))
    return emitFieldError(*this, "extents",
                          "to have " + Twine(rankOf(getSource())) + " entries",
                          Twine(getStaticExtents().size()));
  for (auto [d, extent] : llvm::enumerate(getMixedExtents()))
    if (failed(verifyExtent(*this, "extents[" + Twine(d) + "]",
                            tensorTypeOf(getSource()).getDimSize(d),
                            staticExtent(extent))))
      return failure();
  return success();
}

void WithExtentsOp::populateShapeFacts(ShapeFacts &facts) {
  for (auto [d, extent] : llvm::enumerate(getMixedExtents()))
    facts.setExact(getResult(), d, facts.value(extent));
}

LogicalResult
WithExtentsOp::reifyResultShapes(OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(getMixedExtents());
  return success();
}

LogicalResult WithExtentsOp::buildJvp(Tangents &tangents) {
  Operation *tangent = tangents.builder().clone(*getOperation());
  tangent->setOperand(0, tangents.of(getSource()));
  tangents.set(getResult(), tangent->getResult(0));
  return success();
}

LogicalResult WithExtentsOp::buildTranspose(Cotangents &cotangents) {
  cotangents.add(getSource(), cotangents.of(getResult()));
  return success();
}

//===----------------------------------------------------------------------===//
// StopGradientOp
//===----------------------------------------------------------------------===//

OpFoldResult StopGradientOp::fold(FoldAdaptor adaptor) {
  return adaptor.getSource();
}

void StopGradientOp::populateShapeFacts(ShapeFacts &facts) {
  facts.copyExtents(getSource(), getResult());
}

LogicalResult StopGradientOp::buildJvp(Tangents &) { return success(); }

LogicalResult StopGradientOp::buildTranspose(Cotangents &) { return success(); }
