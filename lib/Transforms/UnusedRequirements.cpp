//===- UnusedRequirements.cpp - What unused ops require -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnusedRequirements.h"
#include "CheckEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "symshape/Analysis/GuardAnalysis.h"
#include "symshape/IR/Places.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Finds the ops that canonicalisation may erase.
class UnusedOps {
public:
  /// Whether `op` has no effect, and its results are used for their extents
  /// alone, or by other such ops.
  bool contains(Operation *op) {
    auto [it, isNew] = known.try_emplace(op, false);
    if (!isNew)
      return it->second; // an op that uses its own result counts as used
    bool isUnused =
        wouldOpBeTriviallyDead(op) &&
        llvm::all_of(op->getUsers(), [&](Operation *user) {
          return isa<tensor::DimOp, memref::DimOp>(user) || contains(user);
        });
    known[op] = isUnused;
    return isUnused;
  }

private:
  DenseMap<Operation *, bool> known;
};
} // namespace

void mlir::symshape::assertOfUnused(FunctionShapes &shapes) {
  UnusedOps unused;
  DominanceInfo dominance;
  for (const Requirement &requirement : shapes.requirements()) {
    Operation *op = requirement.op;
    if (requirement.answer.isYes() || requirement.call ||
        requirement.condition.hasOpaque() || !unused.contains(op) ||
        !isKnownBefore(shapes, dominance, requirement.condition, op))
      continue;
    std::string message =
        "what " + findPlaced(op)->getName().getStringRef().str() + " needs";
    const Formula &condition = requirement.condition;
    if (condition.isLiteral() && !condition.negated)
      emitAssert(shapes, condition.relation, op, message);
    else
      emitDeferredCheck(shapes, {{&requirement}, op, condition});
  }
}
