//===- ExprParser.cpp - Text to expressions -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Grammar (ExprArena::parse):
//   sum     ::= product (('+' | '-') product)*
//   product ::= unary (('*' | 'floordiv' | 'ceildiv' | 'mod') unary)*
//   unary   ::= '-' unary | primary
//   primary ::= integer | name | '(' sum ')' | ('min'|'max'|'bc') '(' sum, ...
//   ')'
//
//===----------------------------------------------------------------------===//

#include "symshape/Expr/ExprParser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::symshape;
using llvm::StringRef;
using llvm::Twine;

static constexpr unsigned maxNesting = 200;
static constexpr unsigned maxDigits = 1000;

bool mlir::symshape::startsName(char c) {
  return llvm::isAlpha(c) || StringRef("_$%#.").contains(c);
}
bool mlir::symshape::continuesName(char c) {
  return startsName(c) || llvm::isDigit(c);
}

bool mlir::symshape::isOperatorWord(StringRef name) {
  return name == "floordiv" || name == "ceildiv" || name == "mod" ||
         name == "min" || name == "max" || name == "bc" || name == "and" ||
         name == "or" || name == "not" ||
         name == "..."; // what a long text leaves out
}

bool mlir::symshape::isReservedWord(StringRef word) {
  static constexpr llvm::StringLiteral statementWords[] = {
      "symbol", "assume", "prove",       "simplify", "bounds", "solve", "push",
      "pop",    "in",     "multiple_of", "residue",  "likely", "for",   "inf"};
  return isOperatorWord(word) || llvm::is_contained(statementWords, word);
}

bool mlir::symshape::isBareName(StringRef name) {
  return !name.empty() && startsName(name[0]) &&
         llvm::all_of(name, continuesName) && !isReservedWord(name);
}

bool ExprParser::isName(StringRef word) const {
  return !word.empty() &&
         !(inStatements ? isReservedWord(word) : isOperatorWord(word));
}

std::optional<StringRef> ExprParser::parseName() {
  skipBlanks();
  StringRef rest = text.substr(position);
  if (rest.starts_with("\"")) {
    size_t end = rest.find('"', 1);
    if (end == StringRef::npos || end == 1)
      return std::nullopt;
    position += end + 1;
    return rest.slice(1, end);
  }
  StringRef name = peekName();
  if (!isName(name))
    return std::nullopt;
  position += name.size();
  return name;
}

Expr ExprParser::fail(size_t offset, const Twine &message) {
  if (!failed) {
    failed = true;
    firstError.offset = offset;
    firstError.message = message.str();
  }
  return {};
}

Expr ExprParser::expected(const Twine &what) {
  skipBlanks();
  if (atEnd())
    return fail(position, "expected " + what + ", but got end of text");
  StringRef token = peekName();
  if (token.empty())
    token = text.substr(position, 1);
  if (!llvm::isPrint(token[0]))
    return fail(position, "expected " + what + ", but got byte 0x" +
                              llvm::utohexstr(uint8_t(token[0])));
  return fail(position, "expected " + what + ", but got '" + token + "'");
}

void ExprParser::skipBlanks() {
  while (position < text.size() && llvm::isSpace(text[position]))
    ++position;
}

bool ExprParser::consume(StringRef token) {
  skipBlanks();
  if (!text.substr(position).starts_with(token))
    return false;
  position += token.size();
  return true;
}

StringRef ExprParser::peekName() const {
  StringRef rest = text.substr(position);
  if (rest.empty() || !startsName(rest[0]))
    return {};
  return rest.take_while(continuesName);
}

bool ExprParser::consumeWord(StringRef word) {
  skipBlanks();
  if (peekName() != word)
    return false;
  position += word.size();
  return true;
}

/// Refuses what could not be written out again.
Expr ExprParser::checkSize(Expr e, size_t start) {
  if (e.size() > Expr::maxSize)
    return fail(start,
                "expected an expression of at most " + Twine(Expr::maxSize) +
                    " numbers and factors, multiplied out, but got " + "more");
  if (e.depth() > Expr::maxDepth)
    return fail(start, "expected at most " + Twine(Expr::maxDepth) +
                           " operations within one another, but got more");
  return e;
}

Expr ExprParser::parseSum() {
  skipBlanks();
  size_t start = position;
  Expr sum = parseProduct();
  while (sum) {
    bool isMinus = false;
    if (!consume("+") && !(isMinus = consume("-")))
      break;
    Expr term = parseProduct();
    if (!term)
      return {};
    sum = isMinus ? sum - term : sum + term;
  }
  if (sum && depth == 0)
    return checkSize(sum, start);
  return sum;
}

ExprParser::Operator ExprParser::consumeMultiplicative() {
  if (consume("*"))
    return Operator::Mul;
  if (consumeWord("floordiv"))
    return Operator::FloorDiv;
  if (consumeWord("ceildiv"))
    return Operator::CeilDiv;
  if (consumeWord("mod"))
    return Operator::Mod;
  return Operator::None;
}

Expr ExprParser::parseProduct() {
  Expr product = parseUnary();
  while (product) {
    Operator op = consumeMultiplicative();
    if (op == Operator::None)
      break;
    Expr right = parseUnary();
    if (!right)
      return {};
    switch (op) {
    case Operator::Mul:
      product = product * right;
      break;
    case Operator::FloorDiv:
      product = arena.floorDiv(product, right);
      break;
    case Operator::CeilDiv:
      product = arena.ceilDiv(product, right);
      break;
    case Operator::Mod:
      product = arena.mod(product, right);
      break;
    case Operator::None:
      break;
    }
  }
  return product;
}

Expr ExprParser::parseUnary() {
  bool isNegative = false;
  while (consume("-"))
    isNegative = !isNegative;
  Expr e = parsePrimary();
  return e && isNegative ? -e : e;
}

Expr ExprParser::parseInteger() {
  StringRef digits =
      text.substr(position).take_while([](char c) { return llvm::isDigit(c); });
  if (digits.size() > maxDigits)
    return fail(position, "expected an integer of at most " + Twine(maxDigits) +
                              " digits, but got " + Twine(digits.size()));
  position += digits.size();
  if (position < text.size() && startsName(text[position]))
    return expected("an operator after an integer");
  unsigned bits = unsigned(digits.size()) * 4 + 2;
  return arena.constant(llvm::DynamicAPInt(llvm::APInt(bits, digits, 10)));
}

std::optional<llvm::DynamicAPInt> ExprParser::parseSignedInteger() {
  bool isNegative = consume("-");
  skipBlanks();
  if (atEnd() || !llvm::isDigit(text[position])) {
    expected("an integer");
    return std::nullopt;
  }
  Expr e = parseInteger();
  if (!e)
    return std::nullopt;
  return isNegative ? -*e.asConstant() : *e.asConstant();
}

Expr ExprParser::parseCall(StringRef function) {
  size_t start = position;
  position += function.size();
  if (!consume("("))
    return expected("'(' after '" + function + "'");
  llvm::SmallVector<Expr, 4> operands;
  do {
    Expr operand = parseSum();
    if (!operand)
      return {};
    operands.push_back(operand);
  } while (consume(","));
  if (!consume(")"))
    return expected("',' or ')'");
  bool isBc = function == "bc";
  if (isBc ? operands.size() != 2 : operands.size() < 2)
    return fail(start, "expected " + Twine(isBc ? "2" : "2 or more") +
                           " operands of '" + function + "', but got " +
                           Twine(operands.size()));
  if (isBc)
    return arena.bc(operands[0], operands[1]);
  return function == "min" ? arena.min(operands) : arena.max(operands);
}

Expr ExprParser::parsePrimary() {
  skipBlanks();
  if (depth >= maxNesting)
    return fail(position, "expected at most " + Twine(maxNesting) +
                              " levels of nesting, but got more");
  ++depth;
  Expr result;
  StringRef name = peekName();
  if (!atEnd() && llvm::isDigit(text[position])) {
    result = parseInteger();
  } else if (name == "min" || name == "max" || name == "bc") {
    result = parseCall(name);
  } else if (std::optional<StringRef> symbol = parseName()) {
    names.push_back(*symbol);
    result = arena.symbol(*symbol);
  } else if (consume("(")) {
    result = parseSum();
    if (result && !consume(")"))
      result = expected("')'");
  } else {
    result = expected("an expression");
  }
  --depth;
  return result;
}

Expr ExprArena::parse(StringRef text, ParseError &error) {
  ExprParser parser(*this, text);
  Expr result = parser.parseSum();
  parser.skipBlanks();
  if (result && !parser.atEnd())
    result = parser.expected("an operator or end of text");
  if (!result)
    error = parser.error();
  return result;
}
