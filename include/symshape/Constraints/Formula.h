//===- Formula.h - Boolean combinations of relations ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions of branches and asserts, and guards: relations under and, or, not.
// Not for: quantifiers, or arithmetic (Expr).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONSTRAINTS_FORMULA_H
#define SYMSHAPE_CONSTRAINTS_FORMULA_H

#include "symshape/Constraints/ConstraintSet.h"
#include "symshape/Expr/Relation.h"
#include <vector>

namespace mlir::symshape {

/// A Boolean combination of relations, in negation normal form: `Not` occurs
/// only on a Divides literal, as `negated`.
///
/// Canonical form: And and Or have at least two parts, none of which is of the
/// same kind or a constant; parts keep their order, without repetition.
/// Opaque stands for a condition that no relation expresses.
struct Formula {
  enum Kind { True, False, Literal, And, Or, Opaque };
  Kind kind = Opaque;
  Relation relation;    ///< of a Literal
  bool negated = false; ///< of a Literal; only for Divides
  std::vector<Formula> parts;

  Formula() = default;
  /// A relation is a formula.
  Formula(const Relation &relation) : kind(Literal), relation(relation) {}
  static Formula truth(bool value);
  static Formula conj(const Formula &a, const Formula &b);
  static Formula disj(const Formula &a, const Formula &b);
  /// Opaque stays Opaque under negation.
  static Formula negate(const Formula &f);
  static Formula implies(const Formula &a, const Formula &b) {
    return disj(negate(a), b);
  }
  static Formula opaque() { return {}; }

  bool isTrue() const { return kind == True; }
  bool isFalse() const { return kind == False; }
  bool isLiteral() const { return kind == Literal; }
  /// Whether an Opaque part occurs.
  bool hasOpaque() const;
  bool operator==(const Formula &o) const;

  Formula substitute(llvm::function_ref<Expr(Expr symbol)> map) const;
  /// Each once, in the order of the text.
  llvm::SmallVector<Expr, 4> symbols() const;
  /// Prints `a == b and (c <= d or not 2 | e)`; Opaque prints `?`.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;
  /// Whether `parse` reads what `str` prints, as this formula.
  bool isWritable() const;
  /// Parses relations under `not`, `and`, `or` and parentheses; `and` and `or`
  /// are not mixed without these. nullopt sets `error`.
  static std::optional<Formula> parse(ExprArena &arena, llvm::StringRef text,
                                      ParseError &error);
  /// Exact; nullopt when undefined or Opaque.
  std::optional<bool> evaluate(
      llvm::function_ref<std::optional<llvm::DynamicAPInt>(Expr)> value) const;
};

/// Is `f` implied by the facts? A disjunction is also proved by assuming the
/// negation of its other parts. Cost: one prove per literal and disjunct.
/// Leaves `set` as it was.
Answer prove(ConstraintSet &set, const Formula &f);

/// Adds what `f` says as facts: literals and conjunctions; a disjunction adds
/// the facts that hold in each of its parts only where one part remains after
/// the refuted ones are dropped. Ignores what it cannot express (sound).
void assume(ConstraintSet &set, const Formula &f);

/// `f` with the parts removed that the facts decide.
Formula simplify(ConstraintSet &set, const Formula &f);

/// The conjuncts of `f` that `isKnown` accepts, without Opaque parts; it
/// follows from `f`.
Formula knownPart(const Formula &f,
                  llvm::function_ref<bool(const Formula &)> isKnown);

/// Indices, ascending, of a subset of `required` that with the facts of `set`
/// implies all of them, none proved from the others (greedy, last first).
std::vector<unsigned> minimise(ConstraintSet &set,
                               llvm::ArrayRef<Formula> required);

/// Indices, ascending, of those of `given` that with the facts of `set` imply
/// `f`; none can be left out. All of them where no proof is found, as after
/// `minimise`, which may need several. Cost: a proof, and one for each formula
/// that it uses.
std::vector<unsigned> certify(ConstraintSet &set, llvm::ArrayRef<Formula> given,
                              const Formula &f);

} // namespace mlir::symshape

#endif // SYMSHAPE_CONSTRAINTS_FORMULA_H
