//===- RandomProblem.h - Random facts, and their models ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A constraint set over symbols with small domains, beside all assignments that
// satisfy its facts: no answer may be contradicted by one of them. For: the
// random suites and the fuzzer of facts. A symbol whose range is larger than
// its domain is sampled, so that only a wrong answer can be shown, not a
// missing one.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_UNITTESTS_CONSTRAINTS_RANDOMPROBLEM_H
#define SYMSHAPE_UNITTESTS_CONSTRAINTS_RANDOMPROBLEM_H

#include "../Expr/RandomExpr.h"
#include "symshape/Constraints/ConstraintSet.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::symshape::test {

/// A relation between trees, decided directly, beside the one over expressions.
struct Claim {
  Relation::Kind kind = Relation::Eq;
  Tree lhs, rhs;
  Relation relation;

  bool holds(const Assignment &at) const {
    int64_t a = lhs.evaluate(at), b = rhs.evaluate(at);
    switch (kind) {
    case Relation::Eq:
      return a == b;
    case Relation::Ne:
      return a != b;
    case Relation::Le:
      return a <= b;
    case Relation::Divides:
      return a == 0 ? b == 0 : b % a == 0;
    }
    return false;
  }
};

/// What was asked, and how often an answer was there.
struct Score {
  unsigned queries = 0, decidable = 0, decided = 0;
};

class RandomProblem {
public:
  ExprArena arena;
  ConstraintSet set{arena};
  RandomTrees random;
  std::vector<Expr> symbols;
  std::vector<Claim> facts;
  std::vector<Assignment> models{{}};
  Score score;

  /// Declares two to four symbols; no facts yet.
  explicit RandomProblem(const Choose &choose)
      : random(choose, 1), count(2 + random.uniform(0, 2)) {
    random = RandomTrees(choose, count);
    static const char *const names[] = {"x", "y", "B", "n"};
    for (unsigned i = 0; i < count; ++i) {
      symbols.push_back(arena.symbol(names[i]));
      declare(symbols.back());
    }
  }

  /// Assumes up to `most` random facts, mostly such that a model is left.
  void assumeSome(int64_t most) {
    if (models.empty())
      return;
    Assignment witness = models[random.uniform(0, models.size() - 1)];
    for (int64_t wanted = random.uniform(0, most); wanted > 0; --wanted) {
      Claim fact = claim(2);
      if (fact.holds(witness) || random.chance(10))
        assume(fact);
    }
  }

  Claim claim(int depth) {
    Claim c;
    c.kind = Relation::Kind(random.uniform(0, 3));
    if (c.kind == Relation::Ne && random.chance(50))
      c.kind = Relation::Le;
    bool isLinear = random.chance(40);
    c.lhs = isLinear ? random.linear() : random.tree(depth);
    c.rhs = isLinear ? random.linear() : random.tree(depth);
    if (c.kind == Relation::Divides && random.chance(70)) {
      c.lhs = Tree();
      c.lhs.value = random.uniform(-3, 4);
    }
    // Claims near the facts are the interesting ones.
    if (!facts.empty() && random.chance(40)) {
      const Claim &near = facts[random.uniform(0, facts.size() - 1)];
      c.lhs = random.chance(70) ? near.lhs : near.rhs;
      if (random.chance(60))
        c.rhs = random.chance(50) ? near.rhs : near.lhs;
    }
    c.relation = {c.kind, c.lhs.build(arena, symbols),
                  c.rhs.build(arena, symbols)};
    return c;
  }

  void assume(const Claim &fact) {
    set.assume(fact.relation);
    facts.push_back(fact);
    statements.push_back("assume " + fact.relation.str());
    llvm::erase_if(models,
                   [&](const Assignment &at) { return !fact.holds(at); });
  }

  /// Declares a symbol again: what was declared gets narrower, and the default
  /// range of one that was not gives way, also to negative values: then the set
  /// starts over, also at the end of the level. Returns whether it may.
  bool declareAgain() {
    unsigned i = random.uniform(0, count - 1);
    int64_t lo = random.uniform(-4, 2), hi = lo + random.uniform(0, 6);
    SymbolInfo info;
    info.range = Range::between(lo, hi);
    set.declare(symbols[i], info);
    // In a problem file a name is declared once, but what narrows is a fact.
    std::string name = symbols[i].str();
    statements.push_back((isDeclared[i] ? "assume " : "symbol ") + name +
                         (isDeclared[i]
                              ? " >= " + std::to_string(lo) + "\nassume " +
                                    name + " <= " + std::to_string(hi)
                              : " in " + print(info.range)));
    std::vector<int64_t> values;
    for (int64_t v = lo; v <= hi; ++v)
      if (!isDeclared[i] || llvm::is_contained(domains[i], v))
        values.push_back(v);
    domains[i] = values;
    bool startsOver = !isDeclared[i] && lo < 0;
    isDeclared[i] = true;
    models.assign(1, {});
    for (unsigned j = 0; j < count; ++j)
      models = extended(models, domains[j], set.info(symbols[j]).residue);
    llvm::erase_if(models, [&](const Assignment &model) {
      return llvm::any_of(
          facts, [&](const Claim &fact) { return !fact.holds(model); });
    });
    return startsOver;
  }

  void push() {
    set.push();
    levels.push_back({facts.size(), models, domains, isDeclared});
    statements.push_back("push");
  }
  bool hasLevels() const { return !levels.empty(); }
  /// Does nothing without a level.
  void pop() {
    if (levels.empty())
      return;
    set.pop();
    facts.resize(levels.back().facts);
    models = std::move(levels.back().models);
    domains = std::move(levels.back().domains);
    isDeclared = std::move(levels.back().isDeclared);
    levels.pop_back();
    statements.push_back("pop");
  }

  //===--------------------------------------------------------------------===//
  // Questions: what is wrong with the answer, as the end of a problem file;
  // empty where no model contradicts it
  //===--------------------------------------------------------------------===//

  std::string checkContradiction() {
    if (!set.isContradictory() || models.empty())
      return "";
    return "# not contradictory" + at(models.front());
  }

  std::string checkVerdict(const Claim &c) {
    Answer answer = set.prove(c.relation);
    ++score.queries;
    const Assignment *yes = nullptr, *no = nullptr;
    for (const Assignment &model : models)
      (c.holds(model) ? yes : no) = &model;
    bool isDecidable = !yes != !no;
    score.decidable += isDecidable;
    score.decided += isDecidable && answer.verdict != Verdict::Unknown;
    const Assignment *wrong = answer.isYes()  ? no
                              : answer.isNo() ? yes
                                              : nullptr;
    if (!wrong)
      return "";
    return "prove " + c.relation.str() +
           "  # wrong: " + (answer.isYes() ? "yes by " : "no by ") +
           answer.reason + at(*wrong);
  }

  std::string checkBounds(const Tree &tree) {
    Expr e = tree.build(arena, symbols);
    Range range = set.bounds(e);
    ++score.queries;
    for (const Assignment &model : models)
      if (!range.contains(llvm::DynamicAPInt(tree.evaluate(model))))
        return "bounds " + e.str() + "  # wrong: " + print(range) + at(model);
    return "";
  }

  std::string checkResidue(const Tree &tree) {
    Expr e = tree.build(arena, symbols);
    Residue residue = set.residue(e);
    ++score.queries;
    for (const Assignment &model : models)
      if (!residue.contains(llvm::DynamicAPInt(tree.evaluate(model))))
        return "bounds " + e.str() + "  # wrong residue: " + print(residue) +
               at(model);
    return "";
  }

  std::string checkSimplify(const Tree &tree) {
    Expr e = tree.build(arena, symbols);
    Expr simple = set.simplify(e);
    ++score.queries;
    for (const Assignment &model : models)
      if (evaluateCanonical(simple, model, symbols) != tree.evaluate(model))
        return "simplify " + e.str() + "  # wrong: " + simple.str() + at(model);
    return "";
  }

  std::string checkIsolate(const Claim &c, unsigned symbol) {
    std::optional<Relation> solved = set.isolate(c.relation, symbols[symbol]);
    ++score.queries;
    for (const Assignment &model : models) {
      if (!solved || !c.holds(model))
        continue;
      int64_t lhs = evaluateCanonical(solved->lhs, model, symbols);
      int64_t rhs = evaluateCanonical(solved->rhs, model, symbols);
      if (solved->kind == Relation::Eq ? lhs != rhs : lhs > rhs)
        return "solve " + c.relation.str() + " for " + symbols[symbol].str() +
               "  # wrong: " + solved->str() + at(model);
    }
    return "";
  }

  /// All assignments of lo..hi that the declarations allow, facts or not.
  std::vector<Assignment> assignments(int64_t lo, int64_t hi) const {
    std::vector<Assignment> all{{}};
    for (Expr symbol : symbols) {
      std::vector<int64_t> values;
      for (int64_t v = lo; v <= hi; ++v)
        if (set.info(symbol).range.contains(llvm::DynamicAPInt(v)))
          values.push_back(v);
      all = extended(all, values, set.info(symbol).residue);
    }
    return all;
  }

  /// Declarations and facts, as a problem file.
  std::string str() const {
    std::string text;
    for (const std::string &statement : statements)
      text += statement + "\n";
    return text;
  }

private:
  template <typename T>
  static std::string print(const T &printable) {
    std::string text;
    llvm::raw_string_ostream os(text);
    printable.print(os);
    return text;
  }

  std::string at(const Assignment &model) const {
    std::string text = ", at";
    for (unsigned i = 0; i < model.size(); ++i)
      text += " " + symbols[i].str() + " = " + std::to_string(model[i]);
    return text;
  }

  /// Declares a symbol, or leaves the default; extends the assignments.
  void declare(Expr symbol) {
    int64_t width = count == 4 ? 4 : 6, lo = 0, hi = width;
    std::string statement = "symbol " + symbol.str();
    isDeclared.push_back(random.chance(60));
    if (isDeclared.back()) {
      SymbolInfo info;
      lo = random.uniform(-4, 2);
      hi = lo + random.uniform(0, width);
      info.range = Range::between(lo, hi);
      if (random.chance(20))
        info.range.max.reset();
      if (random.chance(30))
        info.residue = Residue::of(llvm::DynamicAPInt(random.uniform(-2, 3)),
                                   llvm::DynamicAPInt(random.uniform(1, 3)));
      set.declare(symbol, info);
      statement += " in " + print(info.range);
      if (info.residue.modulus > 1)
        statement += " residue " + print(info.residue);
    }
    statements.push_back(statement);
    std::vector<int64_t> values;
    for (int64_t v = lo; v <= hi; ++v)
      values.push_back(v);
    models = extended(models, values, set.info(symbol).residue);
    domains.push_back(values);
  }

  static std::vector<Assignment>
  extended(const std::vector<Assignment> &prefixes,
           const std::vector<int64_t> &values, const Residue &residue) {
    std::vector<Assignment> longer;
    for (const Assignment &prefix : prefixes)
      for (int64_t value : values)
        if (residue.contains(llvm::DynamicAPInt(value))) {
          longer.push_back(prefix);
          longer.back().push_back(value);
        }
    return longer;
  }

  struct Level {
    size_t facts;
    std::vector<Assignment> models;
    std::vector<std::vector<int64_t>> domains;
    std::vector<bool> isDeclared;
  };
  unsigned count;
  std::vector<std::vector<int64_t>> domains; ///< values that are tried
  std::vector<bool> isDeclared;
  std::vector<Level> levels;
  std::vector<std::string> statements;
};

} // namespace mlir::symshape::test

#endif // SYMSHAPE_UNITTESTS_CONSTRAINTS_RANDOMPROBLEM_H
