//===- ShapeFacts.h - What an op's rule reads and writes --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words in which the rule of one op speaks of extents, values and facts;
// the argument of ShapeFactsOpInterface. Not for: how facts are stored or when
// rules run (Analysis).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_SHAPEFACTS_H
#define SYMSHAPE_IR_SHAPEFACTS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "symshape/Constraints/Formula.h"
#include <functional>

namespace mlir {
class AffineMap;
class AffineExpr;
class Region;

namespace symshape {

/// What is known of one dimension. An upper bound is never an exact extent.
struct Extent {
  enum Kind { Exact, UpperBound, Unknown };
  Kind kind = Unknown;
  Expr expr; ///< the extent, or its bound; null when Unknown

  static Extent exact(Expr e) { return {Exact, e}; }
  static Extent upperBound(Expr e) { return {UpperBound, e}; }
  static Extent unknown() { return {}; }
  /// What it says of the dimension `actual`. Not for Unknown, which says
  /// nothing.
  Relation relationOf(Expr actual) const {
    return kind == Exact ? Relation::eq(actual, expr)
                         : Relation::le(actual, expr);
  }
};

/// The value of an element of a tensor as a function of its position (one
/// expression per dimension); a null result means "not known here".
using ElementFn = std::function<Expr(ArrayRef<Expr> position)>;

/// What the rule of one op reads of its operands and says of its results.
/// Shaped values are ranked tensors and memrefs; scalars are of index or
/// signless integer type, read as signed; arithmetic on expressions is exact,
/// so a rule whose op may wrap must say so (`setWrapped`).
///
/// Invariant: every dimension and every scalar has an expression. Where nothing
/// is known it is a symbol that stands for just that dimension or value.
class ShapeFacts {
public:
  virtual ~ShapeFacts() = default;

  virtual ExprArena &arena() = 0;
  /// The facts that hold where the op stands.
  virtual ConstraintSet &constraints() = 0;

  // --- reading -----------------------------------------------------------
  virtual Extent extent(Value shaped, int64_t dim) = 0;
  /// The expression of the dimension: its exact extent, or the symbol that
  /// stands for it. Never null, never an upper bound.
  virtual Expr dim(Value shaped, int64_t dim) = 0;
  /// The expression of an index or integer scalar. Never null.
  virtual Expr value(Value scalar) = 0;
  /// What an i1 says; Opaque where no relation expresses it.
  virtual Formula condition(Value boolean) = 0;
  /// The element of an integer or index tensor at `position`; null: unknown.
  virtual Expr element(Value shaped, ArrayRef<Expr> position) = 0;

  Expr value(OpFoldResult v);
  Expr constant(int64_t v) { return arena().constant(v); }
  SmallVector<Expr> dims(Value shaped);
  /// The result of an affine expression with these dims and symbols.
  Expr apply(AffineExpr e, ArrayRef<Expr> dims, ArrayRef<Expr> symbols);

  // --- writing: results of the op, or block arguments of its regions -----
  /// Says what a dimension is. A static one keeps the extent of its type, and
  /// it becomes a requirement that the two agree.
  void setExtent(Value shaped, int64_t dim, Extent extent);
  virtual void setValue(Value scalar, Expr e) = 0;
  /// The exact result of wrapping arithmetic: set when `e` provably fits the
  /// type's signed range, else the value is a symbol, the same one for equal
  /// `e` and type.
  virtual void setWrapped(Value scalar, Expr e) = 0;
  /// Whether `e` provably fits the signed range of the type, or arithmetic on
  /// the type is to be read as exact.
  virtual bool fitsType(Expr e, Type type) = 0;
  virtual void setCondition(Value boolean, Formula f) = 0;
  virtual void setElements(Value shaped, ElementFn element) = 0;
  void setExact(Value shaped, int64_t d, Expr e) {
    setExtent(shaped, d, Extent::exact(e));
  }
  /// `result` has the extents of `source` (same rank).
  void copyExtents(Value source, Value result);

  // --- facts -------------------------------------------------------------
  /// A fact that holds once the op has run, whatever its operands.
  virtual void imply(const Formula &f) = 0;
  /// A requirement: without it the op is invalid or undefined. `field` names
  /// the part of the op that needs it, e.g. "batch dimension". `subject`, where
  /// given, are the values whose extents or values must be shown to the user.
  virtual void require(const Formula &f, const Twine &field) = 0;
  /// Lets the function's symbol `symbol` stand for `value` if nothing binds it
  /// yet. False: it is bound, and the rule must `require` that they agree.
  virtual bool bindSymbol(Expr symbol, Expr value) {
    imply(Relation::eq(symbol, value));
    return true;
  }
  /// What `symbol` was bound to; null for any other symbol.
  virtual Expr boundValue(Expr symbol) { return Expr(); }
  /// A requirement that the user wrote as an assert, with its message.
  virtual void requireAsserted(const Formula &f, StringRef message) = 0;

  // --- regions -----------------------------------------------------------
  /// Visits the ops of `region`, whose entry arguments have been set, under
  /// `premise`: the condition under which it is reached. Facts found inside are
  /// forgotten afterwards; extents and values stay readable. `atEnd` is called
  /// while they hold, after the last op of its only block.
  virtual void visitRegion(Region &region, const Formula &premise,
                           llvm::function_ref<void()> atEnd = {}) = 0;
  /// Lets a rule guess before it visits the regions of its op. `rule` returns
  /// whether its guess was right; if not, all that it said is forgotten.
  virtual bool attempt(llvm::function_ref<bool()> rule) { return rule(); }
  /// A number that a rule may keep with a dimension of an argument of its
  /// regions, 0 at first. It outlives attempts, even those of a loop around it,
  /// and so says which guesses were wrong when even more was known.
  virtual unsigned &noteOf(Value argument, int64_t dim) = 0;
  /// A fresh symbol with `lo <= symbol <= hi` inside the regions visited next
  /// by this op: a loop counter. Requirements that mention it must hold for
  /// each of its values.
  virtual Expr iterationSymbol(Expr lo, Expr hi) = 0;
  /// Another fact about the counter made last, inside the same regions.
  virtual void implyOfIteration(const Relation &r) = 0;
  /// A value that is `a` where `condition` holds, else `b`.
  virtual Expr join(const Formula &condition, Expr a, Expr b) = 0;
  /// `result` (a dim or scalar of the op) is one of the two on every path:
  /// joins extents of shaped values, values, or conditions.
  virtual void setJoin(Value result, const Formula &condition, Value a,
                       Value b) = 0;

protected:
  virtual void setDynamicExtent(Value shaped, int64_t dim, Extent extent) = 0;
};

} // namespace symshape
} // namespace mlir

#endif // SYMSHAPE_IR_SHAPEFACTS_H
