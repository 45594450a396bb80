//===- CheckEmitter.h - Checks of obligations in the IR ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the run-time check of one obligation: values of symbols, the condition,
// and the failure with its message. Private to lib/Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_CHECKEMITTER_H
#define SYMSHAPE_LIB_TRANSFORMS_CHECKEMITTER_H

#include "symshape/Analysis/GuardAnalysis.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/ExprEmitter.h"

namespace mlir::symshape {

/// Values of the symbols of one function, as ops at the insertion point.
class SymbolValues {
public:
  SymbolValues(FunctionShapes &shapes, OpBuilder &builder, Location loc)
      : shapes(shapes), builder(builder), loc(loc) {}
  /// Null when the symbol has no value, or has it only elsewhere: behind the
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

/// Emits `symshape.fail` with `text`, whose placeholders stand for `shown`,
/// then `values`. Expressions without a value show as -1.
FailOp emitFail(OpBuilder &builder, Location loc, ExprEmitter &emitter,
                StringRef text, ArrayRef<Expr> shown, ValueRange values = {});

/// Braces of a text that is no template, doubled.
std::string escapeBraces(StringRef text);

/// The last line of a message, for tools: `symshape: {primitive = ..., field =
/// ..., observed = ...}`; empty for an obligation that has none. `condition` is
/// that of the obligation, in words that have values.
std::string tripleLine(const Requirement &requirement, const Formula &condition,
                       SmallVectorImpl<Expr> &shown);

/// A line for each of the first obligations, and one that counts the others.
/// The message of `told` is in what comes before.
std::string neededBy(ArrayRef<const Requirement *> reasons,
                     const Requirement *told = nullptr);

/// The message of a deferred check: what must hold, and who needs it. The first
/// of `reasons` has it as `stated`.
std::string messageOf(FunctionShapes &shapes, const Requirement &stated,
                      ArrayRef<const Requirement *> reasons, StringRef place,
                      SmallVectorImpl<Expr> &shown);

/// A relation as `symshape.assert` has it: by plain names for its operands.
struct AssertText {
  std::string relation;
  SmallVector<std::pair<std::string, Expr>> names; ///< and their symbols
};
AssertText nameValues(FunctionShapes &shapes, const Relation &relation);

/// Emits `symshape.assert` of a relation whose symbols have values before `op`,
/// there.
void emitAssert(FunctionShapes &shapes, const Relation &relation, Operation *op,
                StringRef message);

/// States what the assert `op` of the user asserts, where it stands: for an
/// assert that is checked before.
void emitAssumption(FunctionShapes &shapes, const Relation &relation,
                    Operation *op);

/// Emits the check of `check` before its anchor; nothing for an assert of the
/// user that stays.
LogicalResult emitDeferredCheck(FunctionShapes &shapes,
                                const DeferredCheck &check);

/// Emits, before the structured op `body`, one reduction over the index tensors
/// that the obligations depend on, and a failure that shows the first position
/// at which one does not hold. The caller erases the asserts among them.
LogicalResult emitBodyChecks(FunctionShapes &shapes, Operation *body,
                             ArrayRef<const Requirement *> requirements);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_CHECKEMITTER_H
