//===- Formula.cpp - Boolean combinations of relations --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Building formulas in canonical form, and deciding, assuming and simplifying
// them over a constraint set.
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/Formula.h"
#include "symshape/Expr/ExprParser.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

Formula Formula::truth(bool value) {
  Formula f;
  f.kind = value ? True : False;
  return f;
}

bool Formula::operator==(const Formula &o) const {
  if (kind != o.kind)
    return false;
  if (kind == Literal)
    return relation == o.relation && negated == o.negated;
  return parts == o.parts;
}

/// A formula with more relations, or with alternatives of conjunctions nested
/// more deeply, says nothing: copies of it would cost more than it decides.
static constexpr size_t maxRelations = 4096, maxNesting = 1000;

/// How many relations `f` has, and how deeply its parts are nested.
static std::pair<size_t, size_t> measure(const Formula &f) {
  std::pair<size_t, size_t> result(f.parts.empty(), 0);
  for (const Formula &part : f.parts) {
    auto [relations, nesting] = measure(part);
    result.first += relations;
    result.second = std::max(result.second, nesting + 1);
  }
  return result;
}

/// And or Or of two formulas; `unit` leaves the other as it is, `zero` wins.
static Formula combine(Formula::Kind kind, const Formula &a, const Formula &b) {
  Formula::Kind unit = kind == Formula::And ? Formula::True : Formula::False;
  Formula::Kind zero = kind == Formula::And ? Formula::False : Formula::True;
  if (a.kind == zero || b.kind == unit)
    return a;
  if (b.kind == zero || a.kind == unit)
    return b;
  Formula f;
  f.kind = kind;
  for (const Formula *side : {&a, &b}) {
    llvm::ArrayRef<Formula> added = *side;
    if (side->kind == kind)
      added = side->parts;
    for (const Formula &part : added)
      if (!llvm::is_contained(f.parts, part))
        f.parts.push_back(part);
  }
  if (f.parts.size() == 1) {
    Formula only = f.parts[0];
    return only;
  }
  if (auto [relations, nesting] = measure(f);
      relations > maxRelations || nesting > maxNesting)
    return Formula::opaque();
  return f;
}

Formula Formula::conj(const Formula &a, const Formula &b) {
  return combine(And, a, b);
}
Formula Formula::disj(const Formula &a, const Formula &b) {
  return combine(Or, a, b);
}

Formula Formula::negate(const Formula &f) {
  switch (f.kind) {
  case True:
  case False:
    return truth(f.kind == False);
  case Opaque:
    return f;
  case Literal: {
    if (std::optional<Relation> negation = f.relation.negation())
      return *negation;
    Formula result = f;
    result.negated = !f.negated;
    return result;
  }
  case And:
  case Or: {
    Formula result = truth(f.kind == And ? false : true);
    for (const Formula &part : f.parts)
      result = f.kind == And ? disj(result, negate(part))
                             : conj(result, negate(part));
    return result;
  }
  }
  return f;
}

bool Formula::hasOpaque() const {
  return kind == Opaque ||
         llvm::any_of(parts, [](const Formula &f) { return f.hasOpaque(); });
}

Formula Formula::substitute(llvm::function_ref<Expr(Expr symbol)> map) const {
  if (kind == Literal) {
    Formula result = *this;
    result.relation = relation.substitute(map);
    return result;
  }
  if (kind != And && kind != Or)
    return *this;
  Formula result = truth(kind == And);
  for (const Formula &part : parts)
    result = combine(kind, result, part.substitute(map));
  return result;
}

/// Appends those that are not there yet.
static void collectSymbols(const Formula &f,
                           llvm::SmallVectorImpl<Expr> &symbols) {
  if (f.isLiteral())
    for (Expr side : {f.relation.lhs, f.relation.rhs})
      side.arena().collectSymbols(side, symbols);
  for (const Formula &part : f.parts)
    collectSymbols(part, symbols);
}

llvm::SmallVector<Expr, 4> Formula::symbols() const {
  llvm::SmallVector<Expr, 4> symbols;
  collectSymbols(*this, symbols);
  return symbols;
}

void Formula::print(llvm::raw_ostream &os) const {
  switch (kind) {
  case True:
    os << "true";
    return;
  case False:
    os << "false";
    return;
  case Opaque:
    os << '?';
    return;
  case Literal:
    if (negated)
      os << "not ";
    relation.print(os);
    return;
  case And:
  case Or:
    llvm::interleave(
        parts, os,
        [&](const Formula &part) {
          bool isNested = part.kind == And || part.kind == Or;
          if (isNested)
            os << '(';
          part.print(os);
          if (isNested)
            os << ')';
        },
        kind == And ? " and " : " or ");
    return;
  }
}

std::string Formula::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

bool Formula::isWritable() const {
  return kind == Literal ||
         ((kind == And || kind == Or) &&
          llvm::all_of(parts, [](const Formula &f) { return f.isWritable(); }));
}

/// The offsets of parentheses around formulas: those of an expression hold no
/// relation.
static llvm::DenseSet<size_t> findFormulas(llvm::StringRef text) {
  llvm::DenseSet<size_t> found;
  llvm::SmallVector<size_t> open;
  bool isQuoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    isQuoted ^= text[i] == '"';
    if (isQuoted)
      continue;
    if (text[i] == '(')
      open.push_back(i);
    else if (text[i] == ')' && !open.empty())
      open.pop_back();
    else if (text.substr(i).starts_with(":=")) // names a part
      ++i;
    else if (llvm::StringRef("=<>|").contains(text[i]))
      for (; !open.empty() && found.insert(open.back()).second;)
        open.pop_back();
  }
  return found;
}

namespace {
/// A formula that is being read: the whole text, or what parentheses hold.
struct OpenFormula {
  bool isNegated = false; ///< as a part of the one around it
  bool isAnd = false;
  std::optional<Formula> read;
};
} // namespace

static std::optional<Formula> parseFormula(ExprParser &parser) {
  llvm::DenseSet<size_t> formulas =
      findFormulas(parser.rest()); // from offset 0
  llvm::SmallVector<OpenFormula, 4> open(1);
  while (true) {
    parser.skipBlanks();
    bool isNegated = parser.consumeWord("not");
    parser.skipBlanks();
    if (formulas.contains(parser.offset())) {
      parser.consume("(");
      open.emplace_back().isNegated = isNegated;
      continue;
    }
    std::optional<Relation> relation = parser.parseRelation();
    if (!relation)
      return std::nullopt;
    Formula part = *relation;
    for (bool isMore = false; !isMore;) {
      if (isNegated)
        part = Formula::negate(part);
      OpenFormula &inner = open.back();
      bool isFirst = !inner.read;
      inner.read = isFirst       ? std::move(part)
                   : inner.isAnd ? Formula::conj(*inner.read, part)
                                 : Formula::disj(*inner.read, part);
      bool mayAnd = isFirst || inner.isAnd, mayOr = isFirst || !inner.isAnd;
      isMore = mayAnd && parser.consumeWord("and");
      if (isFirst)
        inner.isAnd = isMore;
      isMore = isMore || (mayOr && parser.consumeWord("or"));
      if (isMore)
        break;
      if (open.size() == 1)
        return std::move(inner.read);
      if (!parser.consume(")")) {
        parser.expected("')'");
        return std::nullopt;
      }
      part = std::move(*inner.read);
      isNegated = inner.isNegated;
      open.pop_back();
    }
  }
}

std::optional<Formula> Formula::parse(ExprArena &arena, llvm::StringRef text,
                                      ParseError &error) {
  ExprParser parser(arena, text);
  std::optional<Formula> formula = parseFormula(parser);
  parser.skipBlanks();
  if (formula && formula->hasOpaque()) {
    parser.fail(0, "expected at most " + llvm::Twine(maxRelations) +
                       " relations, nested at most " + llvm::Twine(maxNesting) +
                       " deep");
    formula = std::nullopt;
  }
  if (formula && !parser.atEnd()) {
    parser.expected("an operator or end of text");
    formula = std::nullopt;
  }
  if (!formula)
    error = parser.error();
  return formula;
}

std::optional<bool> Formula::evaluate(
    llvm::function_ref<std::optional<llvm::DynamicAPInt>(Expr)> value) const {
  if (kind == True || kind == False)
    return kind == True;
  if (kind == Opaque)
    return std::nullopt;
  if (kind == Literal) {
    std::optional<bool> holds = relation.evaluate(value);
    return holds ? std::optional(*holds != negated) : std::nullopt;
  }
  // A part that decides does so even if another is undefined.
  bool decisive = kind == Or;
  bool isUndefined = false;
  for (const Formula &part : parts) {
    std::optional<bool> holds = part.evaluate(value);
    if (holds == decisive)
      return decisive;
    isUndefined |= !holds;
  }
  return isUndefined ? std::nullopt : std::optional(!decisive);
}

//===----------------------------------------------------------------------===//
// Over a constraint set
//===----------------------------------------------------------------------===//

/// Forgets facts that were assumed on trial only.
static Answer withoutTrialFacts(Answer answer, size_t numFacts) {
  llvm::erase_if(answer.facts, [&](FactId id) { return id >= numFacts; });
  return answer;
}

static void addFacts(Answer &to, const Answer &from) {
  for (FactId id : from.facts)
    if (!llvm::is_contained(to.facts, id))
      to.facts.push_back(id);
}

static Answer contradiction(const ConstraintSet &set) {
  Expr zero = set.arena().zero();
  return set.prove(Relation::eq(zero, zero));
}

static Answer proveLiteral(ConstraintSet &set, const Formula &f) {
  Answer answer = set.prove(f.relation);
  if (f.negated && !set.isContradictory()) {
    if (answer.isYes())
      answer.verdict = Verdict::No;
    else if (answer.isNo())
      answer.verdict = Verdict::Yes;
    else
      answer.reason = "not " + answer.reason;
  }
  return answer;
}

/// Yes if all parts are; No if one is, or if together they contradict.
static Answer proveAll(ConstraintSet &set, const Formula &f) {
  Answer all{Verdict::Yes, {}, "all parts"}, unknown;
  bool isUnknown = false;
  for (const Formula &part : f.parts) {
    Answer answer = prove(set, part);
    if (answer.isNo())
      return answer;
    if (!answer.isYes() && !isUnknown) {
      isUnknown = true;
      unknown = answer;
    }
    addFacts(all, answer);
  }
  if (!isUnknown)
    return all;
  size_t numFacts = set.numFacts();
  set.push();
  for (const Formula &part : f.parts)
    assume(set, part);
  bool conflict = set.isContradictory();
  Answer reason = contradiction(set);
  set.pop();
  if (!conflict)
    return unknown;
  reason.verdict = Verdict::No;
  return withoutTrialFacts(reason, numFacts);
}

/// Whether `f` bounds one symbol by a number.
static bool isBound(const Formula &f) {
  if (!f.isLiteral() || f.relation.kind != Relation::Le)
    return false;
  const Relation &r = f.relation;
  return (r.lhs.asSymbol() && r.rhs.isConstant()) ||
         (r.rhs.asSymbol() && r.lhs.isConstant());
}

/// Whether `parts[i]` follows from the negation of the others, of which those
/// that are refuted add nothing.
static Answer proveInPlaceOfOthers(ConstraintSet &set,
                                   llvm::ArrayRef<Formula> parts,
                                   const llvm::BitVector &isRefuted, size_t i) {
  size_t numFacts = set.numFacts();
  set.push();
  for (auto [j, other] : llvm::enumerate(parts))
    if (!isRefuted[j] && !(other == parts[i]))
      assume(set, Formula::negate(other));
  Answer answer = prove(set, parts[i]);
  set.pop();
  return withoutTrialFacts(answer, numFacts);
}

/// Yes when a part is, also under the negation of the others; No when all are.
/// Most disjunctions say that something holds unless one of many extents is 0.
/// If the others are unknown, bounds are not asked: their negations are assumed
/// for the others, and contradict the facts if these imply the bound.
static Answer proveAny(ConstraintSet &set, const Formula &f) {
  Answer none{Verdict::No, {}, "all parts"}, unknown;
  llvm::SmallVector<size_t> others, bounds;
  for (auto [i, part] : llvm::enumerate(f.parts))
    (isBound(part) ? bounds : others).push_back(i);
  llvm::SmallVector<size_t> unknowns;
  llvm::BitVector isRefuted(f.parts.size());
  for (auto *indices : {&others, &bounds}) {
    if (!unknowns.empty())
      break;
    for (size_t i : *indices) {
      Answer answer = prove(set, f.parts[i]);
      if (answer.isYes())
        return answer;
      if (!answer.isNo()) {
        if (unknowns.empty())
          unknown = answer;
        unknowns.push_back(i);
      } else {
        isRefuted.set(i);
      }
      addFacts(none, answer);
    }
  }
  if (unknowns.empty())
    return none;
  unknown.reason = f.str();
  for (size_t i : unknowns)
    if (Answer answer = proveInPlaceOfOthers(set, f.parts, isRefuted, i);
        answer.isYes())
      return answer;
  return unknown;
}

Answer mlir::symshape::prove(ConstraintSet &set, const Formula &f) {
  if (set.isContradictory())
    return contradiction(set);
  switch (f.kind) {
  case Formula::True:
    return {Verdict::Yes, {}, "canonical form"};
  case Formula::False:
    return {Verdict::No, {}, "canonical form"};
  case Formula::Opaque:
    return {Verdict::Unknown, {}, "a condition that is not a relation"};
  case Formula::Literal:
    return proveLiteral(set, f);
  case Formula::And:
    return proveAll(set, f);
  case Formula::Or:
    return proveAny(set, f);
  }
  return {};
}

void mlir::symshape::assume(ConstraintSet &set, const Formula &f) {
  ExprArena &arena = set.arena();
  switch (f.kind) {
  case Formula::True:
  case Formula::Opaque:
    return;
  case Formula::False:
    set.assume(Relation::eq(arena.zero(), arena.one()));
    return;
  case Formula::Literal: {
    if (!f.negated) {
      set.assume(f.relation);
      return;
    }
    // Not d | e, for a literal d other than 0: e mod d is not 0.
    std::optional<llvm::DynamicAPInt> d = f.relation.lhs.asConstant();
    if (d && *d != 0)
      set.assume(Relation::ne(arena.mod(f.relation.rhs, f.relation.lhs),
                              arena.zero()));
    return;
  }
  case Formula::And:
    for (const Formula &part : f.parts)
      assume(set, part);
    return;
  case Formula::Or:
    break;
  }
  if (set.isContradictory())
    return;
  const Formula *left = nullptr;
  for (const Formula &part : f.parts) {
    if (prove(set, part).isNo())
      continue;
    if (left)
      return;
    left = &part;
  }
  assume(set, left ? *left : Formula::truth(false));
}

Formula mlir::symshape::simplify(ConstraintSet &set, const Formula &f) {
  Answer answer = prove(set, f);
  if (answer.verdict != Verdict::Unknown)
    return Formula::truth(answer.isYes());
  if (f.kind != Formula::And && f.kind != Formula::Or)
    return f;
  Formula result = Formula::truth(f.kind == Formula::And);
  for (const Formula &part : f.parts)
    result = combine(f.kind, result, simplify(set, part));
  return result;
}

Formula
mlir::symshape::knownPart(const Formula &f,
                          llvm::function_ref<bool(const Formula &)> isKnown) {
  if (f.kind == Formula::And) {
    Formula result = Formula::truth(true);
    for (const Formula &part : f.parts)
      result = Formula::conj(result, knownPart(part, isKnown));
    return result;
  }
  return !f.hasOpaque() && isKnown(f) ? f : Formula::truth(true);
}
