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

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "symshape/IR/ShapeFacts.h"
#include "llvm/ADT/MapVector.h"
#include <memory>

namespace mlir::symshape {

/// No dimension of an argument is larger: guards establish it, so that sums and
/// products of a few extents fit 64 bits (docs/Rationale/IntegerModel.md).
constexpr int64_t kMaxExtent = (int64_t(1) << 48) - 1;

/// Where a symbol gets its value.
struct SymbolDef {
  enum Kind {
    Dim,       ///< dimension `dim` of `value`
    Scalar,    ///< the scalar `value`
    Solved,    ///< a declared symbol: `solution`, over symbols of kind Dim
    Iteration, ///< a loop counter; has no value outside of the loop
    Callee     ///< stands for a data-dependent symbol of a callee
  };
  Kind kind = Callee;
  Value value;
  int64_t dim = -1;
  Expr solution;
  /// Whether the value is a function of dims of the function's arguments.
  bool backed = false;
};

/// A loop counter, its closed bounds, and what else holds of each of its
/// values.
struct IterationVar {
  Expr symbol, lo, hi;
  SmallVector<Relation, 2> facts;
};

/// An obligation: `condition` must hold whenever `op` is reached.
struct Requirement {
  Operation *op = nullptr;
  /// The part of the op that needs it, as "batch dimension".
  std::string field;
  /// The same for tools, as `operand[0].shape[1]`; empty: `field` is that.
  std::string part;
  /// The user's message, when the op is an assert.
  std::string message;
  Formula condition;
  /// The op is reached when all of these hold (outermost first) ...
  SmallVector<Formula, 0> premises;
  /// ... for each value of these counters.
  SmallVector<IterationVar, 0> iterations;
  /// The answer from the facts that held before the op.
  Answer answer;
  /// The call through which it came here, from an op of a callee.
  Operation *call = nullptr;

  /// Whether the user wrote it as an assert.
  bool isUserAssert = false;
};

struct ShapeAnalysisOptions {
  /// Reads arithmetic on `index` values as that of integers, as upstream's
  /// value bounds do. Without it, a result that is not proved to fit is a
  /// number of its own, unless its op says that it does not wrap. Answers are
  /// wrong for programs whose indices wrap.
  bool assumeNoWrap = false;
};

/// What is known of one function, and the engine that its passes ask.
class FunctionShapes {
public:
  virtual ~FunctionShapes() = default;

  virtual func::FuncOp function() const = 0;
  virtual ExprArena &arena() = 0;
  virtual const ShapeAnalysisOptions &options() const = 0;
  /// What is known of a dimension; exact for a static one.
  virtual Extent extent(Value shaped, int64_t dim) = 0;
  /// The expression of a dimension: the exact extent, or its own symbol.
  virtual Expr dim(Value shaped, int64_t dim) = 0;
  /// The expression of an index or integer scalar, simplified under the facts
  /// that held at its definition.
  virtual Expr value(Value scalar) = 0;
  virtual Formula condition(Value boolean) = 0;
  /// The element of an integer tensor at a position; null when unknown.
  virtual Expr element(Value shaped, ArrayRef<Expr> position) = 0;
  /// Whether the value of the i1 was decided where it was defined.
  virtual std::optional<bool> decided(Value boolean) = 0;
  /// The facts that hold throughout the body: what the signature declares, and
  /// what ops outside of branches and loops imply and require.
  virtual ConstraintSet &facts() = 0;
  /// The facts that hold before the body: what the signature declares.
  virtual ConstraintSet &entryFacts() = 0;
  /// Whether every caller takes over the obligations that are functions of the
  /// arguments: a private function, only called, not recursive.
  virtual bool callersTakeOver() const = 0;
  /// Every obligation, in the order of the ops.
  virtual ArrayRef<Requirement> requirements() const = 0;
  /// What the signature declares, as obligations of whoever calls: ranges,
  /// residues, repeated symbols, assumptions.
  virtual ArrayRef<Requirement> declared() const = 0;
  /// Where a symbol comes from; null for a symbol of another function.
  virtual const SymbolDef *definition(Expr symbol) const = 0;
  /// The symbols that stand for a dim of an argument, at least one.
  virtual SmallVector<Expr> symbolsOfDim(BlockArgument argument,
                                         int64_t dim) const = 0;
  /// Whether all symbols are functions of the arguments' dims.
  virtual bool isBacked(const Formula &f) const = 0;
  /// The ops that no rule was found for.
  virtual ArrayRef<Operation *> opsWithoutRule() const = 0;
  /// How an argument is called in messages.
  std::string spellingOfArgument(unsigned index) const;
  /// What a symbol stands for: `dim 0 of %q`, `the result of arith.addi`.
  std::string describeSymbol(Expr symbol);
  /// The extent as an attribute prints it: `2*B`, `<= N`, `?`. Symbols that
  /// only this analysis knows print as `?`.
  std::string printExtent(Value shaped, int64_t dim);
  /// `e` without symbols that were solved for: a declared name such as that of
  /// `2*n` becomes what it was solved for.
  Expr expand(Expr e);
  /// Whether every symbol of `e` is declared or a dim of an argument.
  bool isNamed(Expr e) const;
};

/// The analysis of a module. Usable with `getAnalysis<ShapeAnalysis>()`.
/// Cost: linear in the number of ops.
class ShapeAnalysis {
public:
  explicit ShapeAnalysis(Operation *module,
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

/// How an argument of a function with a body is called in messages: `%q`, or
/// `argument #0`.
std::string spellingOfArgument(func::FuncOp function, unsigned index);

inline std::string FunctionShapes::spellingOfArgument(unsigned index) const {
  return symshape::spellingOfArgument(function(), index);
}

/// `requirement` as a formula that holds of a call iff the call meets it: the
/// premises imply the condition, for each value of the counters. nullopt where
/// that cannot be said exactly, or `allowed` refuses the symbols that are left.
std::optional<Formula>
closeOver(FunctionShapes &shapes, const Requirement &requirement,
          llvm::function_ref<bool(const Formula &)> allowed);

/// A sentence for a condition that must hold, as "extent of %q dim 0 (B) must
/// equal extent of %k dim 0 (C)", then a line for each other name it uses. With
/// `shown`, each quantity is followed by a placeholder `{n}` for its value,
/// where n is the index of its expression in `shown`.
std::string describe(FunctionShapes &shapes, const Formula &condition,
                     SmallVectorImpl<Expr> *shown);

/// The operand of `op`, or the extent of one, that `e` is: `operand[1]`,
/// `operand[1].shape[0]`, or `operand.shape[0]` where only one has a shape;
/// empty if `e` is none of these.
std::string partOf(FunctionShapes &shapes, Operation *op, Expr e);

/// What decides a condition: itself, or of alternatives the last, where the
/// others say that nothing is done. nullopt where that compares no two values.
std::optional<Relation> decisiveRelation(const Formula &condition);

/// The part that the decisive relation is about.
std::string partOf(FunctionShapes &shapes, Operation *op,
                   const Formula &condition);

/// `name at file:line:column (field)` of the op that needs it.
std::string describeOrigin(const Requirement &requirement);

} // namespace mlir::symshape

#endif // SYMSHAPE_ANALYSIS_SHAPEANALYSIS_H
