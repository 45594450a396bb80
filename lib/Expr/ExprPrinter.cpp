//===- ExprPrinter.cpp - Expressions as text ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what the parser reads back as the same expression: coefficient first,
// constant last, `floordiv` in parentheses inside products. Text beyond a
// certain length or depth ends in an ellipsis.
//
//===----------------------------------------------------------------------===//

#include "symshape/Expr/ExprPrinter.h"

#include "ExprNodes.h"
#include "symshape/Expr/ExprParser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::symshape;

namespace {
class Printer {
public:
  Printer(llvm::raw_ostream &os, unsigned most) : os(os), most(most) {}

  void sum(Expr e, unsigned level) {
    if (e.terms().empty())
      os << '0';
    bool isFirst = true;
    for (const Expr::Term &term : e.terms()) {
      bool isNegative = term.coefficient < 0;
      if (written > most) {
        os << (isFirst ? "..." : " + ...");
        return;
      }
      if (!isFirst)
        os << (isNegative ? " - " : " + ");
      else if (isNegative)
        os << '-';
      product(term, isFirst && isNegative, level);
      isFirst = false;
    }
  }

private:
  /// The term without its sign. A unary minus before it binds tighter than
  /// `floordiv`; a binary one does not.
  void product(const Expr::Term &term, bool afterUnaryMinus, unsigned level) {
    DynamicAPInt magnitude = abs(term.coefficient);
    bool isAlone = magnitude == 1 && term.powers.size() == 1 &&
                   term.powers[0].second == 1 && !afterUnaryMinus;
    if (term.powers.empty() || magnitude != 1) {
      os << magnitude;
      if (!term.powers.empty())
        os << '*';
    }
    ++written;
    bool isFirst = true;
    for (auto [atom, power] : term.powers)
      for (unsigned i = 0; i < power; ++i) {
        if (!isFirst)
          os << '*';
        isFirst = false;
        printAtom(atom, isAlone, level);
        if (written > most)
          return;
      }
  }

  /// An operand of floordiv: bare when it is one atom or a literal >= 0.
  void factor(Expr e, unsigned level) {
    std::optional<DynamicAPInt> literal = e.asConstant();
    if (Atom atom = e.asAtom()) {
      printAtom(atom, /*isAlone=*/false, level);
    } else if (literal && *literal >= 0) {
      os << *literal;
    } else {
      os << '(';
      sum(e, level);
      os << ')';
    }
  }

  void call(StringRef name, ArrayRef<Expr> operands, unsigned level) {
    os << name << '(';
    llvm::interleaveComma(operands, os, [&](Expr e) { sum(e, level); });
    os << ')';
  }

  void named(Atom atom, unsigned level) {
    os << '(';
    llvm::interleave(
        atom.operands(), os,
        [&](Expr e) {
          os << '(';
          sum(e, level);
          os << ')';
        },
        atom.namedIsProduct() ? "*" : " + ");
    os << ')';
  }

  void printAtom(Atom atom, bool isAlone, unsigned level) {
    if (level > Expr::maxDepth || written > most) {
      os << "...";
      return;
    }
    ++written;
    switch (atom.kind()) {
    case AtomKind::Symbol:
      if (isBareName(atom.name()))
        os << atom.name();
      else
        os << '"' << atom.name() << '"';
      return;
    case AtomKind::FloorDiv:
      if (!isAlone)
        os << '(';
      factor(atom.operands()[0], level + 1);
      os << " floordiv ";
      factor(atom.operands()[1], level + 1);
      if (!isAlone)
        os << ')';
      return;
    case AtomKind::Min:
      return call("min", atom.operands(), level + 1);
    case AtomKind::Max:
      return call("max", atom.operands(), level + 1);
    case AtomKind::Bc:
      return call("bc", atom.operands(), level + 1);
    case AtomKind::Named:
      return named(atom, level + 1);
    }
  }

  llvm::raw_ostream &os;
  unsigned most;
  unsigned written = 0; ///< numbers and factors so far
};
} // namespace

void mlir::symshape::printShortened(Expr e, llvm::raw_ostream &os,
                                    unsigned most) {
  Printer(os, most).sum(e, 0);
}

void Expr::print(llvm::raw_ostream &os) const {
  if (!node)
    os << "<null>";
  else
    printShortened(*this, os, Expr::maxSize);
}

std::string Expr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}
