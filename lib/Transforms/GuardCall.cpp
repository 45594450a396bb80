//===- GuardCall.cpp - Where a function checks its guards -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardCall.h"

using namespace mlir;
using namespace mlir::symshape;

Block::iterator mlir::symshape::getEndOfGuards(func::FuncOp function) {
  Block &entry = function.getBody().front();
  std::string guard = (function.getName() + ".guard").str();
  for (Operation &op : entry) {
    auto call = dyn_cast<func::CallOp>(op);
    if (!call || call.getCallee() != guard)
      continue;
    for (Operation *compare : call->getUsers())
      for (Operation *branch : compare->getUsers())
        if (branch->getBlock() == &entry)
          return std::next(branch->getIterator());
  }
  return entry.begin();
}
