//===- CheckEmitter.h - Checks of requirements in the IR --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the run-time check of one requirement: values of symbols, the
// condition, and the failure with its message. Private to lib/Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_CHECKEMITTER_H
#define SYMSHAPE_LIB_TRANSFORMS_CHECKEMITTER_H

#include "symshape/Analysis/GuardAnalysis.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/FailMessage.h"
#include <vector>

namespace mlir::symshape {

class BodySlice;

/// Values of the symbols of one function, as ops at the insertion point.
class SymbolValues {
public:
  SymbolValues(FunctionShapes &shapes, OpBuilder &builder, Location loc)
      : shapes(shapes), builder(builder), loc(loc) {}
  /// Null when the symbol has no value, or has it only elsewhere: after the
  /// insertion point, or in a branch.
  Value operator()(Expr symbol);

private:
  FunctionShapes &shapes;
  OpBuilder &builder;
  Location loc;
  DenseMap<Expr, Value> known;
};

/// Whether the op divides integers, or tensors of them: undefined for some
/// divisors.
bool isIntegerDivision(Operation *op);

/// An emitter of expressions over the symbols of a function.
ExprEmitter emitterFor(FunctionShapes &shapes, OpBuilder &builder,
                       Location loc);

/// The message of a guard: what must hold for the call, and which op needs it.
FailMessage messageOfGuard(FunctionShapes &shapes, const Guard &guard);

/// The message of a deferred check: what must hold, where, and which op needs
/// it. The first of `reasons` states it as `stated`.
FailMessage messageOf(FunctionShapes &shapes, const Requirement &stated,
                      ArrayRef<const Requirement *> reasons,
                      const FailMessage &place = {});

/// A formula as ops hold it: with plain names for their operands.
struct AssertText {
  std::string text;
  SmallVector<std::pair<std::string, Expr>> names; ///< and their symbols
};
AssertText nameValues(FunctionShapes &shapes, const Formula &formula);

/// Emits `symshape.assert` of a relation whose symbols have values before `op`,
/// there.
AssertOp emitAssert(FunctionShapes &shapes, const Relation &relation,
                    Operation *op, StringRef message);

/// States, where it stands, what the user's assert `op` asserts: for an assert
/// that is checked earlier.
void emitAssumption(FunctionShapes &shapes, const Formula &fact, Operation *op);

/// Whether the condition of `check` can be computed before its anchor; if not,
/// an error says so.
LogicalResult verifyDeferredCheck(FunctionShapes &shapes,
                                  const DeferredCheck &check);

/// Emits the check of `check` before its anchor; nothing for a user's assert
/// that stays.
void emitDeferredCheck(FunctionShapes &shapes, const DeferredCheck &check);

/// The slices of the structured op `body` that decide the requirements, in the
/// order in which they must be checked; an error if one cannot be computed
/// before the op.
FailureOr<std::vector<BodySlice>>
planBodyChecks(FunctionShapes &shapes, Operation *body,
               ArrayRef<const Requirement *> requirements);

/// Emits for each slice, before its op, one reduction over the index tensors
/// that the requirements depend on, and a failure that shows the first position
/// at which one does not hold. The caller erases the asserts among them.
void emitBodyChecks(MutableArrayRef<BodySlice> slices);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_CHECKEMITTER_H
