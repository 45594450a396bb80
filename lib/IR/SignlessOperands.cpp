//===- SignlessOperands.cpp - Integers that arith takes -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/SignlessOperands.h"

#include "symshape/IR/SymShape.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape;

std::string symshape::describeSignlessOperands(Operation *op) {
  if (!isa<CumsumOp, GatherOp, ScatterOp, SortOp, TopKOp>(op))
    return "";
  Type type = op->getOperand(0).getType();
  Type element = getElementTypeOrSelf(type);
  if (!isa<IntegerType>(element) || element.isSignlessInteger())
    return "";
  return "signless integers, but got '" + llvm::to_string(type) + "'";
}
