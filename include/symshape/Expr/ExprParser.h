//===- ExprParser.h - Text to expressions -----------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser of expressions and relations, for attributes,
// options and problem files alike. Not for: statements (Constraints).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXPR_EXPRPARSER_H
#define SYMSHAPE_EXPR_EXPRPARSER_H

#include "symshape/Expr/Expr.h"
#include "symshape/Expr/Relation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

namespace mlir::symshape {

/// Whether a name without quotes may start, or go on, with `c`.
bool startsName(char c);
bool continuesName(char c);

/// Whether the word is an operator or a function: never a name.
bool isOperatorWord(llvm::StringRef word);

/// Whether the word is an operator, or begins or continues a statement of a
/// problem file: as a name it stands in double quotes.
bool isReservedWord(llvm::StringRef word);

/// Whether `name` is read as one name without quotes, anywhere.
bool isBareName(llvm::StringRef name);

/// Reads expressions from a text. The first error is kept; parse functions then
/// return a null Expr or nullopt.
///
/// Names are [A-Za-z_$%#.][A-Za-z0-9_$%#.]* other than operator words, or any
/// text in double quotes; in statements, the words of statements are not names.
class ExprParser {
public:
  ExprParser(ExprArena &arena, llvm::StringRef text, bool inStatements = false)
      : arena(arena), text(text), inStatements(inStatements) {}

  Expr parseSum();
  std::optional<Relation> parseRelation();
  /// A name, without its quotes. nullopt: none comes next, and nothing is read.
  std::optional<llvm::StringRef> parseName();
  /// An integer of any length, with or without a minus.
  std::optional<llvm::DynamicAPInt> parseSignedInteger();
  void skipBlanks();
  bool atEnd() const { return position == text.size(); }
  size_t offset() const { return position; }
  /// What has not been read.
  llvm::StringRef rest() const { return text.substr(position); }
  /// Consumes `token` if it comes next.
  bool consume(llvm::StringRef token);
  /// Consumes `word` if it comes next, as a whole word.
  bool consumeWord(llvm::StringRef word);
  /// Sets the error `expected WHAT, but got TOKEN`; returns a null Expr.
  Expr expected(const llvm::Twine &what);
  Expr fail(size_t offset, const llvm::Twine &message);
  const ParseError &error() const { return firstError; }
  /// Each name that was read as a symbol, even if it cancels out.
  llvm::ArrayRef<llvm::StringRef> namesRead() const { return names; }

private:
  enum class Operator { None, Add, Sub, Mul, FloorDiv, CeilDiv, Mod };
  /// A sum that is being read: of the whole text, of a parenthesis, or of an
  /// operand of a function; and what was read of it.
  struct Open {
    llvm::StringRef function;
    bool isParenthesis = false;
    std::optional<llvm::StringRef> part; ///< the number that it names
    size_t start = 0;
    llvm::SmallVector<Expr, 2> operands;
    Expr sum, product;
    Operator inSum = Operator::None, inProduct = Operator::None;
    bool isNegative = false;
  };
  Operator consumeMultiplicative();
  llvm::StringRef peekName() const;
  bool isName(llvm::StringRef word) const;
  Expr apply(Operator op, Expr left, Expr right);
  Expr parsePrimary(llvm::SmallVectorImpl<Open> &open);
  Expr take(Expr value, llvm::SmallVectorImpl<Open> &open);
  Expr closeCall(const Open &call);
  Expr parseInteger();
  /// The number of `@` and a number. nullopt: none comes next.
  std::optional<llvm::StringRef> parsePart();

  ExprArena &arena;
  llvm::StringRef text;
  bool inStatements;
  size_t position = 0;
  bool failed = false;
  llvm::SmallVector<llvm::StringRef, 8> names;
  llvm::StringMap<Expr> parts; ///< named in the text
  ParseError firstError;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXPR_EXPRPARSER_H
