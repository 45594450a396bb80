//===- ExprPrinter.cpp - Expressions as text ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what the parser reads back as the same expression: coefficient first,
// constant last, `floordiv` in parentheses inside products. In a large
// expression, what occurs more than once is named where it occurs first.
//
//===----------------------------------------------------------------------===//

#include "symshape/Expr/ExprPrinter.h"

#include "ExprNodes.h"
#include "symshape/Expr/ExprParser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>

using namespace mlir::symshape;

/// From so many numbers and factors on, what occurs again gets a name.
static constexpr unsigned leastShared = 4096;

/// The atoms that occur more than once in `e`, counting the text of each only
/// once.
static llvm::DenseSet<Atom> findShared(Expr e) {
  llvm::DenseSet<Atom> seen, shared;
  SmallVector<Expr> open{e};
  while (!open.empty())
    for (const Expr::Term &term : open.pop_back_val().terms())
      for (auto [atom, power] : term.powers) {
        if (atom.kind() == AtomKind::Symbol)
          continue;
        bool isNew = seen.insert(atom).second;
        if (isNew)
          open.append(atom.operands().begin(), atom.operands().end());
        if (!isNew || power > 1)
          shared.insert(atom);
      }
  return shared;
}

namespace {
/// Writes from a list of what is left to be written, so that no depth is too
/// large.
class Printer {
public:
  Printer(llvm::raw_ostream &os, unsigned most) : os(os), most(most) {}

  void print(Expr e) {
    if (e.size() > leastShared)
      shared = findShared(e);
    pushSum(e);
    while (!open.empty()) {
      Item item = open.pop_back_val();
      if (!item.text.empty())
        os << item.text;
      else if (item.atom)
        printAtom(item.atom, item.isAlone);
      else
        printTerm(item.sum, item.term);
    }
  }

private:
  /// What is left: a text, an atom, or a sum from a term on.
  struct Item {
    StringRef text;
    Atom atom;
    bool isAlone = false;
    Expr sum;
    size_t term = 0;
  };

  void pushText(StringRef text) { open.push_back({text, {}, false, {}, 0}); }
  void pushAtom(Atom atom, bool isAlone) {
    open.push_back({"", atom, isAlone, {}, 0});
  }
  void pushSum(Expr e) {
    if (e.terms().empty())
      pushText("0");
    else
      open.push_back({"", {}, false, e, 0});
  }

  /// A term with its sign. A unary minus before it binds tighter than
  /// `floordiv`; a binary one does not.
  void printTerm(Expr sum, size_t number) {
    const Expr::Term &term = sum.terms()[number];
    bool isFirst = number == 0, isNegative = term.coefficient < 0;
    if (written > most) {
      os << (isFirst ? "..." : " + ...");
      return;
    }
    if (!isFirst)
      os << (isNegative ? " - " : " + ");
    else if (isNegative)
      os << '-';
    if (number + 1 < sum.terms().size())
      open.push_back({"", {}, false, sum, number + 1});
    DynamicAPInt magnitude = abs(term.coefficient);
    bool isAlone = magnitude == 1 && term.powers.size() == 1 &&
                   term.powers[0].second == 1 && !(isFirst && isNegative);
    if (term.powers.empty() || magnitude != 1) {
      os << magnitude;
      if (!term.powers.empty())
        os << '*';
    }
    ++written;
    for (auto [i, factor] : llvm::enumerate(llvm::reverse(term.powers)))
      for (unsigned times = factor.second; times > 0; --times) {
        pushAtom(factor.first, isAlone);
        if (i + 1 < term.powers.size() || times > 1)
          pushText("*");
      }
  }

  /// An operand of floordiv: bare when it is one atom or a literal >= 0.
  void pushFactor(Expr e) {
    std::optional<DynamicAPInt> literal = e.asConstant();
    if (Atom atom = e.asAtom())
      return pushAtom(atom, /*isAlone=*/false);
    bool isBare = literal && *literal >= 0;
    if (!isBare)
      pushText(")");
    pushSum(e);
    if (!isBare)
      pushText("(");
  }

  void pushOperands(Atom atom, StringRef open, StringRef separator,
                    StringRef close) {
    pushText(close);
    for (auto [i, e] : llvm::enumerate(llvm::reverse(atom.operands()))) {
      if (i > 0)
        pushText(separator);
      pushSum(e);
    }
    pushText(open);
  }

  void printAtom(Atom atom, bool isAlone) {
    if (written > most) {
      os << "...";
      return;
    }
    ++written;
    if (shared.contains(atom)) {
      auto [it, isNew] = names.try_emplace(atom, names.size() + 1);
      if (!isNew) {
        os << '@' << it->second;
        return;
      }
      os << "(@" << it->second << " := ";
      pushText(")");
      isAlone = true;
    }
    switch (atom.kind()) {
    case AtomKind::Symbol:
      if (isBareName(atom.name()))
        os << atom.name();
      else
        os << '"' << atom.name() << '"';
      return;
    case AtomKind::FloorDiv:
      if (!isAlone)
        pushText(")");
      pushFactor(atom.operands()[1]);
      pushText(" floordiv ");
      pushFactor(atom.operands()[0]);
      if (!isAlone)
        pushText("(");
      return;
    case AtomKind::Min:
      return pushOperands(atom, "min(", ", ", ")");
    case AtomKind::Max:
      return pushOperands(atom, "max(", ", ", ")");
    case AtomKind::Bc:
      return pushOperands(atom, "bc(", ", ", ")");
    case AtomKind::Named:
      return pushOperands(atom, "((", atom.namedIsProduct() ? ")*(" : ") + (",
                          "))");
    }
  }

  llvm::raw_ostream &os;
  unsigned most;
  unsigned written = 0; ///< numbers and factors so far
  SmallVector<Item> open;
  llvm::DenseSet<Atom> shared;
  llvm::DenseMap<Atom, unsigned> names; ///< of those that were written
};
} // namespace

void mlir::symshape::printShortened(Expr e, llvm::raw_ostream &os,
                                    unsigned most) {
  Printer(os, most).print(e);
}

void Expr::print(llvm::raw_ostream &os) const {
  if (!node)
    os << "<null>";
  else
    printShortened(*this, os, std::numeric_limits<unsigned>::max());
}

std::string Expr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}
