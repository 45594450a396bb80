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
#include "symshape/Expr/ExprParser.h"
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
    // rhs < lhs: if lhs is something plus 1 or more, rhs <= lhs - 1.
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

llvm::SmallVector<Expr, 4> Relation::symbols() const {
  llvm::SmallVector<Expr, 4> symbols = lhs.symbols();
  lhs.arena().collectSymbols(rhs, symbols);
  return symbols;
}

std::string Relation::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

std::optional<Relation> ExprParser::parseRelation() {
  Expr lhs = parseSum();
  // The longer tokens first: `<=` is not `<`.
  static const StringRef tokens[] = {"==", "!=", "<=", ">=", "<", ">", "|"};
  size_t token = 0;
  while (lhs && token < std::size(tokens) && !consume(tokens[token]))
    ++token;
  if (lhs && token == std::size(tokens))
    lhs = expected("one of == != <= < >= > |");
  Expr rhs = lhs ? parseSum() : Expr();
  if (!rhs)
    return std::nullopt;
  switch (token) {
  case 0:
    return Relation::eq(lhs, rhs);
  case 1:
    return Relation::ne(lhs, rhs);
  case 2:
    return Relation::le(lhs, rhs);
  case 3:
    return Relation::ge(lhs, rhs);
  case 4:
    return Relation::lt(lhs, rhs);
  case 5:
    return Relation::gt(lhs, rhs);
  default:
    return Relation::divides(lhs, rhs);
  }
}

std::optional<Relation> Relation::parse(ExprArena &arena, StringRef text,
                                        ParseError &error) {
  ExprParser parser(arena, text);
  std::optional<Relation> relation = parser.parseRelation();
  parser.skipBlanks();
  if (relation && !parser.atEnd()) {
    parser.expected("an operator or end of text");
    relation = std::nullopt;
  }
  if (!relation)
    error = parser.error();
  return relation;
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
