//===- PythonConditions.cpp - Conditions as Python evaluates them ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python's `//` rounds to minus infinity and its `%` has the sign of the
// divisor, as in our expressions, so these are spelled as they are.
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/PythonConditions.h"
#include "symshape/Constraints/OneNumber.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// An identifier that is no keyword and was not given before.
std::string PythonConditions::makeIdentifier(std::string text) {
  static const llvm::StringSet<> words = {
      "False",  "None",   "True",    "and",      "as",       "assert", "async",
      "await",  "break",  "class",   "continue", "def",      "del",    "elif",
      "else",   "except", "finally", "for",      "from",     "global", "if",
      "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
      "pass",   "raise",  "return",  "try",      "while",    "with",   "yield",
      "max",    "min"}; // the last two are called
  for (char &c : text)
    if (!llvm::isAlnum(c))
      c = '_';
  if (text.empty() || llvm::isDigit(text.front()))
    text.insert(0, "_");
  if (words.contains(text))
    text += '_';
  std::string name = text;
  for (unsigned n = 1; !taken.insert(name).second; ++n)
    name = text + "_" + std::to_string(n);
  return name;
}

std::string PythonConditions::nameOf(Expr symbol) {
  auto [it, isNew] = known.try_emplace(symbol);
  if (!isNew)
    return it->second.name;
  Name name;
  std::string base = "v";
  if (isWritten(*symbol.asSymbol())) {
    base = symbol.asSymbol()->str();
    name.text = symbol.str(); // with quotes where a sentence has them
  }
  const SymbolDef *def = shapes.definition(symbol);
  bool isDim = def && def->kind == SymbolDef::Dim;
  auto argument = isDim ? dyn_cast<BlockArgument>(def->value) : nullptr;
  if (argument && argument.getOwner()->getParentOp() == shapes.function()) {
    name.argument = argument.getArgNumber();
    name.dim = def->dim;
    std::string input = shapes.spellingOfArgument(*name.argument);
    std::string dim = "dim" + std::to_string(name.dim);
    if (name.text.empty()) {
      base = (StringRef(input).ltrim('%') + "_" + dim).str();
      name.text = shapes.arena().symbol(input + "." + dim).str();
    }
  } else {
    name.origin = (isDim ? "extent of " : "") + shapes.describeSymbol(symbol);
  }
  name.name = makeIdentifier(std::move(base));
  known[symbol] = name;
  return name.name;
}

std::vector<PythonConditions::Name> PythonConditions::names() const {
  std::vector<Name> all;
  for (const auto &entry : known)
    all.push_back(entry.second);
  return all;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

std::string PythonConditions::spellList(ArrayRef<Expr> operands) {
  std::string text = "(";
  for (auto [i, operand] : llvm::enumerate(operands))
    text += (i ? ", " : "") + spell(operand, /*isWhole=*/true);
  return text + ")";
}

/// The first that is not 1; the last one if all are. Writes operands twice, so
/// that the text of one inside another doubles.
std::string PythonConditions::spellBroadcast(ArrayRef<Expr> operands) {
  constexpr size_t longest = 1 << 16;
  std::string text = spell(operands.back(), /*isWhole=*/false);
  for (Expr operand : llvm::reverse(operands.drop_back())) {
    std::string first = spell(operand, /*isWhole=*/false);
    text = "(" + text + " if " + first + " == 1 else " + first + ")";
  }
  isTooLong |= text.size() > longest;
  return isTooLong ? "0" : text;
}

std::string PythonConditions::spell(Atom atom) {
  ArrayRef<Expr> operands = atom.operands();
  switch (atom.kind()) {
  case AtomKind::Symbol:
    return nameOf(atom.asExpr());
  case AtomKind::FloorDiv:
    return "(" + spell(operands[0], /*isWhole=*/false) + " // " +
           spell(operands[1], /*isWhole=*/false) + ")";
  case AtomKind::Min:
    return "min" + spellList(operands);
  case AtomKind::Max:
    return "max" + spellList(operands);
  case AtomKind::Bc:
    return spellBroadcast(operands);
  case AtomKind::Named: {
    std::string text;
    for (Expr operand : operands)
      text += (text.empty()            ? ""
               : atom.namedIsProduct() ? "*"
                                       : " + ") +
              spell(operand, /*isWhole=*/false);
    return "(" + text + ")";
  }
  }
  llvm_unreachable("all kinds are above");
}

/// Without the sign of its coefficient.
std::string PythonConditions::spell(const Expr::Term &term) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::DynamicAPInt number = llvm::abs(term.coefficient);
  StringRef separator;
  if (number != 1 || term.powers.empty()) {
    os << number;
    separator = "*";
  }
  for (auto [atom, power] : term.powers) {
    os << separator << spell(atom);
    if (power > 1)
      os << "**" << power;
    separator = "*";
  }
  return text;
}

/// With parentheses around several terms or a sign, unless it stands alone.
std::string PythonConditions::spell(Expr e, bool isWhole) {
  std::string text;
  size_t count = 0;
  bool isSigned = false;
  for (const Expr::Term &term : e.terms()) {
    bool isNegative = term.coefficient < 0;
    isSigned |= isNegative;
    text += count++ ? (isNegative ? " - " : " + ") : (isNegative ? "-" : "");
    text += spell(term);
  }
  if (count == 0)
    return "0";
  bool isClosed = count == 1 && !isSigned && (e.isConstant() || e.asAtom());
  return isWhole || isClosed ? text : "(" + text + ")";
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// 0 divides 0 alone.
std::string PythonConditions::spellDivides(const Formula &f) {
  Expr divisor = f.relation.lhs;
  StringRef sign = f.negated ? " != 0" : " == 0";
  std::string number = spell(f.relation.rhs, /*isWhole=*/false);
  if (divisor.isConstant(0))
    return (number + sign).str();
  std::string by = spell(divisor, /*isWhole=*/false);
  std::string isMultiple = (number + " % " + by + sign).str();
  if (divisor.isConstant())
    return isMultiple;
  return ("(" + number + sign + " if " + by + " == 0 else " + isMultiple + ")")
      .str();
}

std::string PythonConditions::spellPart(const Formula &f, bool isInner) {
  switch (f.kind) {
  case Formula::True:
    return "True";
  case Formula::False:
  case Formula::Opaque: // not asked of those
    return "False";
  case Formula::Literal: {
    if (f.relation.kind == Relation::Divides)
      return spellDivides(f);
    if (auto run = readResidueRun(f))
      return spell(run->dividend, /*isWhole=*/false) + " % " +
             std::to_string(run->modulus) + " <= " + std::to_string(run->most);
    Expr lhs = f.relation.lhs, rhs = f.relation.rhs;
    StringRef sign = f.relation.kind == Relation::Eq   ? "=="
                     : f.relation.kind == Relation::Ne ? "!="
                                                       : "<=";
    if (auto sides = readInequality(f))
      std::tie(lhs, sign, rhs) =
          std::tuple(sides->lhs, sides->sign, sides->rhs);
    else if (lhs.isConstant() && f.relation.kind != Relation::Le)
      std::swap(lhs, rhs);
    return (spell(lhs, /*isWhole=*/true) + " " + sign + " " +
            spell(rhs, /*isWhole=*/true))
        .str();
  }
  case Formula::And:
  case Formula::Or:
    break;
  }
  std::string text;
  for (const Formula &part : f.parts)
    text += (text.empty()             ? ""
             : f.kind == Formula::And ? " and "
                                      : " or ") +
            spellPart(part, /*isInner=*/true);
  return isInner ? "(" + text + ")" : text;
}

/// In numbers and factors, saturating.
static uint64_t measure(const Formula &f) {
  if (f.isLiteral())
    return uint64_t(f.relation.lhs.size()) + f.relation.rhs.size();
  uint64_t size = 0;
  for (const Formula &part : f.parts)
    size += measure(part);
  return size;
}

std::optional<std::string> PythonConditions::spell(const Formula &condition) {
  constexpr uint64_t largest = 4096; // each may be written several times
  if (condition.hasOpaque() || measure(condition) > largest)
    return std::nullopt;
  Formula plain =
      makePlain(shapes, condition.substitute([&](Expr symbol) -> Expr {
        const SymbolDef *def = shapes.definition(symbol);
        return def && def->kind == SymbolDef::Solved ? def->solution : Expr();
      }));
  if (measure(plain) > largest)
    return std::nullopt;
  isTooLong = false;
  std::string text = spellPart(plain, /*isInner=*/false);
  return isTooLong ? std::nullopt : std::optional(std::move(text));
}
