//===- ShapeAnalysis.h - Extents and facts of a module ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forward analysis: each op of a module once, in dominance order, callees
// before callers. For: the extent of any dimension, the expression of any
// scalar, and what the program requires. Not for: changing IR; the rules of
// single ops (ShapeFactsOpInterface).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_ANALYSIS_SHAPEANALYSIS_H
#define SYMSHAPE_ANALYSIS_SHAPEANALYSIS_H

#include "symshape/Analysis/FunctionShapes.h"
#include "llvm/ADT/MapVector.h"
#include <memory>

namespace mlir::symshape {

/// The analysis of a module, or of one function alone: then nothing is known of
/// its callers and of the functions that it calls, whose ops are not looked at,
/// so that a pass may analyse functions at the same time. Usable with
/// `getAnalysis<ShapeAnalysis>()`. Cost: linear in the number of ops.
class ShapeAnalysis {
public:
  explicit ShapeAnalysis(Operation *moduleOrFunction,
                         const ShapeAnalysisOptions &options = {});
  ~ShapeAnalysis();
  /// Null when `function` has no body or is not part of the module.
  FunctionShapes *lookup(func::FuncOp function) const;
  FunctionShapes *lookup(Operation *opInFunction) const;
  ExprArena &arena() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// `requirement` as a formula that holds of a call iff the call meets it: the
/// premises imply the condition, for each value of the counters. nullopt where
/// that cannot be said exactly, or `allowed` refuses the symbols that are left.
std::optional<Formula>
closeOver(FunctionShapes &shapes, const Requirement &requirement,
          llvm::function_ref<bool(const Formula &)> allowed);

/// A sentence for a condition that must hold, like "extent of %q dim 0 (B) must
/// equal extent of %k dim 0 (C)", then a line for each other name it uses. With
/// `shown`, each quantity is followed by a placeholder `{n}` for its value,
/// where n is the index of its expression in `shown`.
std::string describe(FunctionShapes &shapes, const Formula &condition,
                     SmallVectorImpl<Expr> *shown);

/// The operand of `op`, or the extent of one, that `e` is: `operand[1]`,
/// `operand[1].shape[0]`, or `operand.shape[0]` where only one has a shape;
/// empty if `e` is none of these.
std::string partOf(FunctionShapes &shapes, Operation *op, Expr e);

/// What decides a condition: itself, or the last of alternatives whose others
/// say that nothing is done. nullopt if that does not compare two values.
std::optional<Relation> decisiveRelation(const Formula &condition);

/// The part that the decisive relation is about.
std::string partOf(FunctionShapes &shapes, Operation *op,
                   const Formula &condition);

/// `name at file:line:column (field)` of the op that needs it.
std::string describeOrigin(const Requirement &requirement);

/// The relation in terms of the index that was given where it is one of a place
/// that counts from the end: a user knows -5, and not -5 plus a length.
Relation describeAsGiven(FunctionShapes &shapes, const Relation &relation);

} // namespace mlir::symshape

#endif // SYMSHAPE_ANALYSIS_SHAPEANALYSIS_H
