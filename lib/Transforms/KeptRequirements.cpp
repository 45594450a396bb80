//===- KeptRequirements.cpp - What ops require that fold ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptRequirements.h"
#include "CheckEmitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "symshape/Analysis/GuardAnalysis.h"
#include "symshape/IR/Places.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/MapVector.h"

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

/// On the asserts that `assertRequirements` makes.
static constexpr llvm::StringLiteral kKept = "kept";

static bool isPlain(const Formula &condition) {
  return condition.isLiteral() && !condition.negated;
}

void mlir::symshape::assertRequirements(FunctionShapes &shapes) {
  UnusedOps unused;
  DominanceInfo dominance;
  for (const Requirement &requirement : shapes.requirements()) {
    Operation *op = requirement.op;
    Operation *place = getOpToCheckBefore(op);
    if (requirement.answer.isYes() || requirement.call ||
        requirement.condition.hasOpaque() || !isMemoryEffectFree(op) ||
        op->hasTrait<OpTrait::IsTerminator>() ||
        isa<linalg::LinalgOp>(op->getParentOp()) ||
        !isKnownBefore(shapes, dominance, requirement.condition, place))
      continue;
    std::string message =
        "what " + findPlaced(op)->getName().getStringRef().str() + " needs";
    const Formula &condition = requirement.condition;
    if (isPlain(condition))
      emitAssert(shapes, condition.relation, place, message)
          ->setAttr(kKept, UnitAttr::get(op->getContext()));
    else if (unused.contains(op))
      emitDeferredCheck(shapes, {{&requirement}, place, condition});
  }
}

static bool saySame(const Formula &a, const Formula &b) {
  return a == b || (isPlain(b) && b.relation.kind == Relation::Eq &&
                    a == Formula(Relation::eq(b.relation.rhs, b.relation.lhs)));
}

void mlir::symshape::eraseRepeatedAsserts(FunctionShapes &shapes) {
  auto isKept = [](const Requirement &requirement) {
    return isa<AssertOp>(requirement.op) && requirement.op->hasAttr(kKept);
  };
  llvm::MapVector<Operation *, bool> isRepeated;
  for (const Requirement &requirement : shapes.requirements()) {
    Operation *check = requirement.op;
    // What a call passes on may be of an assert of the callee that is gone.
    if (requirement.call || !isKept(requirement))
      continue;
    auto it = isRepeated.try_emplace(check, true).first;
    it->second &=
        llvm::any_of(shapes.requirements(), [&](const Requirement &other) {
          return !other.call && !isKept(other) &&
                 other.op->getBlock() == check->getBlock() &&
                 saySame(other.condition, requirement.condition);
        });
  }
  shapes.function().walk([](AssertOp op) { op->removeAttr(kKept); });
  for (auto [check, repeated] : isRepeated)
    if (repeated)
      check->erase();
}
