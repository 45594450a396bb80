//===- Validity.cpp - For which sizes a function is valid -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Validity.h.
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/Validity.h"
#include "symshape/Constraints/OneNumber.h"
#include "symshape/Constraints/PlainRelation.h"
#include "symshape/IR/Places.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::symshape;

/// In the syntax of Python.
static std::string spellExpr(Expr e) {
  std::string text = e.str();
  auto isNamed = [&](StringRef word) {
    return llvm::any_of(e.symbols(),
                        [&](Expr s) { return s.asSymbol() == word; });
  };
  for (auto [word, sign] :
       {std::pair<StringRef, StringRef>(" floordiv ", " // "),
        {" mod ", " % "}})
    for (size_t at = 0; !isNamed(word.trim()) &&
                        (at = text.find(word, at)) != std::string::npos;)
      text.replace(at, word.size(), sign);
  return text;
}

/// `0 <= difference`, with what is added on one side and what is subtracted on
/// the other.
static PlainInequality arrange(Expr difference) {
  ExprArena &arena = difference.arena();
  Expr added = arena.zero(), taken = arena.zero(), constant = arena.zero();
  for (const Expr::Term &term : difference.terms()) {
    Expr part = arena.fromTerm(term);
    if (term.powers.empty())
      constant = part;
    else if (term.coefficient < 0)
      taken = taken - part;
    else
      added = added + part;
  }
  if (taken.isConstant(0))
    return {added, ">=", arena.zero() - constant};
  if (added.isConstant(0))
    return {taken, "<=", constant};
  if (constant.isConstant(-1))
    return {taken, "<", added};
  return {taken, "<=", added + constant};
}

/// The two operands of an expression that is one atom of this kind.
static std::optional<std::pair<Expr, Expr>> readPair(Expr e, AtomKind kind) {
  Atom atom = e.asAtom();
  if (!atom || atom.kind() != kind || atom.operands().size() != 2)
    return std::nullopt;
  return std::pair(atom.operands()[0], atom.operands()[1]);
}

/// An equation without `min`, `max` and `bc` that says the same as `x == y`;
/// nothing where there is no short one.
static std::optional<Formula> unfold(Expr x, Expr y) {
  Expr one = x.arena().one();
  auto isEqual = [](Expr a, Expr b) { return Formula(Relation::eq(a, b)); };
  if (auto least = readPair(x, AtomKind::Min)) // of x and 1 it is 1
    for (auto [a, b] : {*least, std::pair(least->second, least->first)})
      if (b == y)
        return Formula(Relation::le(y, a));
  if (auto most = readPair(x, AtomKind::Max))
    for (auto [a, b] : {*most, std::pair(most->second, most->first)})
      if (b == y)
        return Formula(Relation::le(a, y));
  auto joined = readPair(x, AtomKind::Bc);
  if (!joined)
    return std::nullopt;
  auto [a, b] = *joined;
  if (b == y)
    return Formula::disj(isEqual(a, b), isEqual(a, one));
  if (readPair(y, AtomKind::Bc) == std::pair(b, a))
    return Formula::disj(Formula::disj(isEqual(a, b), isEqual(a, one)),
                         isEqual(b, one));
  return std::nullopt;
}

/// `2 <= (N + 31) floordiv 32` is `33 <= N`, and `4*(N floordiv 8) <= 7` is
/// `N <= 15`.
static Relation withoutRounding(const Relation &r) {
  ExprArena &arena = r.lhs.arena();
  Expr difference = r.rhs - r.lhs, constant = arena.zero();
  std::optional<Expr::Term> rest;
  for (const Expr::Term &term : difference.terms()) {
    if (term.powers.empty())
      constant = arena.fromTerm(term);
    else if (std::exchange(rest, term))
      return r;
  }
  if (!rest || rest->powers.size() > 1 || rest->powers[0].second > 1)
    return r;
  auto quotient = readPair(rest->powers[0].first.asExpr(), AtomKind::FloorDiv);
  if (!quotient || quotient->second.asInt64().value_or(0) <= 0)
    return r;
  // 0 <= constant + factor * (number floordiv divisor)
  auto [number, divisor] = *quotient;
  Expr factor = arena.constant(rest->coefficient);
  if (rest->coefficient > 0)
    return Relation::ge(number, arena.ceilDiv(-constant, factor) * divisor);
  return Relation::le(
      number, (arena.floorDiv(constant, -factor) + 1) * divisor - arena.one());
}

static Formula withoutAtoms(const Formula &f) {
  if (f.kind == Formula::And || f.kind == Formula::Or) {
    Formula all = Formula::truth(f.kind == Formula::And);
    for (const Formula &part : f.parts)
      all = f.kind == Formula::And ? Formula::conj(all, withoutAtoms(part))
                                   : Formula::disj(all, withoutAtoms(part));
    return all;
  }
  if (!f.isLiteral() || readResidueRun(f))
    return f;
  if (Relation folded = foldMultiple(f.relation); !(folded == f.relation))
    return folded;
  if (f.relation.kind == Relation::Le)
    return withoutRounding(f.relation);
  if (f.relation.kind != Relation::Eq)
    return f;
  auto [lhs, rhs] = std::pair(f.relation.lhs, f.relation.rhs);
  if (auto unfolded = unfold(lhs, rhs))
    return *unfolded;
  if (auto unfolded = unfold(rhs, lhs))
    return *unfolded;
  return f;
}

Formula mlir::symshape::makePlain(FunctionShapes &shapes, const Formula &f) {
  SmallVector<Expr, 4> symbols = f.symbols();
  if (symbols.size() == 1 && shapes.entryFacts().isProvably(Relation::le(
                                 shapes.arena().zero(), symbols.front())))
    if (auto said = sayByClasses(f))
      return withoutAtoms(*said);
  return withoutAtoms(f);
}

std::optional<PlainInequality>
mlir::symshape::readInequality(const Formula &f) {
  if (!f.isLiteral() || f.relation.kind != Relation::Le)
    return std::nullopt;
  Expr difference = f.relation.rhs - f.relation.lhs;
  if (difference.isConstant())
    return std::nullopt;
  return arrange(difference);
}

/// `N in {0, 25..31} mod 32`, and `N % 32 == 4` where it is one residue.
static std::optional<std::string> spellResidues(const Formula &f) {
  std::optional<ResidueSet> set = readResidueSet(f);
  if (!set || set->residues.size() == size_t(set->modulus))
    return std::nullopt;
  ArrayRef<int64_t> residues = set->residues;
  std::string name = spellExpr(set->symbol);
  if (residues.size() == 1 && residues[0] == 0)
    return std::to_string(set->modulus) + " | " + name;
  if (residues.size() == 1)
    return name + " % " + std::to_string(set->modulus) +
           " == " + std::to_string(residues[0]);
  std::string list;
  for (size_t first = 0, last = 0; first < residues.size(); first = last + 1) {
    for (last = first; last + 1 < residues.size() &&
                       residues[last + 1] == residues[last] + 1;)
      ++last;
    list += (first ? ", " : "") + std::to_string(residues[first]);
    if (last > first)
      list += (last > first + 1 ? ".." : ", ") + std::to_string(residues[last]);
  }
  return name + " in {" + list + "} mod " + std::to_string(set->modulus);
}

/// `2 <= N <= 7`.
static std::optional<std::string> spellInterval(const Formula &f) {
  if (f.kind != Formula::And || f.parts.size() != 2)
    return std::nullopt;
  auto least = readInequality(f.parts[0]), most = readInequality(f.parts[1]);
  if (!least || !most || least->sign != ">=" || most->sign != "<=" ||
      least->lhs != most->lhs || !most->rhs.isConstant())
    return std::nullopt;
  return spellExpr(least->rhs) + " <= " + spellExpr(most->lhs) +
         " <= " + spellExpr(most->rhs);
}

/// Makes one of the parts of `or` that are residues, if they can be told as
/// one.
static void joinResidues(SmallVectorImpl<Formula> &parts) {
  Formula joined = Formula::truth(false);
  for (const Formula &part : parts)
    if (readResidueSet(part))
      joined = Formula::disj(joined, part);
  if (joined.kind != Formula::Or || !readResidueSet(joined))
    return;
  llvm::erase_if(parts, [](const Formula &part) {
    return readResidueSet(part).has_value();
  });
  parts.insert(parts.begin(), joined);
}

static std::string spellPart(const Formula &f, bool isInner) {
  if (auto residues = spellResidues(f))
    return *residues;
  if (auto interval = spellInterval(f))
    return *interval;
  if (auto sides = readInequality(f))
    return (spellExpr(sides->lhs) + " " + sides->sign + " " +
            spellExpr(sides->rhs))
        .str();
  if (f.isLiteral()) {
    static constexpr const char *signs[] = {" == ", " != ", " <= ", " | "};
    auto [lhs, rhs] = std::pair(f.relation.lhs, f.relation.rhs);
    if (f.relation.kind <= Relation::Ne && lhs.isConstant())
      std::swap(lhs, rhs);
    return (f.negated ? "not " : "") + spellExpr(lhs) + signs[f.relation.kind] +
           spellExpr(rhs);
  }
  if (f.kind != Formula::And && f.kind != Formula::Or)
    return f.str();
  std::string text;
  SmallVector<Formula> parts(f.parts.begin(), f.parts.end());
  if (f.kind == Formula::Or)
    joinResidues(parts);
  for (const Formula &part : parts)
    text += (text.empty()             ? ""
             : f.kind == Formula::And ? " and "
                                      : " or ") +
            spellPart(part, /*isInner=*/true);
  return isInner ? "(" + text + ")" : text;
}

std::string mlir::symshape::spellPlainly(const Formula &f) {
  return spellPart(f, /*isInner=*/false);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

bool mlir::symshape::isWrittenName(StringRef symbol) {
  StringRef number = symbol;
  bool isOfImport = number.consume_front("_d") && !number.empty() &&
                    llvm::all_of(number, llvm::isDigit);
  return !symbol.starts_with("%") && !isOfImport && !isNameOfExporter(symbol);
}

bool mlir::symshape::isNameOfExporter(StringRef text) {
  StringRef name = text.rtrim("0123456789");
  return name != text &&
         (name == "unk__" || name == "DynamicDimension." ||
          name == "p2o.DynamicDimension." || name.ends_with("_dynamic_axes_"));
}

Formula ConditionNames::apply(const Formula &f) {
  // Before the names, of which nothing is known.
  Formula plain = makePlain(shapes, f);
  return withoutAtoms(
      plain.substitute([&](Expr symbol) { return nameOf(symbol); }));
}

Expr ConditionNames::apply(Expr e) {
  return shapes.arena().substitute(e,
                                   [&](Expr symbol) { return nameOf(symbol); });
}

Expr ConditionNames::nameOf(Expr symbol) {
  if (isWritten(*symbol.asSymbol()))
    return Expr();
  ExprArena &arena = shapes.arena();
  Expr &name = spelled[symbol];
  if (name)
    return name;
  const SymbolDef *def = shapes.definition(symbol);
  bool isDim = def && def->kind == SymbolDef::Dim;
  auto argument = isDim ? dyn_cast<BlockArgument>(def->value) : nullptr;
  if (argument && argument.getOwner()->getParentOp() == shapes.function())
    return name =
               arena.symbol(shapes.spellingOfArgument(argument.getArgNumber()) +
                            ".dim" + std::to_string(def->dim));
  do
    name = arena.symbol("v" + std::to_string(++count));
  while (shapes.definition(name));
  origins += "\n  " + name.str() + " is " + (isDim ? "extent of " : "") +
             shapes.describeSymbol(symbol);
  return name;
}

//===----------------------------------------------------------------------===//
// A sentence
//===----------------------------------------------------------------------===//

bool mlir::symshape::isCommonBound(const Formula &condition) {
  return condition.isLiteral() && condition.relation.kind == Relation::Le &&
         condition.relation.rhs.isConstant(INT64_MAX);
}

namespace {
/// A condition in two parts, such as `N` and `>= 1`. What is said of several
/// subjects is said once.
struct Statement {
  Expr subject;
  std::string predicate;
};
} // namespace

/// `N >= 1` or `32 | N`; nothing of other conditions.
static std::optional<Statement> readSimple(const Formula &f) {
  if (std::optional<ResidueSet> set = readResidueSet(f);
      set && set->residues.size() > 1) {
    std::string text = spellPart(f, /*isInner=*/false);
    std::string name = spellExpr(set->symbol);
    if (StringRef rest = text; rest.consume_front(name + " "))
      return Statement{set->symbol, rest.str()};
  }
  if (auto sides = readInequality(f)) {
    if (!sides->lhs.asSymbol())
      return std::nullopt;
    return Statement{sides->lhs,
                     (sides->sign + " " + spellExpr(sides->rhs)).str()};
  }
  if (!f.isLiteral() || f.negated || f.relation.kind != Relation::Divides ||
      !f.relation.lhs.isConstant() || !f.relation.rhs.asSymbol())
    return std::nullopt;
  return Statement{f.relation.rhs, "multiple of " + spellExpr(f.relation.lhs)};
}

/// `N >= 1`, `H, W multiples of 32`.
static std::string sayOfAll(ArrayRef<std::string> subjects,
                            StringRef predicate) {
  std::string all = llvm::join(subjects, ", ");
  if (!predicate.consume_front("multiple "))
    return all + " " + predicate.str();
  return all + (subjects.size() > 1 ? " multiples " : " a multiple ") +
         predicate.str();
}

/// All conditions where they fit `room` characters; else the first that are
/// short, and how many others there are.
static std::string sayFirst(ArrayRef<Formula> conditions, size_t room) {
  constexpr size_t most = 3, longest = 80;
  SmallVector<std::string> texts, shown;
  for (const Formula &each : conditions)
    texts.push_back(spellPart(each, /*isInner=*/conditions.size() > 1));
  bool fits = llvm::join(texts, ", ").size() <= room;
  for (std::string &text : texts)
    if (fits || (shown.size() < most && text.size() <= longest))
      shown.push_back(std::move(text));
  size_t numLeft = conditions.size() - shown.size();
  if (!numLeft && shown.size() > 1) {
    std::string last = shown.pop_back_val();
    return llvm::join(shown, ", ") + " and " + last;
  }
  std::string text = llvm::join(shown, ", ");
  if (!numLeft)
    return text;
  return text + (shown.empty() ? "" : " and ") + std::to_string(numLeft) +
         (shown.empty() ? "" : " more") +
         (numLeft == 1 ? " condition holds" : " conditions hold");
}

/// The conditions, but those on one number that classes tell (OneNumber.h) as
/// one for each number, where one tells them: several roundings of an extent
/// often follow from the coarsest.
static SmallVector<Formula> joinClasses(FunctionShapes &shapes,
                                        ArrayRef<Guard> guards) {
  SmallVector<Formula> conditions;
  llvm::MapVector<Expr, SmallVector<size_t>> told;
  for (const Guard &guard : guards) {
    if (isCommonBound(guard.condition))
      continue;
    if (!(makePlain(shapes, guard.condition) == withoutAtoms(guard.condition)))
      told[guard.condition.symbols().front()].push_back(conditions.size());
    conditions.push_back(guard.condition);
  }
  for (auto &[symbol, places] : told) {
    Formula all = Formula::truth(true);
    for (size_t place : places)
      all = Formula::conj(all, conditions[place]);
    std::optional<Formula> said = sayByClasses(all);
    if (places.size() < 2 || !said)
      continue;
    for (size_t place : places)
      conditions[place] = Formula::truth(true);
    conditions[places.front()] = *said;
  }
  llvm::erase_if(conditions, [](const Formula &f) { return f.isTrue(); });
  return conditions;
}

/// Whether no input leaves an extent open.
static bool hasFixedSizes(func::FuncOp function) {
  return function.getNumArguments() &&
         llvm::all_of(function.getArgumentTypes(), [](Type type) {
           auto shaped = dyn_cast<ShapedType>(type);
           return !shaped || (shaped.hasRank() && shaped.hasStaticShape());
         });
}

std::string mlir::symshape::describeValidity(FunctionShapes &shapes,
                                             const GuardPlan &plan,
                                             const IsWritten &isWritten) {
  ConditionNames names(shapes, isWritten);
  if (!plan.violated.empty()) {
    const Requirement &violated = *plan.violated.front();
    std::string node = describeNode(violated.op->getLoc());
    // What no size decides says nothing without its node.
    if (violated.condition.symbols().empty() && !node.empty())
      return "valid for no size: " + node + " cannot run";
    std::string never = spellPlainly(names.apply(violated.condition));
    return "valid for no size: never " + never + names.origins;
  }
  if (shapes.facts().isContradictory())
    return "valid for no size: what is needed contradicts itself";
  // Least sizes first, and largest ones, which few calls come near, last.
  auto rank = [](StringRef predicate) {
    return predicate.starts_with("<") ? 2 : predicate.starts_with(">") ? 0 : 1;
  };
  std::map<std::pair<int, std::string>, SmallVector<std::string>> said;
  SmallVector<Formula> others;
  for (const Formula &each : joinClasses(shapes, plan.guards)) {
    Formula condition = names.apply(each);
    if (auto simple = readSimple(condition))
      said[{rank(simple->predicate), simple->predicate}].push_back(
          spellExpr(simple->subject));
    else
      others.push_back(std::move(condition));
  }
  SmallVector<std::string> parts;
  for (auto &[predicate, subjects] : said)
    parts.push_back(sayOfAll(subjects, predicate.second));
  std::string text = "valid for " + llvm::join(parts, "; ");
  if (parts.empty() && others.empty())
    text += hasFixedSizes(shapes.function()) ? "its fixed sizes" : "every size";
  if (!others.empty()) {
    constexpr size_t longest = 160; // of a sentence that leaves nothing out
    text += parts.empty() ? "sizes where " : ", where ";
    text += sayFirst(others, longest - std::min(longest, text.size()));
  }
  if (!plan.deferred.empty())
    text += ", and data that a call checks";
  return text;
}
