//===- PassedRanges.cpp - What branches pass to blocks --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PassedRanges.h.
//
//===----------------------------------------------------------------------===//

#include "PassedRanges.h"
#include "Internal.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace mlir::symshape;

void PassedRanges::note(Block &block,
                        llvm::function_ref<SymbolInfo(Value)> infoOf) {
  auto branch = dyn_cast<BranchOpInterface>(&block.back());
  for (unsigned i = 0, e = branch ? branch->getNumSuccessors() : 0; i < e;
       ++i) {
    SuccessorOperands operands = branch.getSuccessorOperands(i);
    for (BlockArgument argument : branch->getSuccessor(i)->getArguments())
      if (Value given = operands[argument.getArgNumber()];
          given && isScalarInteger(given.getType()) &&
          !given.getType().isInteger(1))
        join(passed[argument], infoOf(given));
  }
}

void PassedRanges::join(Passed &known, const SymbolInfo &info) {
  ++known.count;
  if (info.range.isEmpty()) // no run takes this branch
    return;
  if (!std::exchange(known.isReached, true)) {
    known.info = info;
    return;
  }
  known.info.range = symshape::Range::join(known.info.range, info.range);
  known.info.residue = Residue::join(known.info.residue, info.residue);
}

std::optional<SymbolInfo> PassedRanges::infoOf(BlockArgument argument) const {
  auto it = passed.find(argument);
  if (it == passed.end() || !it->second.isReached ||
      llvm::range_size(argument.getOwner()->getPredecessors()) !=
          it->second.count)
    return std::nullopt;
  return it->second.info;
}
