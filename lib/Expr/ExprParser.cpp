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
//   product ::= unary (('*' | 'floordiv' | '//' | 'ceildiv' | 'mod' | '%')
//   unary)*
//   unary   ::= '-' unary | primary
//   primary ::= integer | name | '(' sum ')' | ('min'|'max'|'bc') '(' sum, ...
//   ')' | '(' '@' integer ':=' sum ')' | '@' integer
//
// `(@1 := e)` is e, and lets `@1` stand for it in what follows. The parser
// keeps what is open in a list, so that no text is nested too deeply.
//
//===----------------------------------------------------------------------===//

#include "symshape/Expr/ExprParser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::symshape;
using llvm::StringRef;
using llvm::Twine;

/// Numbers are converted in quadratic time.
static constexpr unsigned maxDigits = 10000;

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

ExprParser::Operator ExprParser::consumeMultiplicative() {
  if (consume("*"))
    return Operator::Mul;
  if (consumeWord("floordiv") || consume("//"))
    return Operator::FloorDiv;
  if (consumeWord("ceildiv"))
    return Operator::CeilDiv;
  if (consumeWord("mod") || consume("%"))
    return Operator::Mod;
  return Operator::None;
}

Expr ExprParser::apply(Operator op, Expr left, Expr right) {
  switch (op) {
  case Operator::None:
    return right;
  case Operator::Add:
    return left + right;
  case Operator::Sub:
    return left - right;
  case Operator::Mul:
    return left * right;
  case Operator::FloorDiv:
    return arena.floorDiv(left, right);
  case Operator::CeilDiv:
    return arena.ceilDiv(left, right);
  case Operator::Mod:
    return arena.mod(left, right);
  }
  llvm_unreachable("all operators are above");
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

Expr ExprParser::closeCall(const Open &call) {
  size_t count = call.operands.size();
  if (count < 2)
    return fail(call.start, "expected 2 or more operands of '" + call.function +
                                "', but got " + Twine(count));
  if (call.function == "bc")
    return arena.bc(call.operands);
  return call.function == "min" ? arena.min(call.operands)
                                : arena.max(call.operands);
}

std::optional<StringRef> ExprParser::parsePart() {
  size_t start = position;
  StringRef digits;
  if (consume("@"))
    digits = rest().take_while([](char c) { return llvm::isDigit(c); });
  if (digits.empty())
    position = start;
  else
    position += digits.size();
  return digits.empty() ? std::nullopt : std::optional(digits);
}

/// What comes next if it has no parts; else opens it, and returns null.
Expr ExprParser::parsePrimary(SmallVectorImpl<Open> &open) {
  skipBlanks();
  size_t start = position;
  StringRef name = peekName();
  if (!atEnd() && llvm::isDigit(text[position]))
    return parseInteger();
  if (name == "min" || name == "max" || name == "bc") {
    position += name.size();
    if (!consume("("))
      return expected("'(' after '" + name + "'");
    open.emplace_back().function = name;
    open.back().start = start;
    return Expr();
  }
  if (std::optional<StringRef> symbol = parseName()) {
    names.push_back(*symbol);
    return arena.symbol(*symbol);
  }
  if (std::optional<StringRef> part = parsePart()) {
    if (Expr e = parts.lookup(*part))
      return e;
    return fail(start,
                "expected '(@" + *part + " := ...)' before '@" + *part + "'");
  }
  if (!consume("("))
    return expected("an expression");
  std::optional<StringRef> part = parsePart();
  if (part && !consume(":=")) { // a part that was named before
    position = start + 1;
    part = std::nullopt;
  }
  open.emplace_back().part = part;
  open.back().isParenthesis = true;
  return Expr();
}

/// Takes `value` as the next factor of the innermost sum that is open, and
/// closes all that ends there. Null: more is to come.
Expr ExprParser::take(Expr value, SmallVectorImpl<Open> &open) {
  while (value) {
    Open &inner = open.back();
    if (inner.isNegative)
      value = -value;
    inner.isNegative = false;
    inner.product = apply(inner.inProduct, inner.product, value);
    inner.inProduct = consumeMultiplicative();
    if (inner.inProduct != Operator::None)
      return Expr();
    inner.sum = apply(inner.inSum, inner.sum, inner.product);
    inner.inSum = consume("+")   ? Operator::Add
                  : consume("-") ? Operator::Sub
                                 : Operator::None;
    if (inner.inSum != Operator::None)
      return Expr();
    value = inner.sum;
    if (inner.isParenthesis) {
      if (!consume(")"))
        return expected("')'");
      if (inner.part)
        parts[*inner.part] = value;
    } else if (!inner.function.empty()) {
      inner.operands.push_back(value);
      if (consume(","))
        return Expr();
      if (!consume(")"))
        return expected("',' or ')'");
      value = closeCall(inner);
    } else {
      return value;
    }
    open.pop_back();
  }
  return Expr();
}

Expr ExprParser::parseSum() {
  SmallVector<Open, 4> open(1);
  Expr result;
  while (!result && !failed) {
    while (consume("-"))
      open.back().isNegative = !open.back().isNegative;
    if (Expr value = parsePrimary(open))
      result = take(value, open);
  }
  return failed ? Expr() : result;
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
