//===- Expr.h - Canonical integer expressions over symbols ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions over named integer unknowns, hash-consed in an arena, always in
// canonical form. For: comparing, combining, evaluating, printing and parsing
// extents. Not for: deciding relations that need facts (Constraints), or
// anything that knows an op or an MLIRContext.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXPR_EXPR_H
#define SYMSHAPE_EXPR_EXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::symshape {

class ExprArena;
struct ExprNode;
struct AtomNode;

/// What an atom is. A polynomial's variables are atoms.
enum class AtomKind {
  Symbol,   ///< a named unknown
  FloorDiv, ///< floordiv(a, b), rounding to minus infinity
  Min,      ///< min of two or more operands
  Max,      ///< max of two or more operands
  Bc,       ///< the first of two or more operands that is not 1, else 1
  Named     ///< a sum or product of operands, too large to expand
};

/// A variable of a polynomial: a symbol or a non-polynomial operation on
/// expressions. A handle; equal atoms of one arena compare equal.
class Atom;

/// A canonical integer polynomial over atoms: a handle of one pointer, cheap to
/// copy, valid as long as its arena. A default-constructed Expr is null.
///
/// Canonical form: monomials with non-zero coefficients in a fixed order that
/// does not depend on addresses; like monomials merged. Hence two handles of
/// one arena are equal iff the polynomials are identical. `mod` and `ceildiv`
/// do not occur: a mod b = a - b*(a floordiv b), a ceildiv b = -((-a) floordiv
/// b).
///
/// Bounded: no polynomial has more than 64 terms; a larger one becomes a Named
/// atom, through which printing, evaluation and substitution see.
class Expr {
public:
  Expr() = default;
  explicit operator bool() const { return node != nullptr; }
  bool operator==(Expr other) const { return node == other.node; }
  bool operator!=(Expr other) const { return node != other.node; }

  /// One monomial: coefficient * product of atom^power, powers >= 1.
  struct Term;
  llvm::ArrayRef<Term> terms() const;

  bool isConstant() const;
  /// The value, when the expression is a constant that fits 64 bits.
  std::optional<int64_t> asInt64() const;
  /// The value, when the expression is a constant.
  std::optional<llvm::DynamicAPInt> asConstant() const;
  bool isConstant(int64_t value) const { return asInt64() == value; }
  /// The atom, when the expression is exactly one atom with coefficient 1.
  Atom asAtom() const;
  /// The symbol's name, when the expression is exactly one symbol.
  std::optional<llvm::StringRef> asSymbol() const;

  ExprArena &arena() const;
  /// Text that parses to the same expression. What occurs more than once in a
  /// large one is written once, as `(@1 := ...)`, and then `@1`: the text is
  /// about as long as the expression has different parts.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;
  /// How many numbers and factors its text has, shared parts counted each time;
  /// at most 2^32 - 1. Ask for it first before visiting shared parts more than
  /// once.
  unsigned size() const;
  /// Position in the arena's order of creation: a stable key for maps.
  unsigned id() const;
  /// The deepest atom's depth plus one; 0 for a constant.
  unsigned depth() const;
  /// Each symbol that occurs, in order of first occurrence in the printed form,
  /// once.
  llvm::SmallVector<Expr, 4> symbols() const;
  /// A structural order, as `Atom::compare`; the order of min's operands.
  static int compare(Expr a, Expr b);

  friend Expr operator+(Expr a, Expr b);
  friend Expr operator-(Expr a, Expr b);
  friend Expr operator*(Expr a, Expr b);
  friend Expr operator-(Expr a);
  friend Expr operator+(Expr a, int64_t b);
  friend Expr operator-(Expr a, int64_t b);
  friend Expr operator*(Expr a, int64_t b);

private:
  friend class ExprArena;
  friend struct llvm::DenseMapInfo<Expr>;
  explicit Expr(const ExprNode *node) : node(node) {}
  const ExprNode *node = nullptr;
};

class Atom {
public:
  Atom() = default;
  explicit operator bool() const { return node != nullptr; }
  bool operator==(Atom other) const { return node == other.node; }
  bool operator!=(Atom other) const { return node != other.node; }

  AtomKind kind() const;
  /// Name of a Symbol or Named atom.
  llvm::StringRef name() const;
  /// Whether it is a symbol that `freshSymbol` made.
  bool isFresh() const;
  /// FloorDiv: {dividend, divisor}. Min, Max: the operands, sorted. Bc: the
  /// operands, in order.
  llvm::ArrayRef<Expr> operands() const;
  /// Whether a Named atom stands for the unexpanded product of its operands;
  /// otherwise it stands for their sum.
  bool namedIsProduct() const;
  /// The expression that is this atom alone.
  Expr asExpr() const;
  unsigned id() const;
  /// Levels of operands below: 0 for a symbol.
  unsigned depth() const;
  /// As for expressions: 1 for a symbol.
  unsigned size() const;
  /// Below 0, 0 or above 0 as `a` comes before, is, or comes after `b` in the
  /// arena's order: by structure, not by address.
  static int compare(Atom a, Atom b);

private:
  friend class Expr;
  friend class ExprArena;
  friend struct llvm::DenseMapInfo<Atom>;
  explicit Atom(const AtomNode *node) : node(node) {}
  const AtomNode *node = nullptr;
};

struct Expr::Term {
  llvm::DynamicAPInt coefficient;
  /// Sorted by the arena's atom order; empty for the constant term.
  llvm::SmallVector<std::pair<Atom, unsigned>, 2> powers;
};

/// Why text is not an expression or relation: a message in the style of
/// `expected X, but got Y`, and the offset of the offending character.
struct ParseError {
  size_t offset = 0;
  std::string message;
};

/// The outcome of an evaluation over 64-bit integers.
struct Evaluation {
  enum Status { Value, Overflow, DivisionByZero, Unbound } status = Unbound;
  int64_t value = 0;
};

/// Owns expressions. Single-threaded. Free of MLIR's context.
class ExprArena {
public:
  ExprArena();
  ~ExprArena();
  ExprArena(const ExprArena &) = delete;
  ExprArena &operator=(const ExprArena &) = delete;

  Expr constant(int64_t value);
  Expr constant(const llvm::DynamicAPInt &value);
  Expr zero() { return constant(0); }
  Expr one() { return constant(1); }
  /// The symbol of that name; the same handle for the same name.
  Expr symbol(llvm::StringRef name);
  /// A symbol whose name begins with `hint` and that did not exist before.
  Expr freshSymbol(llvm::StringRef hint);

  Expr add(Expr a, Expr b);
  Expr sub(Expr a, Expr b);
  Expr mul(Expr a, Expr b);
  Expr neg(Expr a);
  Expr pow(Expr a, unsigned exponent);
  /// The sum of terms in any order, like ones allowed.
  Expr fromTerms(llvm::SmallVectorImpl<Expr::Term> &&terms);
  Expr fromTerm(const Expr::Term &term);
  /// Rounds to minus infinity, for divisors of either sign. A literal divisor 0
  /// stays an atom with an unspecified value.
  Expr floorDiv(Expr a, Expr b);
  Expr ceilDiv(Expr a, Expr b);
  Expr mod(Expr a, Expr b);
  Expr min(llvm::ArrayRef<Expr> operands);
  Expr max(llvm::ArrayRef<Expr> operands);
  Expr min(Expr a, Expr b) { return min({a, b}); }
  Expr max(Expr a, Expr b) { return max({a, b}); }
  /// bc(a, b) is b if a == 1, else a: a broadcast extent; of a longer list, the
  /// first operand that is not 1.
  Expr bc(llvm::ArrayRef<Expr> operands);
  Expr bc(Expr a, Expr b) { return bc({a, b}); }

  /// Grammar (usual precedence, left associative; `floordiv`, `ceildiv`, `mod`
  /// bind like `*`): integers, names [A-Za-z_$%#.][A-Za-z0-9_$%#.]*, `+ - *`,
  /// `floordiv`, `ceildiv`, `mod`, `min(a, b, ...)`, `max(a, b, ...)`,
  /// `bc(a, b, ...)`, parentheses, unary minus; `(@1 := e)` is e, and names it
  /// for the rest of the text. Returns a null Expr and sets `error` on
  /// malformed text. Of any length and depth.
  Expr parse(llvm::StringRef text, ParseError &error);

  /// Replaces symbols by the expressions that `map` returns (null: keep), and
  /// re-canonicalises. Sees through Named atoms.
  Expr substitute(Expr e, llvm::function_ref<Expr(Expr symbol)> map);
  /// Replaces the atoms that `e` is made of, not those inside of them.
  Expr replaceAtoms(Expr e, llvm::function_ref<Expr(Atom atom)> map);

  /// The atom of the same kind with other operands, re-canonicalised.
  Expr makeAtom(Atom like, llvm::ArrayRef<Expr> operands);

  /// Overflow-checked 64-bit evaluation; the first problem met is reported.
  Evaluation
  evaluate(Expr e,
           llvm::function_ref<std::optional<int64_t>(Expr symbol)> value);
  /// Exact evaluation; nullopt when a symbol is unbound, a divisor is 0, or a
  /// value grows beyond 16384 bits.
  std::optional<llvm::DynamicAPInt> evaluateExact(
      Expr e,
      llvm::function_ref<std::optional<llvm::DynamicAPInt>(Expr symbol)> value);

  /// Appends the symbols of `e` that are not there yet.
  void collectSymbols(Expr e, llvm::SmallVectorImpl<Expr> &symbols);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::symshape

namespace llvm {
template <>
struct DenseMapInfo<mlir::symshape::Atom> {
  using Atom = mlir::symshape::Atom;
  static Atom getEmptyKey() {
    return Atom(static_cast<const mlir::symshape::AtomNode *>(
        DenseMapInfo<const void *>::getEmptyKey()));
  }
  static Atom getTombstoneKey() {
    return Atom(static_cast<const mlir::symshape::AtomNode *>(
        DenseMapInfo<const void *>::getTombstoneKey()));
  }
  static unsigned getHashValue(Atom a) {
    return DenseMapInfo<const void *>::getHashValue(a.node);
  }
  static bool isEqual(Atom a, Atom b) { return a == b; }
};
template <>
struct DenseMapInfo<mlir::symshape::Expr> {
  using Expr = mlir::symshape::Expr;
  static Expr getEmptyKey() {
    return Expr(static_cast<const mlir::symshape::ExprNode *>(
        DenseMapInfo<const void *>::getEmptyKey()));
  }
  static Expr getTombstoneKey() {
    return Expr(static_cast<const mlir::symshape::ExprNode *>(
        DenseMapInfo<const void *>::getTombstoneKey()));
  }
  static unsigned getHashValue(Expr e) {
    return DenseMapInfo<const void *>::getHashValue(e.node);
  }
  static bool isEqual(Expr a, Expr b) { return a == b; }
};
} // namespace llvm

#endif // SYMSHAPE_EXPR_EXPR_H
