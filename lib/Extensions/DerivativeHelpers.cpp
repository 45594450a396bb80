//===- DerivativeHelpers.cpp - What derivative rules share ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DerivativeHelpers.h"

using namespace mlir;
using namespace mlir::symshape;

LogicalResult symshape::applyToTangents(Operation *op, Tangents &tangents) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(hasTangent(operand.getType()) ? tangents.orZero(operand)
                                                     : operand);
  Operation *tangent = tangents.builder().clone(*op);
  tangent->setOperands(operands);
  tangents.set(op->getResult(0), tangent->getResult(0));
  return success();
}
