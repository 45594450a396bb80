//===- DimText.cpp - Expressions in dim_param -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursive-descent parser over fractions, and the printer for the reverse.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/ONNX/DimText.h"

#include "symshape/Expr/ExprParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir::symshape;
using namespace mlir::symshape::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string DimNames::symbolOf(StringRef text) {
  if (auto it = symbols.find(text); it != symbols.end())
    return it->second;
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) || c == '_' || c == '.' ? c : '_';
  if (name.empty() || !(llvm::isAlpha(name[0]) || name[0] == '_'))
    name = "_" + name;
  if (!isBareName(name))
    name += "_";
  std::string unique = name;
  for (unsigned i = 1;
       texts.contains(unique) || (unique != text && taken.contains(unique));
       ++i)
    unique = name + "_" + std::to_string(i);
  taken.insert(unique);
  texts[unique] = text.str();
  symbols[text] = unique;
  return unique;
}

std::string DimNames::makeFresh() {
  for (;; ++numFresh) {
    std::string name = "_d" + std::to_string(numFresh);
    if (taken.insert(name).second) {
      fresh.insert(name);
      return name;
    }
  }
}

StringRef DimNames::textOf(StringRef symbol) const {
  auto it = texts.find(symbol);
  return it == texts.end() ? symbol : StringRef(it->second);
}

bool mlir::symshape::onnx::isAnonymous(StringRef text) {
  text = text.trim();
  return text.empty() || text == "?" || text == "None";
}

static bool startsDimName(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool continuesDimName(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.';
}

bool mlir::symshape::onnx::isDimName(StringRef text) {
  return !text.empty() && startsDimName(text[0]) &&
         llvm::all_of(text, continuesDimName);
}

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

namespace {
/// numerator / denominator >= 1. A null numerator: no expression.
struct Fraction {
  Expr numerator;
  int64_t denominator = 1;

  explicit operator bool() const { return static_cast<bool>(numerator); }
};

class DimParser {
public:
  DimParser(ExprArena &arena, StringRef text,
            llvm::function_ref<Expr(StringRef)> name)
      : arena(arena), rest(text), name(name) {}

  Expr parse() {
    Fraction all = parseSum();
    return all && rest.trim().empty() ? toInteger(all) : Expr();
  }

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  Fraction parseSum();
  Fraction parseProduct();
  Fraction parseUnary();
  Fraction parsePower();
  Fraction parsePrimary();
  Fraction parseCall(StringRef function);
  Fraction make(Expr numerator, std::optional<int64_t> denominator);
  Fraction add(Fraction a, Fraction b);
  Fraction floorOf(Fraction a, Fraction b, bool up);
  Expr toInteger(const Fraction &a);

  ExprArena &arena;
  StringRef rest;
  llvm::function_ref<Expr(StringRef)> name;
  unsigned depth = 0;
};
} // namespace

/// Fractions are for the halves in rounded quotients.
static constexpr int64_t largestDenominator = int64_t(1) << 32;

Fraction DimParser::make(Expr numerator, std::optional<int64_t> denominator) {
  if (!numerator || !denominator || *denominator == 0 ||
      std::abs(*denominator) > largestDenominator)
    return {};
  if (*denominator < 0)
    return {-numerator, -*denominator};
  return {numerator, *denominator};
}

Expr DimParser::toInteger(const Fraction &a) {
  SmallVector<Expr::Term> terms;
  for (Expr::Term term : a.numerator.terms()) {
    if (term.coefficient % a.denominator != 0)
      return Expr();
    term.coefficient /= a.denominator;
    terms.push_back(std::move(term));
  }
  return arena.fromTerms(std::move(terms));
}

Fraction DimParser::add(Fraction a, Fraction b) {
  return make(a.numerator * b.denominator + b.numerator * a.denominator,
              llvm::checkedMul(a.denominator, b.denominator));
}

Fraction DimParser::floorOf(Fraction a, Fraction b, bool up) {
  Expr x = a.numerator * b.denominator, y = b.numerator * a.denominator;
  return make(up ? arena.ceilDiv(x, y) : arena.floorDiv(x, y), 1);
}

Fraction DimParser::parseSum() {
  Fraction sum = parseProduct();
  while (sum) {
    bool isMinus = consume("-");
    if (!isMinus && !consume("+"))
      break;
    Fraction next = parseProduct();
    if (!next)
      return {};
    if (isMinus)
      next.numerator = -next.numerator;
    sum = add(sum, next);
  }
  return sum;
}

Fraction DimParser::parseProduct() {
  Fraction product = parseUnary();
  while (product) {
    enum { Times, Floor, Over, Mod } op;
    if (consume("*"))
      op = Times;
    else if (consume("//"))
      op = Floor;
    else if (consume("/"))
      op = Over;
    else if (consume("%"))
      op = Mod;
    else
      break;
    Fraction next = parseUnary();
    if (!next)
      return {};
    if (op == Times) {
      product = make(product.numerator * next.numerator,
                     llvm::checkedMul(product.denominator, next.denominator));
    } else if (op == Floor) {
      product = floorOf(product, next, /*up=*/false);
    } else if (op == Mod) {
      Expr x = toInteger(product), y = toInteger(next);
      product = x && y ? make(arena.mod(x, y), 1) : Fraction();
    } else {
      std::optional<int64_t> divisor = next.numerator.asInt64();
      product = divisor ? make(product.numerator * next.denominator,
                               llvm::checkedMul(product.denominator, *divisor))
                        : Fraction();
    }
  }
  return product;
}

/// A sign binds less than a power: -N**2 is -(N**2).
Fraction DimParser::parseUnary() {
  constexpr unsigned deepest = 64;
  if (++depth > deepest)
    return {};
  Fraction result;
  if (consume("-")) {
    result = parseUnary();
    if (result)
      result.numerator = -result.numerator;
  } else {
    result = parsePower();
  }
  --depth;
  return result;
}

Fraction DimParser::parsePower() {
  Fraction base = parsePrimary();
  if (!base || !consume("**"))
    return base;
  Fraction exponent = parseUnary();
  Expr integer = toInteger(base);
  std::optional<int64_t> power = exponent && exponent.denominator == 1
                                     ? exponent.numerator.asInt64()
                                     : std::nullopt;
  constexpr int64_t largestPower = 16;
  if (!integer || !power || *power < 0 || *power > largestPower)
    return {};
  return make(arena.pow(integer, *power), 1);
}

Fraction DimParser::parsePrimary() {
  rest = rest.ltrim();
  if (consume("(")) {
    Fraction inner = parseSum();
    return consume(")") ? inner : Fraction();
  }
  if (rest.empty())
    return {};
  if (llvm::isDigit(rest[0])) {
    StringRef digits = rest.take_while(llvm::isDigit);
    int64_t value;
    if (digits.getAsInteger(10, value))
      return {};
    rest = rest.drop_front(digits.size());
    return make(arena.constant(value), 1);
  }
  if (!startsDimName(rest[0]))
    return {};
  StringRef word = rest.take_while(continuesDimName);
  rest = rest.drop_front(word.size());
  if (consume("("))
    return parseCall(word);
  return make(name(word), 1);
}

Fraction DimParser::parseCall(StringRef function) {
  SmallVector<Fraction> operands;
  do {
    operands.push_back(parseSum());
    if (!operands.back())
      return {};
  } while (consume(","));
  if (!consume(")"))
    return {};
  std::string lower = function.lower();
  size_t count = operands.size();
  Fraction one{arena.one(), 1};
  if (count == 1 && lower == "floor")
    return floorOf(operands[0], one, /*up=*/false);
  if (count == 1 && (lower == "ceil" || lower == "ceiling"))
    return floorOf(operands[0], one, /*up=*/true);
  SmallVector<Expr> integers;
  for (const Fraction &operand : operands) {
    integers.push_back(toInteger(operand));
    if (!integers.back())
      return {};
  }
  if (count == 2 && lower == "mod")
    return make(arena.mod(integers[0], integers[1]), 1);
  if (lower == "max")
    return make(arena.max(integers), 1);
  if (lower == "min")
    return make(arena.min(integers), 1);
  return {};
}

Expr mlir::symshape::onnx::parseDimText(
    ExprArena &arena, StringRef text,
    llvm::function_ref<Expr(StringRef)> name) {
  return DimParser(arena, text, name).parse();
}

//===----------------------------------------------------------------------===//
// Printer
//===----------------------------------------------------------------------===//

namespace {
class DimPrinter {
public:
  DimPrinter(llvm::function_ref<std::string(StringRef)> name,
             llvm::function_ref<bool(Expr, Expr)> isBroadcast)
      : name(name), isBroadcast(isBroadcast) {}

  std::string print(Expr e);
  bool isTooLong = false; ///< what `print` returned is not whole

private:
  std::string print(Atom atom);
  /// As an operand of `*`, `//` and `**`.
  std::string printOperand(Expr e);
  std::string printBroadcast(ArrayRef<Expr> operands);
  std::string printCall(StringRef function, ArrayRef<Expr> operands);

  llvm::function_ref<std::string(StringRef)> name;
  llvm::function_ref<bool(Expr, Expr)> isBroadcast;
};
} // namespace

std::string DimPrinter::print(Expr e) {
  std::string text;
  for (const Expr::Term &term : e.terms()) {
    llvm::DynamicAPInt size = term.coefficient;
    bool isNegative = size < 0;
    if (isNegative)
      size = -size;
    if (!text.empty())
      text += isNegative ? " - " : " + ";
    else if (isNegative)
      text += "-";
    std::string factors;
    if (size != 1 || term.powers.empty())
      llvm::raw_string_ostream(factors) << size;
    for (auto [atom, power] : term.powers) {
      if (!factors.empty())
        factors += "*";
      factors += print(atom);
      if (power != 1)
        factors += "**" + std::to_string(power);
    }
    text += factors;
  }
  return text.empty() ? "0" : text;
}

std::string DimPrinter::printOperand(Expr e) {
  if (e.asSymbol() || (e.asInt64() && *e.asInt64() >= 0))
    return print(e);
  return "(" + print(e) + ")";
}

std::string DimPrinter::printCall(StringRef function, ArrayRef<Expr> operands) {
  std::string text = function.str() + "(";
  for (auto [i, operand] : llvm::enumerate(operands))
    text += (i ? ", " : "") + print(operand);
  return text + ")";
}

/// bc(a, b) is b if a is 1, else a; a and b are extents, so at least 0.
///
/// Where a == b or one of them is 1, it is Max(a, b)*Min(1, a, b): if one of
/// them is 0 both sides are 0, else it is the larger one; and so of a list in
/// which this holds of each operand and those after it. Otherwise it is
/// a + [a == 1]*(b - 1), and [a == 1] = Min(1, a) - Min(1, Max(0, a - 1)).
std::string DimPrinter::printBroadcast(ArrayRef<Expr> operands) {
  Expr a = operands[0];
  ExprArena &arena = a.arena();
  Expr b = arena.bc(operands.drop_front());
  bool areAll = true;
  for (size_t i = 0; areAll && i + 1 < operands.size(); ++i)
    areAll = isBroadcast(operands[i], arena.bc(operands.drop_front(i + 1)));
  if (areAll) {
    SmallVector<Expr> all(operands);
    std::string most = printCall("Max", all);
    all.insert(all.begin(), arena.one());
    return most + "*" + printCall("Min", all);
  }
  // Each step writes what follows twice.
  if (operands.size() > 4)
    isTooLong = true;
  if (isTooLong)
    return "";
  std::string isOne = "(" + printCall("Min", {arena.one(), a}) + " - Min(1, " +
                      printCall("Max", {arena.zero(), a - 1}) + "))";
  return print(a) + " + " + isOne + "*(" + print(b - 1) + ")";
}

std::string DimPrinter::print(Atom atom) {
  ArrayRef<Expr> operands = atom.operands();
  switch (atom.kind()) {
  case AtomKind::Symbol:
    return name(atom.name());
  case AtomKind::FloorDiv:
    return "(" + printOperand(operands[0]) + "//" + printOperand(operands[1]) +
           ")";
  case AtomKind::Min:
    return printCall("Min", operands);
  case AtomKind::Max:
    return printCall("Max", operands);
  case AtomKind::Bc:
    return "(" + printBroadcast(operands) + ")";
  case AtomKind::Named: {
    std::string text = "(";
    for (auto [i, operand] : llvm::enumerate(operands))
      text += (i ? (atom.namedIsProduct() ? "*" : " + ") : "") +
              printOperand(operand);
    return text + ")";
  }
  }
  llvm_unreachable("all kinds are above");
}

std::string mlir::symshape::onnx::printDimText(
    Expr e, llvm::function_ref<std::string(StringRef)> name,
    llvm::function_ref<bool(Expr, Expr)> isBroadcast) {
  constexpr unsigned largest = 256; // in numbers and factors
  if (e.size() > largest)
    return "";
  DimPrinter printer(name, isBroadcast);
  std::string text = printer.print(e);
  if (printer.isTooLong)
    return "";
  // One pair of parentheses around everything is redundant.
  if (e.asAtom() && text.front() == '(')
    return text.substr(1, text.size() - 2);
  return text;
}
