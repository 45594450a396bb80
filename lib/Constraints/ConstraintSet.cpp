//===- ConstraintSet.cpp - Facts, levels and memoised answers -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The public class: keeps facts and declarations as given, with levels, and
// asks Knowledge, whose answers it memoises.
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/ConstraintSet.h"
#include "FewerFacts.h"
#include "LazyKnowledge.h"
#include "Models.h"
#include "symshape/Constraints/PlainRelation.h"
#include "symshape/Constraints/QuestionLog.h"
#include "llvm/ADT/Statistic.h"

using namespace mlir::symshape;

#define DEBUG_TYPE "symshape-constraints"

ALWAYS_ENABLED_STATISTIC(numSteps, "Steps of all sets that are gone");

llvm::SmallVector<Relation, 3>
mlir::symshape::relationsOf(Expr symbol, const SymbolInfo &info) {
  ExprArena &arena = symbol.arena();
  llvm::SmallVector<Relation, 3> relations;
  if (info.range.min)
    relations.push_back(Relation::le(arena.constant(*info.range.min), symbol));
  if (info.range.max)
    relations.push_back(Relation::le(symbol, arena.constant(*info.range.max)));
  if (!info.residue.isAll())
    relations.push_back(
        Relation::divides(arena.constant(info.residue.modulus),
                          symbol - arena.constant(info.residue.remainder)));
  return relations;
}

namespace {
struct Level {
  size_t facts, declarations;
};
struct Redeclaration {
  Expr symbol;
  std::optional<SymbolInfo> before;
};
using RelationKey = std::pair<unsigned, std::pair<Expr, Expr>>;

/// What a question may cost, beside its own limits: what one leaves open, a
/// stricter one leaves open, too.
enum class Limit { None, Budget, Spent };

/// Answers found while a level was the innermost one. Until it ends, facts are
/// only added, so what was decided stays so, in inner levels too; what was not
/// is asked again once the facts differ from `version`, or the limit is less
/// strict.
struct Memo {
  template <typename T>
  struct Entry {
    T answer;
    unsigned version;
    Effort effort;
    Limit limit;
  };
  unsigned version = 0;
  llvm::DenseMap<RelationKey, Entry<Answer>> answers;
  llvm::DenseMap<Expr, Entry<Range>> bounds;

  template <typename T>
  bool isCurrent(const Entry<T> &entry, Effort effort, Limit limit) const {
    return entry.version == version && entry.effort >= effort &&
           entry.limit <= limit;
  }
};
} // namespace

static RelationKey keyOf(const Relation &relation) {
  return {unsigned(relation.kind), {relation.lhs, relation.rhs}};
}

struct ConstraintSet::Impl {
  Impl(ExprArena &arena, const ConstraintSet &set)
      : arena(arena), lazy(arena, [this](Knowledge &k) { tellAll(k); }),
        models(set) {}

  ExprArena &arena;
  LazyKnowledge lazy;
  Models models;
  std::vector<Relation> facts;
  /// Where each fact was said first. A repeated fact must not change an answer,
  /// as drawing its consequences once more could.
  llvm::DenseMap<RelationKey, FactId> firstSaid;
  llvm::DenseMap<Expr, SymbolInfo> declared;
  std::vector<Redeclaration> declarationLog;
  llvm::DenseMap<Expr, unsigned> mentioned; ///< facts that have the symbol
  std::vector<Level> levels;
  SmallVector<Memo> memos{1}; ///< of the outermost level, then of each level
  llvm::DenseSet<Expr> asked; ///< symbols of the questions in `memos`

  Limit limit() const {
    const StepBudget *budget = lazy.budget();
    return !budget ? Limit::None : budget->left ? Limit::Budget : Limit::Spent;
  }
  const Answer *recall(const RelationKey &key, Effort effort) const;
  void remember(const Relation &relation, const Answer &answer, Effort effort);
  void forgetAll();

  void tellAll(Knowledge &knowledge) const;
  Answer decide(const Relation &relation, Effort effort);
  Answer missing(const Relation &relation);
};

const Answer *ConstraintSet::Impl::recall(const RelationKey &key,
                                          Effort effort) const {
  for (const Memo &memo : llvm::reverse(memos)) {
    auto it = memo.answers.find(key);
    if (it == memo.answers.end())
      continue;
    const auto &entry = it->second;
    if (entry.answer.verdict != Verdict::Unknown ||
        (&memo == &memos.back() && memo.isCurrent(entry, effort, limit())))
      return &entry.answer;
  }
  return nullptr;
}

void ConstraintSet::Impl::remember(const Relation &relation,
                                   const Answer &answer, Effort effort) {
  Memo &memo = memos.back();
  memo.answers[keyOf(relation)] = {answer, memo.version, effort, limit()};
  SmallVector<Expr, 4> symbols = relation.symbols();
  asked.insert(symbols.begin(), symbols.end());
}

void ConstraintSet::Impl::forgetAll() {
  asked.clear();
  for (Memo &memo : memos)
    memo = Memo();
}

ConstraintSet::ConstraintSet(ExprArena &arena)
    : impl(std::make_unique<Impl>(arena, *this)) {
  QuestionLog::tellMade(*this);
}
ConstraintSet::~ConstraintSet() {
  numSteps += steps();
  QuestionLog::tellGone(*this);
}

ExprArena &ConstraintSet::arena() const { return impl->arena; }
const Relation &ConstraintSet::fact(FactId id) const { return impl->facts[id]; }
size_t ConstraintSet::numFacts() const { return impl->facts.size(); }

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

void ConstraintSet::Impl::tellAll(Knowledge &knowledge) const {
  std::vector<std::pair<Expr, SymbolInfo>> ordered(declared.begin(),
                                                   declared.end());
  std::sort(ordered.begin(), ordered.end(), [](const auto &a, const auto &b) {
    return a.first.id() < b.first.id();
  });
  for (const auto &[symbol, info] : ordered)
    knowledge.declare(symbol, info);
  for (size_t id = 0; id < facts.size(); ++id)
    if (firstSaid.lookup(keyOf(facts[id])) == id)
      knowledge.add(facts[id], id);
}

SymbolInfo ConstraintSet::info(Expr symbol) const {
  auto it = impl->declared.find(symbol);
  return it == impl->declared.end() ? SymbolInfo() : it->second;
}

void ConstraintSet::declare(Expr symbol, const SymbolInfo &info) {
  SymbolInfo merged = info;
  std::optional<SymbolInfo> before;
  auto it = impl->declared.find(symbol);
  if (it != impl->declared.end()) {
    before = it->second;
    merged.range = Range::intersect(before->range, info.range);
    std::optional<Residue> both =
        Residue::intersect(before->residue, info.residue);
    merged.residue = both.value_or(before->residue);
    if (!both)
      merged.range = Range::between(1, 0); // classes without common member
    if (merged.likely.empty())
      merged.likely = before->likely;
  }
  impl->declarationLog.push_back({symbol, before});
  impl->declared[symbol] = merged;
  bool widens = !before && !merged.range.isAtLeast(0);
  if (widens && impl->asked.contains(symbol))
    impl->forgetAll();
  bool isMentioned = impl->mentioned.lookup(symbol) > 0;
  if (before || isMentioned || impl->asked.contains(symbol))
    ++impl->memos.back().version;
  if (widens && isMentioned)
    impl->lazy.startOver();
  else
    impl->lazy.declare(symbol, merged);
  impl->models.declare(symbol, widens);
}

FactId ConstraintSet::assume(const Relation &relation) {
  FactId id = impl->facts.size();
  impl->facts.push_back(relation);
  if (!impl->firstSaid.try_emplace(keyOf(relation), id).second)
    return id;
  ++impl->memos.back().version;
  for (Expr symbol : relation.symbols())
    ++impl->mentioned[symbol];
  impl->lazy.add(relation, id);
  return id;
}

void ConstraintSet::push() {
  impl->models.push();
  impl->lazy.push();
  impl->levels.push_back({impl->facts.size(), impl->declarationLog.size()});
  impl->memos.emplace_back();
}

void ConstraintSet::pop() {
  if (impl->levels.empty())
    return;
  impl->models.pop();
  Level level = impl->levels.back();
  impl->levels.pop_back();
  impl->memos.pop_back();
  for (FactId id = level.facts; id < impl->facts.size(); ++id) {
    auto it = impl->firstSaid.find(keyOf(impl->facts[id]));
    if (it == impl->firstSaid.end() || it->second != id)
      continue;
    impl->firstSaid.erase(it);
    for (Expr symbol : impl->facts[id].symbols())
      --impl->mentioned[symbol];
  }
  impl->facts.resize(level.facts);
  while (impl->declarationLog.size() > level.declarations) {
    const Redeclaration &last = impl->declarationLog.back();
    if (last.before)
      impl->declared[last.symbol] = *last.before;
    else
      impl->declared.erase(last.symbol);
    impl->declarationLog.pop_back();
  }
  impl->lazy.pop();
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// A divisor in one of the sides that may be zero, so that nothing is known of
/// the quotient; null if none is.
static Expr dubiousDivisor(Knowledge &k, const Relation &relation) {
  for (Expr side : {relation.lhs, relation.rhs}) {
    Why why = 0;
    Atom quotient = findFactor(side, [&](Atom atom) {
      return atom.kind() == AtomKind::FloorDiv &&
             !k.provesNonZero(atom.operands()[1], why);
    });
    if (quotient)
      return quotient.operands()[1];
  }
  return {};
}

/// Unknown, with the relation in canonical form: positive terms on both sides.
Answer ConstraintSet::Impl::missing(const Relation &relation) {
  Answer answer;
  Knowledge &knowledge = lazy.get();
  Relation shown{relation.kind, knowledge.reduce(relation.lhs).expr,
                 knowledge.reduce(relation.rhs).expr};
  if (relation.kind != Relation::Divides) {
    Form form = toForm(shown.lhs - shown.rhs);
    Expr gap = shown.lhs - shown.rhs;
    if (form.primitive && mod(form.offset, abs(form.scale)) == 0)
      gap = form.scale > 0 || relation.kind != Relation::Le
                ? form.primitive + arena.constant(form.offset / form.scale)
                : -form.primitive + arena.constant(form.offset / -form.scale);
    Sides sides = splitSigns(gap);
    DynamicAPInt constant = toForm(gap).offset;
    shown.lhs = sides.positive;
    shown.rhs = sides.negative;
    if (constant > 0 && !shown.lhs.terms().empty())
      shown.lhs = shown.lhs + arena.constant(constant);
    else
      shown.rhs = shown.rhs + arena.constant(-constant);
    if (relation.kind != Relation::Le && shown.lhs.terms().empty())
      std::swap(shown.lhs, shown.rhs);
  }
  shown = foldMultiple(shown, [&](Expr e) {
    Why why = 0;
    return knowledge.provesNonNegative(e - 1, why, 0);
  });
  answer.reason = shown.str();
  if (Expr divisor = dubiousDivisor(knowledge, shown))
    answer.reason +=
        " (" + Relation::ne(divisor, arena.zero()).str() + " is not known)";
  return answer;
}

Answer ConstraintSet::Impl::decide(const Relation &relation, Effort effort) {
  Knowledge &k = lazy.get();
  Why why = 0;
  Verdict verdict = k.decideQuickly(relation, why);
  if (verdict == Verdict::Unknown && effort != Effort::Quick) {
    Possible possible = models.possibleAnswers(relation);
    if (possible.isYes || possible.isNo)
      verdict = k.decideByLinearFacts(relation, possible, why);
    else
      k.exhausted = nullptr; // no budget would have been enough
    if (verdict == Verdict::Unknown && (possible.isYes || possible.isNo) &&
        !lazy.budget()) {
      const char *exhausted = k.exhausted;
      FewerFacts fewer(arena, facts, declared, relation, effort);
      Answer answer = fewer.decide(possible);
      k.steps += fewer.steps();
      k.exhausted = exhausted;
      if (answer.verdict != Verdict::Unknown)
        return answer;
    }
  }
  if (verdict != Verdict::Unknown)
    return {verdict, k.reasons.collect(why), k.rule};
  Answer answer;
  // Nobody reads why a question asked in passing stays open.
  if (effort != Effort::Quick)
    answer = missing(relation);
  if (k.exhausted)
    answer.reason += std::string(" (budget of ") + k.exhausted + " exhausted)";
  return answer;
}

Answer ConstraintSet::prove(const Relation &relation, Effort effort) const {
  QuestionLog::Watch watch(*this, relation);
  Knowledge &knowledge = impl->lazy.get();
  if (knowledge.contradictory)
    return {Verdict::Yes, knowledge.reasons.collect(knowledge.contradictionWhy),
            "contradictory facts"};
  if (const Answer *known = impl->recall(keyOf(relation), effort))
    return *known;
  watch.decides();
  Answer answer = impl->decide(relation, effort);
  impl->remember(relation, answer, effort);
  knowledge.trimAfterQuery();
  return answer;
}

Range ConstraintSet::bounds(Expr e, Effort effort) const {
  QuestionLog::Watch watch(*this, QuestionLog::Kind::Bounds, e);
  Memo &memo = impl->memos.back();
  auto it = memo.bounds.find(e);
  if (it != memo.bounds.end() &&
      memo.isCurrent(it->second, effort, impl->limit()))
    return it->second.answer;
  watch.decides();
  Knowledge &knowledge = impl->lazy.get();
  Range range =
      Range::intersect(knowledge.bounds(e).range,
                       knowledge.bounds(knowledge.reduce(e).expr).range);
  if (effort != Effort::Quick)
    range = knowledge.boundsByLinearFacts(e, {range, 0, 0}).range;
  range = alignTo(range, residue(e));
  if (effort == Effort::Exhaustive && !impl->lazy.budget() &&
      !range.isSingle()) {
    Relation question = Relation::le(impl->arena.zero(), e);
    FewerFacts fewer(impl->arena, impl->facts, impl->declared, question,
                     effort);
    range = fewer.bounds(e, range);
    knowledge.steps += fewer.steps();
  }
  if (effort != Effort::Quick) {
    memo.bounds[e] = {range, memo.version, effort, impl->limit()};
    impl->asked.insert_range(e.symbols());
  }
  knowledge.trimAfterQuery();
  return range;
}

Residue ConstraintSet::residue(Expr e) const {
  QuestionLog::Watch watch(*this, QuestionLog::Kind::Residue, e);
  watch.decides();
  Knowledge &knowledge = impl->lazy.get();
  Residue given = knowledge.residue(e).first;
  Residue reduced = knowledge.residue(knowledge.reduce(e).expr).first;
  knowledge.trimAfterQuery();
  return Residue::intersect(given, reduced).value_or(given);
}

/// Factors and operands, shared parts once.
static size_t sizeOf(Expr e) {
  llvm::DenseSet<Atom> seen;
  SmallVector<Expr, 8> open{e};
  size_t size = 0;
  while (!open.empty()) {
    Expr next = open.pop_back_val();
    for (const Expr::Term &term : next.terms()) {
      ++size;
      for (auto [atom, power] : term.powers) {
        size += power;
        if (seen.insert(atom).second)
          open.append(atom.operands().begin(), atom.operands().end());
      }
    }
  }
  return size;
}

/// `e` with a - r for each k*(a floordiv k) where a mod k is known to be r.
static Expr foldExactDivisions(const ConstraintSet &set, Expr e) {
  Expr result = e;
  for (const Expr::Term &term : e.terms())
    for (const auto &[atom, power] : term.powers) {
      if (atom.kind() != AtomKind::FloorDiv)
        continue;
      Expr a = atom.operands()[0];
      std::optional<DynamicAPInt> k = atom.operands()[1].asConstant();
      if (!k || *k <= 0 || term.coefficient % *k != 0)
        continue;
      ExprArena &arena = e.arena();
      Range rest = set.bounds(arena.mod(a, atom.operands()[1]), Effort::Quick);
      if (!rest.min || rest.min != rest.max)
        continue;
      Expr::Term others = term;
      others.coefficient /= *k;
      for (auto &each : others.powers)
        each.second -= each.first == atom;
      llvm::erase_if(others.powers,
                     [](const auto &each) { return each.second == 0; });
      SmallVector<Expr::Term> ofTerm{term}, ofOthers{std::move(others)};
      Expr folded = result - arena.fromTerms(std::move(ofTerm)) +
                    arena.fromTerms(std::move(ofOthers)) *
                        (a - arena.constant(*rest.min));
      if (sizeOf(folded) < sizeOf(result))
        result = folded;
      break;
    }
  return result;
}

Expr ConstraintSet::simplify(Expr e) const {
  Expr reduced;
  {
    QuestionLog::Watch watch(*this, QuestionLog::Kind::Simplest, e);
    watch.decides();
    Knowledge &knowledge = impl->lazy.get();
    reduced = knowledge.reduce(e).expr;
    knowledge.trimAfterQuery();
  }
  bool isShorter = reduced != e && sizeOf(reduced) <= sizeOf(e);
  return foldExactDivisions(*this, isShorter ? reduced : e);
}

Expr ConstraintSet::solve(const Relation &relation, Expr symbol) const {
  Atom atom = symbol.asAtom();
  if (relation.kind != Relation::Eq || !atom)
    return {};
  LinearSplit split = splitLinear(relation.lhs - relation.rhs, atom);
  if (!split.cofactor || !split.cofactor.isConstant() ||
      mentions(split.rest, atom))
    return {};
  return divideExactly(-split.rest, split.cofactor);
}

std::optional<SmallVector<FactId, 4>>
ConstraintSet::findConflict(Expr around) const {
  Knowledge &knowledge = impl->lazy.get();
  Why why = knowledge.contradictionWhy;
  if (!knowledge.contradictory &&
      !(around && knowledge.refutesFactsAround(around, why)))
    return std::nullopt;
  return knowledge.reasons.collect(why);
}

uint64_t ConstraintSet::steps() const { return impl->lazy.steps(); }

bool ConstraintSet::isContradictory() const {
  QuestionLog::Watch watch(*this, QuestionLog::Kind::Conflict, Expr());
  return impl->lazy.get().contradictory;
}

void ConstraintSet::spendFrom(StepBudget *budget) {
  impl->lazy.spendFrom(budget);
}
StepBudget *ConstraintSet::budget() const { return impl->lazy.budget(); }
