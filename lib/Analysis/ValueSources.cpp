//===- ValueSources.cpp - What a value is computed from -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ValueSources.h.
//
//===----------------------------------------------------------------------===//

#include "ValueSources.h"

#include "Internal.h"

using namespace mlir;
using namespace mlir::symshape;

void symshape::appendPlaces(Value value, SmallVectorImpl<ValueDim> &places) {
  if (isScalarInteger(value.getType())) {
    places.push_back({value, std::nullopt});
    return;
  }
  auto type = dyn_cast<ShapedType>(value.getType());
  if (!type || !type.hasRank())
    return;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      places.push_back({value, d});
}

SmallVector<Value> symshape::sourcesOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
  SmallVector<Value> sources;
  if (isa<FunctionOpInterface>(op))
    return sources;
  llvm::append_range(sources, op->getOperands());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (block.mightHaveTerminator())
        llvm::append_range(sources, block.getTerminator()->getOperands());
  return sources;
}

/// Whether a branch decides the value: it is an argument of a block with
/// predecessors, or a result of an op whose regions have such blocks.
static bool hasBranches(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return !argument.getOwner()->isEntryBlock();
  return llvm::any_of(value.getDefiningOp()->getRegions(), [](Region &region) {
    return !region.empty() && !region.hasOneBlock();
  });
}

// A value that is used inside an op's regions without being an operand or
// yielded reaches a result only through what is yielded, or through the
// condition of a branch inside, which is an operand of an op that yields.
bool symshape::dependsOn(Value value, ValueRange sources) {
  SmallVector<Value> work{value};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (llvm::is_contained(sources, next) || hasBranches(next))
      return true;
    llvm::append_range(work, sourcesOf(next));
  }
  return false;
}
