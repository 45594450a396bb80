//===- GuardAnalysis.h - What is checked where ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorts the requirements of a function that are not proved: those that are
// functions of the arguments' dims become guards, a minimal set of them; the
// others are checked where the data is known. For: symshape-insert-guards and
// reports. Not for: emitting checks.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_ANALYSIS_GUARDANALYSIS_H
#define SYMSHAPE_ANALYSIS_GUARDANALYSIS_H

#include "mlir/IR/Dominance.h"
#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {

/// A condition over dims of arguments, checked at entry.
struct Guard {
  Formula condition;
  /// Every requirement that needs it, in the order of the ops.
  SmallVector<const Requirement *, 2> reasons;
};

/// Requirements that depend on data, checked before `anchor`: where all that
/// decides them is known, after the block's earlier checks and after every op
/// whose execution others could see.
struct DeferredCheck {
  /// Every requirement that needs it, in the order of the ops.
  SmallVector<const Requirement *, 2> reasons;
  Operation *anchor = nullptr;
  /// Holds at the anchor iff the requirements are met wherever they arise.
  Formula condition;
  /// The assert of the user at `anchor` is the check.
  bool isAssert = false;
};

/// `op`, or the op around it whose block has no room for a check: what a
/// parallel loop yields stands among ops of one kind, and a mask is over one.
Operation *getOpToCheckBefore(Operation *op);

struct GuardPlan {
  /// No guard is proved from the others and the ranges of dims.
  SmallVector<Guard, 0> guards;
  /// What these imply; not checked.
  SmallVector<Guard, 0> dropped;
  /// Of those before one anchor, none is proved from the others.
  SmallVector<DeferredCheck, 0> deferred;
  /// What those at the same anchor imply; not checked.
  SmallVector<DeferredCheck, 0> droppedChecks;
  /// Requirements that no call can meet.
  SmallVector<const Requirement *, 0> violated;
  /// Requirements that became guards, also those that others imply.
  SmallVector<const Requirement *, 0> hoisted;
  /// Requirements that every caller checks instead.
  SmallVector<const Requirement *, 0> takenOver;
  /// How many requirements were proved.
  unsigned numProved = 0;
};

/// `shapes` must outlive the plan. `ofSame`, if not null, is the plan of a
/// function of which this one is a copy: which guards suffice is taken from it,
/// where the conditions are the same.
GuardPlan planGuards(FunctionShapes &shapes, const GuardPlan *ofSame = nullptr);

/// The plans of the functions of a module, each made when it is first asked
/// for.
class GuardPlans {
public:
  /// `analysis` must outlive the plans.
  explicit GuardPlans(ShapeAnalysis &analysis) : analysis(analysis) {}
  /// Null when `function` has no body or is not part of the module.
  FunctionShapes *lookup(func::FuncOp function) const {
    return analysis.lookup(function);
  }
  /// The plan of the function of that name; null if none has been made.
  const GuardPlan *find(StringRef name);
  const GuardPlan &of(FunctionShapes &shapes);

private:
  ShapeAnalysis &analysis;
  llvm::MapVector<FunctionShapes *, std::unique_ptr<GuardPlan>> plans;
};

/// The certificate of one of `plan.dropped`: indices, ascending, of guards that
/// imply it, for any extents from 0 to kMaxExtent. None can be left out. Cost:
/// a proof, and one for each guard that it uses.
std::vector<unsigned> certify(FunctionShapes &shapes, const GuardPlan &plan,
                              const Guard &dropped);

/// What is required, and holds without a check of its own.
struct Proof {
  SmallVector<const Requirement *, 2> reasons;
  Formula condition;
  /// With `ranges` these imply the condition; of a relation, none of them can
  /// be left out. Checks that come before are among them.
  SmallVector<Relation> facts;
  /// What is declared of the symbols.
  SmallVector<Relation> ranges;
};

/// The certificates of the requirements that were proved, except those that say
/// the same as a check. Cost: a proof per requirement and fact.
std::vector<Proof> proveAgain(FunctionShapes &shapes, const GuardPlan &plan);

/// Whether it is an assert that the user wrote in the function itself.
inline bool isOwnAssert(const Requirement &requirement) {
  return requirement.isUserAssert && !requirement.call;
}

/// Whether each symbol of `e`, or `f`, has a value where `place` begins.
bool isKnownBefore(FunctionShapes &shapes, DominanceInfo &dominance, Expr e,
                   Operation *place);
bool isKnownBefore(FunctionShapes &shapes, DominanceInfo &dominance,
                   const Formula &f, Operation *place);

/// `f` in terms of dims of arguments alone: declared symbols that are bound by
/// a quotient of a dim are replaced by it.
Formula overDims(FunctionShapes &shapes, const Formula &f);

} // namespace mlir::symshape

#endif // SYMSHAPE_ANALYSIS_GUARDANALYSIS_H
