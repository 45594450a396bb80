//===- GuardCall.cpp - Where a function checks its guards -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardCall.h"

#include "symshape/IR/PassAttributes.h"

using namespace mlir;
using namespace mlir::symshape;

/// Whether the callee says which guard fails. Looking up its name in the module
/// costs more than looking at its types.
static bool isGuard(func::CallOp call) {
  if (call.getNumResults() != 1 || !call.getResult(0).getType().isInteger(32) ||
      !llvm::all_of(call.getOperandTypes(), llvm::IsaPred<IndexType>))
    return false;
  Operation *callee = SymbolTable::lookupNearestSymbolFrom(
      call, call.getCalleeAttr().getAttr());
  return callee && callee->hasAttr(kMessages);
}

Block::iterator mlir::symshape::getEndOfGuards(func::FuncOp function) {
  Block &entry = function.getBody().front();
  for (Operation &op : entry) {
    auto call = dyn_cast<func::CallOp>(op);
    if (!call || !isGuard(call))
      continue;
    for (Operation *compare : call->getUsers())
      for (Operation *branch : compare->getUsers())
        if (branch->getBlock() == &entry)
          return std::next(branch->getIterator());
  }
  return entry.begin();
}
