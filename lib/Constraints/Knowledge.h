//===- Knowledge.h - What the facts say, in decided form --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state behind a ConstraintSet, and its rules, each in the file that is
// named before it (docs/Rationale/FactEngine.md). Private to Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_KNOWLEDGE_H
#define SYMSHAPE_LIB_CONSTRAINTS_KNOWLEDGE_H

#include "FormInfo.h"
#include "Models.h"
#include "Reasons.h"
#include "symshape/Constraints/ConstraintSet.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>
#include <vector>

namespace mlir::symshape {

class AffineComponent;

/// What facts say, in a form that rules read. A *primitive form* is an
/// expression without constant, divided by the gcd of its coefficients, of a
/// fixed sign; an *atom* a symbol, quotient, min or max. `forms` has closed
/// bounds and a residue class of a form, `excluded` values that it does not
/// take, `solved` an equal of an atom or monomial, each with its *why*: the
/// facts it rests on. Queries change caches alone.
///
/// Example: `2*a + 4*b >= 7` (fact 0) is stated as a + 2*b >= 4 (why {0}). With
/// `a <= 1` (1) follows 2*b >= 3, so b >= 2 ({0, 1}). By `b == 3*c` (2), b is
/// solved, the form is stated again as a + 6*c >= 4, and c >= 1 ({0, 1, 2}).
///
/// Invariants: an entry holds wherever the facts of its why do; ends of bounds
/// are in the residue class, and not excluded; no symbol is in what it is
/// replaced by; `endLevel` restores all entries of the level before.
class Knowledge {
public:
  explicit Knowledge(ExprArena &arena) : arena(arena) {}

  ExprArena &arena;
  Reasons reasons;
  bool contradictory = false;
  Why contradictionWhy = 0;

  //===--- Propagate.cpp --------------------------------------------------===//
  void declare(Expr symbol, const SymbolInfo &info);
  const SymbolInfo *declared(Expr symbol) const;
  void add(const Relation &relation, FactId id);
  /// What `endLevel` goes back to.
  struct Mark {
    size_t trail, reasons;
  };
  Mark beginLevel();
  void endLevel(const Mark &mark);
  /// Drops what queries have left behind, once it is much.
  void trimAfterQuery();

  //===--- Queries; `why` gains what they used ----------------------------===//
  // Prove.cpp: all tiers but the affine one
  Verdict decideQuickly(const Relation &relation, Why &why);
  Verdict decideGapQuickly(Relation::Kind kind, Expr gap, Why &why);
  bool provesZero(Expr e, Why &why, unsigned splits = 2);
  bool provesNonZero(Expr e, Why &why, unsigned splits = 2);
  bool provesNonNegative(Expr e, Why &why, unsigned splits = 2);
  const char *rule = ""; ///< that decided last
  /// The tier whose budget the last question used up; null: none.
  const char *exhausted = nullptr;
  /// What queries have done so far: ConstraintSet::steps.
  uint64_t steps = 0;
  /// What they may cost in the affine tier; null: no limit.
  StepBudget *budget = nullptr;
  bool isSpent(); ///< it is used up, which leaves the last question open
  // Affine.cpp
  Verdict decideByLinearFacts(const Relation &relation,
                              const Possible &possible, Why &why);
  Verdict decideGap(const Relation &relation, const Reduced &gap,
                    const Possible &possible, Why &why);
  Verdict decideWithoutFactor(const Relation &relation, const Reduced &gap,
                              const Possible &possible, Why &why);
  Verdict decideOperands(const Reduced &gap, Why &why, unsigned depth = 1);
  Verdict decideOperand(Expr e, unsigned depth, Why &why);
  /// `known`, sharpened by the linear facts together.
  Bound boundsByLinearFacts(Expr e, const Bound &known);
  /// Whether the linear facts connected with `e` exclude every value of it.
  bool refutesFactsAround(Expr e, Why &why);
  // Residues.cpp
  std::pair<Residue, Why> residue(Expr e);
  // Divisibility.cpp
  Verdict provesDivides(Expr d, Expr e, Why &why, unsigned splits = 2);
  // Bounds.cpp
  Bound bounds(Expr e) { return bounds(e, maxFuel); }
  // Reduce.cpp
  Reduced reduce(Expr e);
  /// k*e for some k >= 1, with exact divisions multiplied out.
  Reduced multiplyOutDivisions(Expr e);

private:
  friend class AffineComponent;
  /// Detours of a bound: divisions eliminated, factors stripped.
  static constexpr unsigned maxFuel = 3;
  // Bounds.cpp
  Bound bounds(Expr e, unsigned fuel);
  Bound computeBounds(Expr primitive, unsigned fuel);
  Bound termBound(const Expr::Term &term, unsigned fuel);
  Bound sumOf(const Bound &a, const Bound &b);
  Bound termSumBounds(Expr e, unsigned fuel);
  Bound monomialBound(ArrayRef<std::pair<Atom, unsigned>> powers,
                      unsigned fuel);
  Bound atomBound(Atom atom, unsigned fuel);
  Bound bcBound(Atom atom, unsigned fuel);
  Bound exactQuotientBound(Atom atom, unsigned fuel);
  Bound eliminationBound(Expr e, unsigned fuel);
  Bound strippedBound(Expr primitive, unsigned fuel);
  Bound intersect(const Bound &a, const Bound &b);
  Bound affine(const Bound &b, const DynamicAPInt &scale,
               const DynamicAPInt &offset);
  Bound symbolBound(Atom atom);
  // Residues.cpp
  std::pair<Residue, Why> residueOfTerms(Expr e);
  void checkResiduesAround(Atom atom);
  Reduced withoutForms(Expr e, const DynamicAPInt &d);
  std::pair<Residue, Why> atomResidue(Atom atom);
  Verdict dividesLiteral(const DynamicAPInt &d, Expr e, Why &why);

  // Divisibility.cpp
  /// divisor | value.
  struct Multiple {
    Expr divisor, value;
    Why why = 0;
  };
  struct MultipleSearch {
    MultipleSearch();
    unsigned budget;
    /// Facts that rewrote the multiple: divisor and value.
    SmallVector<std::pair<Expr, Expr>, 4> used;
  };
  /// A multiple, and what is left beside it.
  struct MultiplePart {
    Expr multiple, left;
  };
  /// Facts used on a term, one after another.
  static constexpr unsigned maxMultipleDepth = 3;
  /// If there are many, only those about an atom of `around`.
  std::vector<size_t> multiplesAround(ArrayRef<Atom> around) const;
  std::vector<Multiple> knownMultiples(ArrayRef<Atom> around);
  bool isMultiple(Expr e, Expr d, Why &why);
  std::optional<MultiplePart> multiplePart(Expr term, Expr d,
                                           MultipleSearch &search,
                                           unsigned depth, Why &why);
  Reduced withoutMultiples(Expr d, Expr e);
  Reduced asProducts(Expr e, bool isWhole = false);
  bool dividesSolved(Expr d, Expr e, Why &why);
  Verdict dividesSymbolic(Expr d, Expr e, Why &why);

  // Quotients.cpp
  /// outside + floor(dividend / divisor), or minus where it is negated, while
  /// it is being rewritten; the divisor is not 0, and may be known positive.
  struct Division {
    Expr outside, dividend, divisor;
    Why why = 0;
    bool isPositive = false, isNegated = false;
  };
  bool isRemainder(Expr r, Expr b, Why &why);
  std::optional<DynamicAPInt> constantQuotient(Expr r, Expr b, Why &why);
  void orientDivisor(Division &div);
  void divideTerms(Division &div);
  void takeMultiples(Division &div);
  void cancelFactors(Division &div);
  bool cancelAbove(Division &div, Expr g);
  void mergeQuotients(Division &div);
  bool divideProducts(Division &div);
  void makeDividendPositive(Division &div);
  Reduced spreadQuotient(Atom quotient);
  /// An equal expression, where quotients of min and max are min and max of
  /// quotients.
  Reduced spreadQuotients(Expr e);

  // Reduce.cpp
  Reduced resolveSymbol(Expr symbol);
  std::optional<Reduced> resolved(Expr symbol);
  bool isReplaced(Expr symbol);
  Reduced substituteSolved(Expr e);
  Reduced reduceOnce(Expr e);
  Reduced reduceAtom(Atom atom);
  Reduced decideAtom(Atom atom);
  Reduced decideFloorDiv(Atom atom);
  Reduced decideMinMax(Atom atom);
  Expr takeShared(SmallVectorImpl<Expr> &operands);
  Expr takeFactor(SmallVectorImpl<Expr> &operands, bool &isMin, Why &why);
  Expr pairMinMax(Expr e);
  Reduced applyRules(Expr e);
  bool isBelow(Expr a, Expr b, Why &why);
  bool cancelDivisor(Reduced &e, Atom q);

  // Order.cpp
  struct OrderSearch;
  bool provesByOrder(Expr e, Why &why);
  /// Left for a side of a question, or for a fact: edges, trials of sums.
  struct SearchLimits {
    unsigned edges = 12000, sums = 200;
  };
  SearchLimits searchLeft;
  // Roots.cpp
  bool hasNoRoot(Expr e, Why &why);
  // Combine.cpp
  bool provesByCombination(Expr e, Why &why);
  struct Combination;
  bool combine(Expr e, Why &why, unsigned depth, Combination &search);
  bool combineTerm(Expr e, const Expr::Term &term, Why &why, unsigned depth,
                   Combination &search);
  bool combineFact(Expr e, const Expr::Term &term, Expr primitive, Expr part,
                   Why &why, unsigned depth, Combination &search);
  // Prove.cpp
  const char *ruleForAtLeastZero(Expr e, Why &why);
  bool nonNegativeDirect(Expr e, Why &why);
  bool zeroDirect(Expr e, Why &why);
  bool nonZeroDirect(Expr e, Why &why);
  bool splitCases(Expr e, Why &why,
                  llvm::function_ref<bool(Expr, Why &)> proves);
  bool splitAtom(Expr e, Atom atom, bool needsAll, Why &why,
                 llvm::function_ref<bool(Expr, Why &)> proves);
  bool boundCases(Expr e, Why &why, unsigned splits);
  bool isExcluded(Expr e, Why &why, unsigned fuel = maxFuel);

  // Propagate.cpp
  void addNonNegative(Expr e, Why why);
  void addWithin(Expr e, const Bound &bound);
  void addZero(Expr e, Why why);
  void addNonZero(Expr e, Why why);
  void addDivides(Expr d, Expr e, Why why);
  void addResidue(Expr e, const Residue &residue, Why why);
  void addBound(Expr primitive, const Bound &bound);
  void solveFor(Expr e, Why why);
  Atom rarestAtomOf(Expr monomial) const;
  void residuesOfEquality(Expr e, Why why);
  void eliminate(Expr atom, Expr value, Why why);
  void restate(Expr atom);
  void stateWithoutFactor(Expr primitive, const Bound &bound);
  FormInfo &touch(Expr primitive);
  void contradict(Why why);
  void propagate();
  void propagateForm(Expr primitive);
  void propagateZeroProduct(Expr primitive, const Bound &whole);
  void propagateFactors(Expr primitive, const Bound &bound);
  void propagateRoots(Expr primitive, const Bound &bound);
  void propagateResidueRoots(Expr primitive);
  void boundDivisor(Expr divisor, Expr dividend, Why why);
  void compareMultiples(const Multiple &multiple);
  void propagateZeroFactors(Expr primitive, const Bound &bound);
  void propagateOperands(Atom atom, const Bound &bound);
  void propagateOnlyOperand(Atom atom, const Bound &bound);
  void tightenEnds(Expr primitive, FormInfo &info);
  void index(Expr primitive);
  void addReaders(Expr primitive, FormInfo &info);
  void queueFormsOf(Atom atom, const Range &now);
  void countUse(Atom atom, Expr primitive, bool isTerm);
  bool isShared(Expr primitive) const;
  void link(Expr primitive);
  void noteRestated(Expr primitive, Atom symbol);
  void linkWithOwnValues(Expr primitive);
  void linkIfHollow(Expr primitive, const Bound &bound);
  /// Forms that say of the atom what its bounds and residue do not.
  ArrayRef<Expr> formsAround(Atom atom) const;
  // Order.cpp
  void addEdges(Expr primitive, FormInfo &info);
  void addEdge(Expr difference, Why why);
  void addOrder(Expr e, Why why);
  void addOrderOfAtoms(Expr e, Why why);
  void addDifferences(Expr e, Why why);
  bool refutes(const Relation &relation, Why &why);
  void stateChanged();
  void trim();
  /// A change of what is known: a fact, or a declaration. Reasons that are made
  /// meanwhile stay as long as the level; those of queries do not.
  class Change {
  public:
    explicit Change(Knowledge &k) : k(k) {
      k.trim();
      k.isChanging = true;
      k.readsMultiples = false;
    }
    Change(const Change &) = delete;
    Change &operator=(const Change &) = delete;
    ~Change() {
      k.readsMultiples = true;
      k.stateChanged();
      k.reasonFloor = k.reasons.size();
      k.isChanging = false;
    }

  private:
    Knowledge &k;
  };
  template <typename Fn>
  void undo(Fn fn) {
    if (levels)
      trail.push_back(std::move(fn));
  }

  // State, restored by the trail.
  llvm::DenseMap<Expr, SymbolInfo> declarations;
  llvm::DenseMap<Expr, FormInfo> forms;
  /// Values that a form does not take.
  llvm::DenseMap<Expr, ExcludedValues> excluded;
  /// Forms that have the atom as a factor of a term, or inside one.
  llvm::DenseMap<Atom, std::vector<Expr>> formsOf;
  /// Of `formsOf`, sums of symbols, whose bounds say something of the other
  /// symbols once the least, or the greatest, value of this one moves; and
  /// those that are not such sums.
  llvm::DenseMap<std::pair<Atom, unsigned>, std::vector<Expr>> readersOf;
  llvm::DenseMap<Atom, std::vector<Expr>> otherFormsOf;
  /// How many forms of several terms, and products, have the atom; with none or
  /// one it is a leaf.
  llvm::DenseMap<Atom, unsigned> uses;
  /// The part of `formsOf` that connects the atom with others: see State.cpp.
  llvm::DenseMap<Atom, std::vector<Expr>> linkedForms;
  llvm::DenseSet<Expr> linked;
  /// Difference graph: `to >= from + weight`, where the weight is the lower
  /// bound of the form, minus its upper bound, or, without a form, a number.
  struct Edge {
    Expr node; ///< the other end
    Expr form;
    bool usesMin;
    DynamicAPInt weight;
    Why why;
  };
  void connect(Expr from, Expr to, Edge edge);
  llvm::DenseMap<Expr, std::vector<Edge>> successors, predecessors;
  /// Forms of several terms, by the monomial of each.
  llvm::DenseMap<Expr, std::vector<Expr>> formsWithTerm;
  /// From a form without its common monomial to the forms that had one.
  llvm::DenseMap<Expr, std::vector<Expr>> stripped;
  /// Atoms and monomials with an equal expression. Symbols: never cyclic.
  llvm::DenseMap<Expr, Reduced> solved;
  /// Forms that say what a symbol is equal to. The symbol is replaced by that,
  /// so what is later learnt of one need not be carried to the other.
  llvm::DenseSet<Expr> definitions;
  /// Forms of a replaced symbol, which have been stated again without it, and
  /// the symbol: see State.cpp.
  llvm::DenseMap<Expr, Atom> restated;
  /// Counts up whenever `solved` changes.
  uint64_t numSolved = 0;
  /// What replaces a solved symbol, fully resolved as of `numSolved`.
  struct Resolution {
    Reduced value;
    uint64_t numSolved;
  };
  llvm::DenseMap<Expr, Resolution> resolutions;
  /// Those that queries have found, with the previous entries.
  std::vector<std::pair<Expr, std::optional<Resolution>>> queryResolutions;
  void remember(Expr symbol, const Reduced &value);
  void restore(Expr symbol, const std::optional<Resolution> &before);
  /// Monomials of degree >= 2 in `solved`, each by one of its atoms.
  llvm::DenseMap<Atom, std::vector<Expr>> rules;
  std::vector<Multiple> multiples; ///< by divisors that are not numbers
  /// The numbers of those with the atom in the value, at any depth.
  llvm::DenseMap<Atom, std::vector<size_t>> multiplesOf;
  void addMultiple(const Multiple &multiple);
  std::vector<std::function<void()>> trail;
  unsigned levels = 0;
  /// Nodes of `reasons` that the state needs; later ones belong to queries.
  size_t reasonFloor = 1;
  bool isChanging = false;

  // Limits of one `reduce`.
  unsigned reduceNesting = 0, roundsLeft = 0;

  // Work list of one `add`.
  std::vector<Expr> pending;
  llvm::DenseMap<Expr, unsigned> updates;
  /// The ranges of what is on the list when it was last looked at.
  llvm::DenseMap<Expr, Range> lookedAt;
  std::vector<std::pair<Expr, Why>> pendingZero;

  // Caches, dropped whenever the state changes.
  llvm::DenseMap<std::pair<Expr, unsigned>, Bound> boundCache;
  llvm::DenseMap<Expr, Reduced> reduceCache;
  llvm::DenseMap<Expr, std::pair<Residue, Why>> residueCache;
  /// Multiples as reduced by other facts, by their number.
  llvm::DenseMap<size_t, Multiple> multiplesCache;
  /// The newest expression of a fact or in a cache: symbols in it are older.
  unsigned newest = 0;
  void noteRead(Expr e) { newest = std::max(newest, e.id()); }
  /// Whether `multiplesCache` may be filled: not while the facts under it
  /// change.
  bool readsMultiples = true;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_KNOWLEDGE_H
