//===- Relation.h - Relations between expressions ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a fact says. For: storing, parsing, printing, evaluating a relation.
// Not for: deciding one under facts (ConstraintSet).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXPR_RELATION_H
#define SYMSHAPE_EXPR_RELATION_H

#include "symshape/Expr/Expr.h"

namespace mlir::symshape {

/// A relation between two expressions of one arena. `<`, `>`, `>=` are written
/// by the user and become Le (over integers, a < b is a + 1 <= b).
struct Relation {
  enum Kind {
    Eq,     ///< lhs == rhs
    Ne,     ///< lhs != rhs
    Le,     ///< lhs <= rhs
    Divides ///< lhs | rhs: rhs == lhs * k for some integer k (0 | 0 holds)
  };
  Kind kind = Eq;
  Expr lhs, rhs;

  static Relation eq(Expr a, Expr b) { return {Eq, a, b}; }
  static Relation ne(Expr a, Expr b) { return {Ne, a, b}; }
  static Relation le(Expr a, Expr b) { return {Le, a, b}; }
  static Relation lt(Expr a, Expr b) { return {Le, a + 1, b}; }
  static Relation ge(Expr a, Expr b) { return {Le, b, a}; }
  static Relation gt(Expr a, Expr b) { return {Le, b + 1, a}; }
  static Relation divides(Expr d, Expr e) { return {Divides, d, e}; }

  bool operator==(const Relation &o) const {
    return kind == o.kind && lhs == o.lhs && rhs == o.rhs;
  }

  /// The negation; nullopt for Divides, which has none among relations.
  std::optional<Relation> negation() const;
  /// Prints as `a == b`, `a != b`, `a <= b`, `d | e`.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;
  /// Parses `a OP b` with OP one of == != <= < >= > |. nullopt sets `error`.
  static std::optional<Relation> parse(ExprArena &arena, llvm::StringRef text,
                                       ParseError &error);
  /// Those of both sides, each once.
  llvm::SmallVector<Expr, 4> symbols() const;
  Relation substitute(llvm::function_ref<Expr(Expr symbol)> map) const;
  /// Exact; nullopt when a symbol is unbound or a divisor is 0.
  std::optional<bool> evaluate(
      llvm::function_ref<std::optional<llvm::DynamicAPInt>(Expr)> value) const;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXPR_RELATION_H
