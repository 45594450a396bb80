//===- Speculatability.cpp - Ops that may run where they did not stand ----===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's code motion asks before it moves an op out of a loop or a
// branch. Not for: facts of the program around the op (HoistInvariants).
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "symshape/IR/OneOpFacts.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

/// A result may have this many times the elements of an operand: more than the
/// axes of any tensor here, as each position of `nonzero` has one of each.
static constexpr int64_t kMostTimes = 16;

namespace {
/// Asks the rule of one op what it requires, and how large its results are.
class Requirements : public OneOpFacts {
public:
  /// Whether all that was required follows from types and constants.
  bool hold() const { return isProved; }

  /// Whether `result` is static, or provably not much larger than an operand.
  bool isSmall(Value result, OperandRange operands) {
    auto type = dyn_cast<ShapedType>(result.getType());
    if (!type || type.hasStaticShape())
      return true;
    Expr count = exprs.constant(1);
    for (int64_t d = 0; d < type.getRank(); ++d) {
      Expr bound = bounds.lookup({result, d});
      count = count * (bound ? bound : dim(result, d));
    }
    return llvm::any_of(operands, [&](Value operand) {
      auto shaped = dyn_cast<ShapedType>(operand.getType());
      if (!shaped || !shaped.hasRank())
        return false;
      Expr most = exprs.constant(kMostTimes);
      for (int64_t d = 0; d < shaped.getRank(); ++d)
        most = most * dim(operand, d);
      return set.isProvably(Relation::le(count, most));
    });
  }

  void require(const Formula &formula, const Twine &) override {
    isProved = isProved && prove(set, formula).isYes();
  }
  void requireAsserted(const Formula &formula, StringRef) override {
    require(formula, "");
  }

protected:
  void setDynamicExtent(Value shaped, int64_t d, Extent extent) override {
    if (extent.kind == Extent::UpperBound)
      bounds[{shaped, d}] = extent.expr;
    OneOpFacts::setDynamicExtent(shaped, d, extent);
  }

private:
  DenseMap<std::pair<Value, int64_t>, Expr> bounds;
  bool isProved = true;
};
} // namespace

/// Whether the op checks elements of tensors or bits of floats, of which its
/// rule does not speak.
static bool checksData(Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([](GatherOp gather) {
        return gather.getMode() == GatherMode::PromiseInBounds;
      })
      .Case([](ScatterOp scatter) {
        return scatter.getMode() == ScatterMode::PromiseInBounds ||
               scatter.getUniqueIndices();
      })
      .Case<DynamicTruncateOp, TruncateSizeOp>([](auto truncate) {
        return isa<FloatType>(getElementTypeOrSelf(truncate.getSize()));
      })
      .Default(false);
}

Speculation::Speculatability symshape::getSpeculatabilityByRule(Operation *op) {
  // A name beyond the operands may be bound only where the op stands.
  auto size = dyn_cast<SizeOp>(op);
  if (!isMemoryEffectFree(op) || checksData(op) ||
      (size && size.getNames().size() > size.getOperands().size()))
    return Speculation::NotSpeculatable;
  Requirements requirements;
  cast<ShapeFactsOpInterface>(op).populateShapeFacts(requirements);
  bool isSafe =
      requirements.hold() && llvm::all_of(op->getResults(), [&](Value result) {
        return requirements.isSmall(result, op->getOperands());
      });
  return isSafe ? Speculation::Speculatable : Speculation::NotSpeculatable;
}
