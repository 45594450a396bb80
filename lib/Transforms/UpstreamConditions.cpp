//===- UpstreamConditions.cpp - Where upstream's rewrites hold -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function for each pattern and folder of MLIR 22 that is wrong for some ops:
// true if it is right. A false answer costs a simplification, no more.
// docs/Rationale/UpstreamPatterns.md shows what goes wrong otherwise. They
// stand in UpstreamNumbers.cpp, UpstreamLoops.cpp and UpstreamTensors.cpp.
//
//===----------------------------------------------------------------------===//

#include "UpstreamConditions.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::symshape;

static const UpstreamConditions &getConditions() {
  static const UpstreamConditions conditions = [] {
    UpstreamConditions all;
    addUpstreamNumbers(all);
    addUpstreamLoops(all);
    addUpstreamTensors(all);
    return all;
  }();
  return conditions;
}

/// Upstream's rewrites of an op look at its own mask alone, and not at one
/// around it, which has no room for a second op either.
bool symshape::isUnmasked(Operation *op) {
  return !isa_and_nonnull<vector::MaskOp>(op->getParentOp());
}

UpstreamCondition symshape::findPatternCondition(StringRef root,
                                                 StringRef pattern) {
  const UpstreamConditions &all = getConditions();
  UpstreamCondition found =
      pattern.empty() ? all.roots.lookup(root) : all.names.lookup(pattern);
  return !found && root.starts_with("vector.") ? isUnmasked : found;
}

bool symshape::mayFold(Operation *op) {
  if (!isUnmasked(op))
    return false;
  const UpstreamConditionMap &folders = getConditions().folders;
  for (StringRef name :
       {op->getName().getStringRef(), op->getName().getDialectNamespace()})
    if (UpstreamCondition condition = folders.lookup(name))
      return condition(op);
  return true;
}
