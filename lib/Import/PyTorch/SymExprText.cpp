//===- SymExprText.cpp - Expressions of SymPy as text ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursive descent over calls.
//
//===----------------------------------------------------------------------===//

#include "SymExprText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir::symshape::pytorch;
using llvm::StringRef;

namespace {
class Reader {
public:
  explicit Reader(StringRef text) : rest(text) {}
  std::optional<std::string> read() {
    auto all = readCall();
    return all && rest.trim().empty() ? all : std::nullopt;
  }

private:
  StringRef takeWord() {
    rest = rest.ltrim();
    StringRef word =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    rest = rest.drop_front(word.size());
    return word;
  }
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  std::optional<std::string> readCall();
  std::optional<std::string> readSymbol();
  std::optional<std::string> readNumber();

  StringRef rest;
  unsigned depth = 0;
};
} // namespace

/// After `Symbol(`: a name in quotes, then assumptions.
std::optional<std::string> Reader::readSymbol() {
  rest = rest.ltrim();
  if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
    return std::nullopt;
  char quote = rest[0];
  auto [name, after] = rest.drop_front().split(quote);
  size_t end = after.find(')');
  if (end == StringRef::npos || name.empty() ||
      !llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
    return std::nullopt;
  rest = after.drop_front(end + 1);
  return name.str();
}

/// After `Integer(`.
std::optional<std::string> Reader::readNumber() {
  bool isNegative = consume("-");
  StringRef digits = takeWord();
  if (digits.empty() || !llvm::all_of(digits, llvm::isDigit) || !consume(")"))
    return std::nullopt;
  return isNegative ? "(-" + digits.str() + ")" : digits.str();
}

std::optional<std::string> Reader::readCall() {
  constexpr unsigned deepest = 64;
  if (depth > deepest)
    return std::nullopt;
  StringRef function = takeWord();
  if (!consume("("))
    return std::nullopt;
  if (function == "Symbol" || function == "Dummy")
    return readSymbol();
  if (function == "Integer")
    return readNumber();
  llvm::SmallVector<std::string> operands;
  ++depth;
  do {
    auto operand =
        function == "Rational" ? std::optional<std::string>() : readCall();
    if (!operand)
      return std::nullopt;
    operands.push_back(std::move(*operand));
  } while (consume(","));
  --depth;
  if (!consume(")"))
    return std::nullopt;
  StringRef infix = llvm::StringSwitch<StringRef>(function)
                        .Case("Add", " + ")
                        .Case("Mul", "*")
                        .Cases({"Pow", "PowByNatural"}, "**")
                        .Cases({"FloorDiv", "CleanDiv"}, "//")
                        .Cases({"Mod", "PythonMod"}, "%")
                        .Default("");
  if (!infix.empty())
    return "(" + llvm::join(operands, infix) + ")";
  if (function == "Max" || function == "Min")
    return function.str() + "(" + llvm::join(operands, ", ") + ")";
  return std::nullopt;
}

std::optional<std::string> mlir::symshape::pytorch::toInfix(StringRef text) {
  constexpr size_t longest = 1 << 16;
  if (text.size() > longest)
    return std::nullopt;
  static const StringRef functions[] = {
      "Symbol(",   "Integer(",      "Add(",       "Mul(",
      "Pow(",      "PowByNatural(", "Mod(",       "FloorDiv(",
      "CleanDiv(", "Max(",          "PythonMod(", "Min("};
  bool isCall = llvm::any_of(
      functions, [&](StringRef start) { return text.starts_with(start); });
  if (!isCall || !(text.contains("Symbol(") || text.contains("Integer(")))
    return text.str();
  return Reader(text).read();
}

std::vector<std::string> mlir::symshape::pytorch::listSymbols(StringRef infix) {
  std::vector<std::string> symbols;
  while (!infix.empty()) {
    StringRef word =
        infix.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    infix = infix.drop_front(std::max<size_t>(word.size(), 1));
    bool isName =
        !word.empty() && !llvm::isDigit(word[0]) && !infix.starts_with("(");
    if (isName && !llvm::is_contained(symbols, word.str()))
      symbols.push_back(word.str());
  }
  return symbols;
}
