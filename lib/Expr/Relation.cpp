//===- Relation.cpp - Relations between expressions -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Negation, text, substitution and evaluation of relations.
//
//===----------------------------------------------------------------------===//

#include "symshape/Expr/Relation.h"
#include "ExprParser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::symshape;
using llvm::DynamicAPInt;
using llvm::StringRef;

std::optional<Relation> Relation::negation() const {
  switch (kind) {
  case Eq:
    return ne(lhs, rhs);
  case Ne:
    return eq(lhs, rhs);
  case Le: {
    // rhs < lhs: where lhs is something plus 1 or more, rhs <= lhs - 1.
    llvm::ArrayRef<Expr::Term> terms = lhs.terms();
    bool hasOffset = !terms.empty() && terms.back().powers.empty() &&
                     terms.back().coefficient > 0;
    return hasOffset ? le(rhs, lhs - 1) : gt(lhs, rhs);
  }
  case Divides:
    break;
  }
  return std::nullopt;
}

void Relation::print(llvm::raw_ostream &os) const {
  static const char *const symbols[] = {" == ", " != ", " <= ", " | "};
  lhs.print(os);
  os << symbols[kind];
  rhs.print(os);
}

std::string Relation::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

std::optional<Relation> Relation::parse(ExprArena &arena, StringRef text,
                                        ParseError &error) {
  ExprParser parser(arena, text);
  Expr lhs = parser.parseSum();
  // The longer tokens first: `<=` is not `<`.
  static const StringRef tokens[] = {"==", "!=", "<=", ">=", "<", ">", "|"};
  size_t token = 0;
  while (lhs && token < std::size(tokens) && !parser.consume(tokens[token]))
    ++token;
  if (lhs && token == std::size(tokens))
    lhs = parser.expected("one of == != <= < >= > |");
  Expr rhs = lhs ? parser.parseSum() : Expr();
  parser.skipBlanks();
  if (rhs && !parser.atEnd())
    rhs = parser.expected("an operator or end of text");
  if (!rhs) {
    error = parser.error();
    return std::nullopt;
  }
  switch (token) {
  case 0:
    return eq(lhs, rhs);
  case 1:
    return ne(lhs, rhs);
  case 2:
    return le(lhs, rhs);
  case 3:
    return ge(lhs, rhs);
  case 4:
    return lt(lhs, rhs);
  case 5:
    return gt(lhs, rhs);
  default:
    return divides(lhs, rhs);
  }
}

Relation Relation::substitute(llvm::function_ref<Expr(Expr symbol)> map) const {
  ExprArena &arena = lhs.arena();
  return {kind, arena.substitute(lhs, map), arena.substitute(rhs, map)};
}

std::optional<bool> Relation::evaluate(
    llvm::function_ref<std::optional<DynamicAPInt>(Expr)> value) const {
  ExprArena &arena = lhs.arena();
  std::optional<DynamicAPInt> a = arena.evaluateExact(lhs, value);
  std::optional<DynamicAPInt> b = arena.evaluateExact(rhs, value);
  if (!a || !b)
    return std::nullopt;
  switch (kind) {
  case Eq:
    return *a == *b;
  case Ne:
    return *a != *b;
  case Le:
    return *a <= *b;
  case Divides:
    break;
  }
  return *a == 0 ? *b == 0 : mod(*b, abs(*a)) == 0;
}
