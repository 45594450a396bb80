//===- FunctionShapes.h - What is known of one function ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of the analysis of one function, for passes to read. The rules of
// ops write it, and see only its ShapeFacts.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_ANALYSIS_FUNCTIONSHAPES_H
#define SYMSHAPE_ANALYSIS_FUNCTIONSHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "symshape/IR/ShapeFacts.h"

namespace mlir::symshape {

/// No dimension of an argument is larger: guards establish it, so that sums and
/// products of a few extents fit 64 bits (docs/Rationale/IntegerModel.md).
constexpr int64_t kMaxExtent = (int64_t(1) << 48) - 1;

/// Where a symbol gets its value.
struct SymbolDef {
  enum Kind {
    Dim,       ///< dimension `dim` of `value`
    Scalar,    ///< the scalar `value`
    Solved,    ///< a declared symbol: `solution`, over symbols of kind Dim
    Iteration, ///< a loop counter; has no value outside the loop
    Callee     ///< stands for a data-dependent symbol of a callee
  };
  Kind kind = Callee;
  Value value;
  int64_t dim = -1;
  Expr solution;
  /// Whether the value is a function of dims of the function's arguments.
  bool backed = false;
};

/// A loop counter, its closed bounds, and what else holds of each of its
/// values.
struct IterationVar {
  Expr symbol, lo, hi;
  SmallVector<Relation, 2> facts;
};

/// A requirement: `condition` must hold whenever `op` is reached.
struct Requirement {
  Operation *op = nullptr;
  /// The part of the op that needs it, such as "batch dimension".
  std::string field;
  /// The same for tools, as `operand[0].shape[1]`; empty: use `field`.
  std::string part;
  /// The user's message, when the op is an assert.
  std::string message;
  Formula condition;
  /// The op is reached when all of these hold (outermost first) ...
  SmallVector<Formula, 0> premises;
  /// ... for each value of these counters.
  SmallVector<IterationVar, 0> iterations;
  /// The answer from the facts that held before the op.
  Answer answer;
  /// The call through which it came from an op of a callee.
  Operation *call = nullptr;

  /// Whether the user wrote it as an assert.
  bool isUserAssert = false;
};

struct ShapeAnalysisOptions {
  /// Reads arithmetic on `index` values as exact, as upstream's value bounds
  /// do. Without it, a result that is not proved to fit is an unknown, unless
  /// its op says that it does not wrap. Answers are wrong for programs whose
  /// indices wrap.
  bool assumeNoWrap = false;
  /// Whether requirements are proved and listed, or only relied on after their
  /// op: for passes that ask for extents of a program whose checks are in
  /// place.
  bool proveRequirements = true;
  /// Which ops are asked about; null: all. Ops without results are not looked
  /// into if none of these is in them: nothing that they do shows outside.
  bool (*isAsked)(Operation *op) = nullptr;

  /// For those who ask for extents and values alone.
  static ShapeAnalysisOptions
  forExtents(bool (*isAsked)(Operation *op) = nullptr) {
    ShapeAnalysisOptions options;
    options.proveRequirements = false;
    options.isAsked = isAsked;
    return options;
  }
};

class FunctionShapes;

/// What a call calls: the function, null when it is not of this module, and its
/// finished analysis, null when it has no body or is part of a recursion.
struct Callee {
  func::FuncOp function;
  FunctionShapes *shapes = nullptr;
};
using CalleeLookup = llvm::function_ref<Callee(Operation *call)>;

/// What is known of one function, and the engine that its passes ask.
class FunctionShapes final : private ShapeFacts {
public:
  FunctionShapes(func::FuncOp function, ExprArena &arena,
                 const ShapeAnalysisOptions &options)
      : func(function), exprs(arena), chosenOptions(options), set(arena),
        entry(arena) {
    set.spendFrom(&budget);
    entry.spendFrom(&budget);
  }

  /// Visits the whole body, once, before anything is asked.
  void run(CalleeLookup lookup);
  void setCallersTakeOver(bool value) { exportsObligations = value; }

  func::FuncOp function() const { return func; }
  ExprArena &arena() override { return exprs; }
  const ShapeAnalysisOptions &options() const { return chosenOptions; }
  /// What is known of a dimension; exact for a static one.
  Extent extent(Value shaped, int64_t dim) override;
  /// The expression of a dimension: the exact extent, or its own symbol.
  Expr dim(Value shaped, int64_t dim) override;
  /// The expression of an index or integer scalar, simplified under the facts
  /// that held at its definition.
  Expr value(Value scalar) override;
  Formula condition(Value boolean) override;
  /// The element of an integer tensor at a position; null when unknown.
  Expr element(Value shaped, ArrayRef<Expr> position) override;
  using ShapeFacts::apply;
  /// The facts that hold throughout the body: what the signature declares, and
  /// what ops outside of branches and loops imply and require.
  ConstraintSet &facts() { return set; }
  /// The facts that hold before the body: what the signature declares.
  ConstraintSet &entryFacts() { return entry; }
  /// Whether every caller takes over the requirements that are functions of the
  /// arguments: a private function, only called, not recursive.
  bool callersTakeOver() const { return exportsObligations; }
  /// Every requirement, in the order of the ops.
  ArrayRef<Requirement> requirements() const { return required; }
  /// What the signature declares, as requirements on callers: ranges, residues,
  /// repeated symbols, assumptions.
  ArrayRef<Requirement> declared() const { return declaredFacts; }
  /// What is known of an integer scalar by itself, beside its expression: it
  /// holds if computing it has no undefined behaviour, as an overflow that its
  /// op rules out. At least the range of its type.
  Range rangeOf(Value scalar) const;
  /// Whether a run may come to `op`, as far as ranges of integers tell: its
  /// block is entered, and all integers before it in that block are computed.
  bool isReached(Operation *op) const;
  /// Where a symbol comes from; null for a symbol of another function.
  const SymbolDef *definition(Expr symbol) const;
  /// The symbols that stand for a dim of an argument, at least one.
  ArrayRef<Expr> symbolsOfDim(BlockArgument argument, int64_t dim) const;
  /// Whether all symbols are functions of the arguments' dims.
  bool isBacked(const Formula &f) const;
  /// The ops that no rule was found for.
  ArrayRef<Operation *> opsWithoutRule() const { return noRule; }
  /// The two expressions of which `symbol` is one, of unknown order; null for
  /// any other symbol. Chains of such facts are costly: for questions only.
  std::pair<Expr, Expr> sidesOfJoin(Expr symbol) const {
    return joins.lookup(symbol);
  }
  /// The name of an argument in messages.
  std::string spellingOfArgument(unsigned index) const;
  /// What a symbol stands for: `dim 0 of %q`, `the result of arith.addi`.
  std::string describeSymbol(Expr symbol);
  /// The extent in names that mean something outside of this analysis; if it
  /// has none, the least bounds in such names that are found, as one. The limit
  /// of all extents is not a bound.
  Extent namedExtent(Value shaped, int64_t dim);
  /// That extent as an attribute prints it: `2*B`, `<= N`, `?`.
  std::string printExtent(Value shaped, int64_t dim);
  /// `e` without symbols that were solved for: a declared name such as that of
  /// `2*n` becomes what it was solved for.
  Expr expand(Expr e);
  /// Whether every symbol of `e` is declared or a dim of an argument.
  bool isNamed(Expr e) const;

  /// What an op implies once run: facts that hold after it in its block.
  using Learned = std::pair<Operation *, Formula>;
  ArrayRef<Learned> learnedIn(Block *block) const;
  /// What held when a region was entered, beside what held at its op.
  struct RegionEntry {
    Formula premise;
    SmallVector<IterationVar, 0> iterations;
    /// How much of what was learned in the op's block came before.
    size_t learnedBefore = 0;
  };
  /// Null for a region that was not visited.
  const RegionEntry *entryOf(Region *region) const;
  /// The condition under which it is entered at all, as seen from before its
  /// op: for the second region of an `scf.while`, that of its first
  /// iteration.
  Formula firstPremise(Region *region);
  /// Every symbol with what is declared of it, in the order of declaration.
  ArrayRef<std::pair<Expr, SymbolInfo>> declarations() const { return symbols; }

private:
  friend class SignatureReader;
  // For the rules of ops.
  ConstraintSet &constraints() override { return set; }
  void setValue(Value scalar, Expr e) override;
  void setWrapped(Value scalar, Expr e) override;
  bool fitsType(Expr e, Type type) override;
  void setCondition(Value boolean, Formula f) override;
  void setElements(Value shaped, ElementFn element) override;
  void imply(const Formula &f) override { learn(f); }
  bool bindSymbol(Expr symbol, Expr value) override;
  Expr boundValue(Expr symbol) override;
  void require(const Formula &f, const Twine &field) override;
  void requireAsserted(const Formula &f, StringRef message) override;
  void visitRegion(Region &region, const Formula &premise,
                   llvm::function_ref<void()> atEnd = {}) override;
  bool attempt(llvm::function_ref<bool()> rule) override;
  unsigned &noteOf(Value argument, int64_t dim) override {
    return notes[{argument, dim}];
  }
  Expr iterationSymbol(Expr lo, Expr hi) override;
  void implyOfIteration(const Relation &r) override {
    pendingIterations.back().facts.push_back(r);
  }
  Expr join(const Formula &condition, Expr a, Expr b) override;
  void setJoin(Value result, const Formula &condition, Value a,
               Value b) override;

  /// One enclosing region: the condition under which it is reached, and its
  /// loop counters.
  struct Scope {
    Formula premise;
    SmallVector<IterationVar, 0> iterations;
    /// How many of `symbols`, `alternatives` and `elementCounts` are older.
    size_t firstSymbol = 0, firstAlternative = 0, firstCount = 0;
  };

  void setDynamicExtent(Value shaped, int64_t dim, Extent extent) override;
  void implyRange(Value scalar, const Range &known);
  void applyCarriedRanges(Operation *op);
  void visitOp(Operation *op);
  void visitBlocks(Region &region);
  void findHolders();
  bool isLeftOut(Operation *op) const;
  void closeScope();
  /// Assumes `f`, as implied by the current op.
  void learn(const Formula &f);
  void visitCall(Operation *call);
  void instantiate(Operation *call, FunctionShapes &callee);
  void setResultsOf(func::CallOp call, func::ReturnOp ret,
                    FunctionShapes &callee,
                    llvm::function_ref<Expr(Expr)> rewrite);
  void trustSignature(Operation *call, func::FuncOp callee);
  void visitReturn(Operation *ret);
  bool applyValueBounds(Operation *op);
  bool applyDestinationStyle(Operation *op);
  std::optional<ConstantIntRanges> rangeOfResult(OpResult ofCall) const;
  std::optional<ConstantIntRanges> integerRange(Value value);
  void applyIntegerRanges(Operation *op);
  bool isRangeUnknown(Operation *op);
  void applyDefaults(Operation *op);
  void record(Requirement requirement);
  /// Proves and learns what is required.
  Answer establish(const Formula &f);
  void openScope(const Formula &premise,
                 SmallVector<IterationVar, 0> iterations);
  /// `e` under the facts that hold now.
  Expr simplify(Expr e);
  Expr simplifyShallow(Expr e);
  /// A disjunction with the sides of its relations simplified.
  Formula simplifyParts(const Formula &disjunction);
  void noteElements(Operation *op);
  Expr beforeWrapping(Expr e, unsigned width);
  bool countsElements(Expr e);
  bool setProduct(Value scalar, Expr e);
  Expr newSymbol(StringRef hint, const SymbolDef &def, SymbolInfo info);
  Expr ownSymbol(Value shaped, int64_t dim);
  Expr ownSymbol(Value scalar);
  void define(Expr symbol, const SymbolDef &def);
  void bindIfAnonymous(Expr e, const SymbolDef &def);
  /// A result of `op` that is `e`: itself, or, if it uses a value in a region
  /// of `op`, which no check outside can compute, a new symbol that is equal to
  /// it.
  Expr seenOutside(Expr e, Operation *op, llvm::function_ref<Expr()> makeOwn);
  void forget(Value value);
  void forgetInside(Operation *op);
  Expr namedBound(Expr e);
  /// Whether a value is a function of dims of arguments.
  bool allBacked(Expr e) const;

  func::FuncOp func;
  ExprArena &exprs;
  ShapeAnalysisOptions chosenOptions;
  /// What the proofs about ops may still cost.
  StepBudget budget;
  /// What holds at the op being visited.
  ConstraintSet set;
  /// What the signature alone says.
  ConstraintSet entry;
  /// All declarations: `set` forgets those of a scope that closes, and they are
  /// made again.
  SmallVector<std::pair<Expr, SymbolInfo>, 0> symbols;
  DenseMap<Block *, std::vector<Learned>> learned;
  DenseMap<Region *, RegionEntry> regionEntries;
  DenseMap<std::pair<Value, int64_t>, Extent> extents;
  DenseMap<std::pair<Value, int64_t>, Expr> dimSymbols;
  DenseMap<Value, Expr> values;
  /// Symbols that are one of two expressions of unknown order.
  DenseMap<Expr, std::pair<Expr, Expr>> joins;
  /// Results that may wrap, by their values before wrapping.
  DenseMap<std::pair<Expr, Type>, Value> wrapped;
  /// Symbols of such results: what they are modulo 2^bits.
  struct Modular {
    Expr e;
    unsigned bits = 0;
  };
  DenseMap<Expr, Modular> modular;
  /// Numbers of elements that the ops so far compute, one by one.
  SmallVector<Expr, 0> elementCounts;
  /// Ranges of scalars and of the elements of vectors, each by itself: found
  /// before the visit.
  DenseMap<Value, ConstantIntRanges> integerRanges;
  DenseSet<Block *> reached; ///< blocks that runs may come to, by these ranges
  /// Ranges of the elements of vectors of integers, by what the visit found.
  DenseMap<Value, ConstantIntRanges> vectorRanges;
  DenseMap<Value, Formula> conditions;
  DenseMap<Value, ElementFn> elementFns;
  unsigned elementSteps = 0; ///< questions for elements within each other
  DenseMap<Expr, SymbolDef> definitions;
  /// Bounds in names, null where there are none, and of how many facts.
  DenseMap<Expr, std::pair<Expr, size_t>> namedBounds;
  /// What definitions were before an attempt changed them.
  SmallVector<std::pair<Expr, std::optional<SymbolDef>>> redefined;
  unsigned openAttempts = 0;
  DenseMap<std::pair<Value, int64_t>, unsigned> notes;
  /// The symbols of each dynamic dim of an argument.
  DenseMap<std::pair<Value, int64_t>, SmallVector<Expr, 1>> argumentDims;
  SmallVector<Requirement, 0> required;
  SmallVector<Requirement, 0> declaredFacts;
  SmallVector<Operation *> noRule;
  /// The ops around those that are asked about, if not all are.
  DenseSet<Operation *> holders;
  SmallVector<Scope, 4> scopes;
  /// Disjunctions that are assumed, or required and so hold since, simplified:
  /// the set of facts holds none, and the ops of a derivative require those of
  /// the program again and again.
  std::vector<Formula> alternatives;
  /// Counters declared by the op being visited, for its next regions.
  SmallVector<IterationVar, 0> pendingIterations;
  Operation *current = nullptr;
  CalleeLookup calleeLookup = nullptr;
  bool exportsObligations = false;
};

/// The name in messages of a function: for a copy, that of what it is one of.
StringRef spellingOf(func::FuncOp function);

/// The name in messages of an argument of a function with a body: `%q`, or
/// `argument #0`.
std::string spellingOfArgument(func::FuncOp function, unsigned index);

inline std::string FunctionShapes::spellingOfArgument(unsigned index) const {
  return symshape::spellingOfArgument(function(), index);
}

} // namespace mlir::symshape

#endif // SYMSHAPE_ANALYSIS_FUNCTIONSHAPES_H
