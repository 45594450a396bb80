//===- ExprEmitter.h - Expressions as arith ops -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes an expression or a formula at run time, without overflow. For:
// guards, deferred asserts, materialised sizes. Not for: deciding what to
// check.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_EXPREMITTER_H
#define SYMSHAPE_TRANSFORMS_EXPREMITTER_H

#include "mlir/IR/Builders.h"
#include "symshape/Constraints/Formula.h"
#include <functional>

namespace mlir::symshape {

/// Emits arith ops at the builder's insertion point.
///
/// Each expression is computed in an integer wide enough for every intermediate
/// result, as the ranges of its symbols prove: 64 bits where they suffice, else
/// a multiple of 64. So nothing wraps. A division whose divisor is zero gives
/// some value, and does not trap.
///
/// What was computed is used again, by later expressions too, as long as the
/// builder stays in its block; there it must only move forward.
class ExprEmitter {
public:
  /// The value of a symbol: index or a signless integer of at most 64 bits,
  /// read as signed. Null where it has none; then the emission fails.
  using SymbolValue = std::function<Value(Expr symbol)>;
  using SymbolRange = std::function<Range(Expr symbol)>;

  ExprEmitter(OpBuilder &builder, Location loc, SymbolValue valueOf,
              SymbolRange rangeOf)
      : builder(builder), loc(loc), valueOf(std::move(valueOf)),
        rangeOf(std::move(rangeOf)) {}

  /// The expression as an index; truncated where it exceeds 64 bits. Null when
  /// a symbol has no value.
  Value emitIndex(Expr e);
  /// The 64-bit words of the expression in two's complement, the lowest first,
  /// as indices; null values where there are too many words to compute. Empty
  /// when a symbol has no value.
  SmallVector<Value, 1> emitWords(Expr e);
  /// The formula as an i1; parts that take integers of no sensible width are
  /// `whenUndecided`. Null when a symbol has no value or a part is Opaque.
  Value emitCondition(const Formula &f, bool whenUndecided = false);
  /// Whether it takes no division, and no integers of more than 64 bits.
  bool isCheap(const Formula &f);

private:
  /// A bound of the absolute value of each intermediate result.
  llvm::DynamicAPInt magnitude(Expr e);
  unsigned widthFor(ArrayRef<Expr> exprs);
  unsigned widthToCompare(const Relation &r);
  /// Values of a block that the builder has left may not dominate this one.
  void forgetOtherBlocks();
  Value emit(Expr e, unsigned width);
  Value emitAtom(Atom atom, unsigned width);
  Value computeAtom(Atom atom, unsigned width);
  Value emitFloorDiv(Expr a, Expr b, unsigned width);
  Value constant(const llvm::DynamicAPInt &value, unsigned width);
  Value emitLiteral(const Relation &relation, bool negated, bool whenUndecided);
  bool isNonNegative(Expr e);
  bool isPolynomial(Expr e);
  static unsigned widthClamped(const llvm::DynamicAPInt &limit);
  /// min(e, limit) of magnitudes, for a limit >= 1.
  Value emitClamped(Expr e, const llvm::DynamicAPInt &limit);
  /// Zero replaced by one, where the divisor may be zero.
  Value safeDivisor(Expr divisor, Value value, unsigned width);

  OpBuilder &builder;
  Location loc;
  SymbolValue valueOf;
  SymbolRange rangeOf;
  DenseMap<Expr, llvm::DynamicAPInt> magnitudes;
  DenseMap<Expr, bool> signs; ///< whether it is not negative
  /// Values in `block`, by their expression and width.
  DenseMap<std::pair<Expr, unsigned>, Value> computed;
  Block *block = nullptr;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_EXPREMITTER_H
