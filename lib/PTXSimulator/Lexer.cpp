//===- Lexer.cpp - Words, numbers and signs of PTX ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"
#include <cstdlib>
#include <cstring>

using namespace mlir::symshape::ptx;

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static bool beginsWord(char c) {
  return isLetter(c) || c == '_' || c == '$' || c == '%' || c == '.';
}

namespace {
class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}
  Token next();

private:
  char at(size_t ahead = 0) const {
    return place + ahead < text.size() ? text[place + ahead] : '\0';
  }
  void skipBlanks();
  Token word();
  Token number();
  Token bits(Token::Kind kind, size_t digits);
  Token make(Token::Kind kind, size_t begin) const {
    Token token;
    token.kind = kind;
    token.text = text.substr(begin, place - begin);
    token.line = line;
    return token;
  }

  std::string_view text;
  size_t place = 0;
  uint32_t line = 1;
};
} // namespace

void Lexer::skipBlanks() {
  while (place < text.size()) {
    if (at() == '/' && at(1) == '/') {
      while (place < text.size() && at() != '\n')
        ++place;
    } else if (at() == '/' && at(1) == '*') {
      for (place += 2; place < text.size(); ++place) {
        line += at() == '\n';
        if (at() == '*' && at(1) == '/') {
          place += 2;
          break;
        }
      }
    } else if (std::strchr(" \t\r\n\f\v", at()) && at() != '\0') {
      line += at() == '\n';
      ++place;
    } else {
      return;
    }
  }
}

Token Lexer::word() {
  size_t begin = place++;
  while (place < text.size()) {
    if (beginsWord(at()) || isDigit(at()))
      ++place;
    else if (at() == ':' && at(1) == ':')
      place += 2;
    else
      break;
  }
  return make(Token::Word, begin);
}

/// A float by its bits: 0fXXXXXXXX or 0dXXXXXXXXXXXXXXXX.
Token Lexer::bits(Token::Kind kind, size_t digits) {
  size_t begin = place;
  place += 2;
  std::string hex(text.substr(place, digits));
  char *end = nullptr;
  uint64_t value = std::strtoull(hex.c_str(), &end, 16);
  bool whole = hex.size() == digits && *end == '\0';
  place += whole ? digits : 0;
  Token token = make(whole ? kind : Token::Bad, begin);
  token.value = value;
  return token;
}

Token Lexer::number() {
  if (at() == '0' && (at(1) == 'f' || at(1) == 'F'))
    return bits(Token::Single, 8);
  if (at() == '0' && (at(1) == 'd' || at(1) == 'D'))
    return bits(Token::Double, 16);
  size_t begin = place;
  bool isHex = at() == '0' && (at(1) == 'x' || at(1) == 'X');
  bool isBinary = at() == '0' && (at(1) == 'b' || at(1) == 'B');
  bool isFloat = false;
  place += isHex || isBinary ? 2 : 0;
  auto isPart = [&](char c) {
    if (isHex)
      return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    return isDigit(c) || (!isBinary && (c == '.' || c == 'e' || c == 'E'));
  };
  while (isPart(at())) {
    bool exponent = !isHex && (at() == 'e' || at() == 'E');
    isFloat |= exponent || at() == '.';
    ++place;
    place += exponent && (at() == '+' || at() == '-') ? 1 : 0;
  }
  std::string digits(text.substr(begin, place - begin));
  char *end = nullptr;
  uint64_t value;
  if (isFloat) {
    double number = std::strtod(digits.c_str(), &end);
    std::memcpy(&value, &number, sizeof(value));
  } else if (isBinary) {
    value = std::strtoull(digits.c_str() + 2, &end, 2);
  } else {
    value = std::strtoull(digits.c_str(), &end, 0);
  }
  place += at() == 'U' ? 1 : 0;
  bool whole = *end == '\0';
  Token token = make(!whole    ? Token::Bad
                     : isFloat ? Token::Double
                               : Token::Integer,
                     begin);
  token.value = value;
  return token;
}

Token Lexer::next() {
  skipBlanks();
  if (place >= text.size())
    return make(Token::End, place);
  if (isDigit(at()))
    return number();
  if (beginsWord(at()))
    return word();
  size_t begin = place;
  if (at() == '"') {
    for (++place; place < text.size() && at() != '"'; ++place)
      line += at() == '\n';
    place += place < text.size() ? 1 : 0;
    return make(Token::Text, begin);
  }
  ++place;
  bool known =
      std::strchr("@!|+-,;:(){}[]<>=", text[begin]) && text[begin] != '\0';
  return make(known ? Token::Sign : Token::Bad, begin);
}

std::vector<Token> mlir::symshape::ptx::tokenize(std::string_view text) {
  Lexer lexer(text);
  std::vector<Token> tokens;
  do
    tokens.push_back(lexer.next());
  while (tokens.back().kind != Token::End);
  return tokens;
}
