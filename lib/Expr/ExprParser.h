//===- ExprParser.h - Text to expressions -----------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recursive-descent parser of expressions, shared with relations. Private
// to Expr.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXPR_EXPRPARSER_H
#define SYMSHAPE_LIB_EXPR_EXPRPARSER_H

#include "symshape/Expr/Expr.h"
#include "llvm/ADT/Twine.h"

namespace mlir::symshape {

/// Reads expressions from a text. The first error is kept; parse functions then
/// return a null Expr.
class ExprParser {
public:
  ExprParser(ExprArena &arena, llvm::StringRef text)
      : arena(arena), text(text) {}

  Expr parseSum();
  void skipBlanks();
  bool atEnd() const { return position == text.size(); }
  /// Consumes `token` if it comes next.
  bool consume(llvm::StringRef token);
  /// Sets the error `expected WHAT, but got TOKEN`; returns a null Expr.
  Expr expected(const llvm::Twine &what);
  const ParseError &error() const { return firstError; }

private:
  enum class Operator { None, Mul, FloorDiv, CeilDiv, Mod };
  Operator consumeMultiplicative();
  bool consumeWord(llvm::StringRef word);
  llvm::StringRef peekName() const;
  Expr parseProduct();
  Expr parseUnary();
  Expr parsePrimary();
  Expr parseInteger();
  Expr parseCall(llvm::StringRef function);
  Expr fail(size_t offset, const llvm::Twine &message);

  ExprArena &arena;
  llvm::StringRef text;
  size_t position = 0;
  unsigned depth = 0;
  bool failed = false;
  ParseError firstError;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXPR_EXPRPARSER_H
