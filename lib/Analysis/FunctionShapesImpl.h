//===- FunctionShapesImpl.h - The analysis of one function ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one implementation of FunctionShapes (read by passes) and of ShapeFacts
// (written by rules). Private to lib/Analysis.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_ANALYSIS_FUNCTIONSHAPESIMPL_H
#define SYMSHAPE_LIB_ANALYSIS_FUNCTIONSHAPESIMPL_H

#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {

class FunctionShapesImpl;

/// What a call calls: the function, null when it is not of this module, and its
/// finished analysis, null when it has no body or is part of a recursion.
struct Callee {
  func::FuncOp function;
  FunctionShapesImpl *shapes = nullptr;
};
using CalleeLookup = llvm::function_ref<Callee(Operation *call)>;

class FunctionShapesImpl final : public FunctionShapes, public ShapeFacts {
public:
  FunctionShapesImpl(func::FuncOp function, ExprArena &arena,
                     const ShapeAnalysisOptions &options)
      : func(function), exprs(arena), chosenOptions(options), set(arena),
        entry(arena) {}

  /// Visits the whole body.
  void run(CalleeLookup lookup);

  // FunctionShapes and ShapeFacts.
  func::FuncOp function() const override { return func; }
  ExprArena &arena() override { return exprs; }
  const ShapeAnalysisOptions &options() const override { return chosenOptions; }
  Extent extent(Value shaped, int64_t dim) override;
  Expr dim(Value shaped, int64_t dim) override;
  Expr value(Value scalar) override;
  Formula condition(Value boolean) override;
  Expr element(Value shaped, ArrayRef<Expr> position) override;
  std::optional<bool> decided(Value boolean) override;
  ConstraintSet &facts() override { return set; }
  ConstraintSet &entryFacts() override { return entry; }
  ConstraintSet &constraints() override { return set; }
  ArrayRef<Requirement> requirements() const override { return required; }
  ArrayRef<Requirement> declared() const override { return declaredFacts; }
  const SymbolDef *definition(Expr symbol) const override;
  SmallVector<Expr> symbolsOfDim(BlockArgument argument,
                                 int64_t dim) const override;
  bool isBacked(const Formula &f) const override;
  bool callersTakeOver() const override { return exportsObligations; }
  /// The two expressions of which `symbol` is one, of unknown order; null for
  /// any other symbol. Chains of such facts weigh: they are for questions.
  std::pair<Expr, Expr> sidesOfJoin(Expr symbol) const {
    return joins.lookup(symbol);
  }
  void setCallersTakeOver(bool value) { exportsObligations = value; }
  ArrayRef<Operation *> opsWithoutRule() const override { return noRule; }

  // ShapeFacts, writing.
  using ShapeFacts::imply;
  using ShapeFacts::require;
  using ShapeFacts::setExtent;
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

  /// What an op, run, taught: facts that hold behind it in its block.
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
  /// Every symbol with what is declared of it, in the order of declaration.
  ArrayRef<std::pair<Expr, SymbolInfo>> declarations() const { return symbols; }

private:
  friend class SignatureReader;
  /// One enclosing region: the condition under which it is reached, and its
  /// loop counters.
  struct Scope {
    Formula premise;
    SmallVector<IterationVar, 0> iterations;
    /// How many of `symbols`, `alternatives` and `elementCounts` are older.
    size_t firstSymbol = 0, firstAlternative = 0, firstCount = 0;
  };

  void setDynamicExtent(Value shaped, int64_t dim, Extent extent) override;
  void visitOp(Operation *op);
  void visitBlocks(Region &region);
  void closeScope();
  /// Assumes `f`, as taught by the current op.
  void learn(const Formula &f);
  void visitCall(Operation *call);
  void instantiate(Operation *call, FunctionShapesImpl &callee);
  void trustSignature(Operation *call, func::FuncOp callee);
  void visitReturn(Operation *ret);
  bool applyValueBounds(Operation *op);
  bool applyDestinationStyle(Operation *op);
  void applyIntegerRanges(Operation *op);
  void applyDefaults(Operation *op);
  void record(Requirement requirement);
  /// Proves and learns what is required.
  Answer establish(const Formula &f);
  void openScope(const Formula &premise,
                 SmallVector<IterationVar, 0> iterations);
  /// `e` under the facts that hold now.
  Expr simplify(Expr e);
  /// A disjunction with the sides of its relations simplified.
  Formula simplifyParts(const Formula &disjunction);
  void noteElements(Operation *op);
  Expr beforeWrapping(Expr e, unsigned width);
  bool countsElements(Expr e);
  bool setProduct(Value scalar, Expr e);
  Expr newSymbol(StringRef hint, const SymbolDef &def, const SymbolInfo &info);
  Expr ownSymbol(Value shaped, int64_t dim);
  Expr ownSymbol(Value scalar);
  void define(Expr symbol, const SymbolDef &def);
  void bindIfAnonymous(Expr e, const SymbolDef &def);
  /// A result of `op` that is `e`: itself, or, where it is made of a value in a
  /// region of `op`, which no check outside can compute, a number of its own
  /// that is equal to it.
  Expr seenOutside(Expr e, Operation *op, llvm::function_ref<Expr()> makeOwn);
  void forget(Value value);
  void forgetInside(Operation *op);
  /// Whether a value is a function of dims of arguments.
  bool allBacked(Expr e) const;

  func::FuncOp func;
  ExprArena &exprs;
  ShapeAnalysisOptions chosenOptions;
  /// What holds at the op being visited.
  ConstraintSet set;
  /// What the signature alone says.
  ConstraintSet entry;
  /// A scope of `set` forgets the declarations of its own when it closes, and
  /// they are made again.
  SmallVector<std::pair<Expr, SymbolInfo>, 0> symbols;
  DenseMap<Block *, std::vector<Learned>> learned;
  DenseMap<Region *, RegionEntry> regionEntries;
  DenseMap<std::pair<Value, int64_t>, Extent> extents;
  DenseMap<std::pair<Value, int64_t>, Expr> dimSymbols;
  DenseMap<Value, Expr> values;
  /// Symbols that are one of two expressions of unknown order.
  DenseMap<Expr, std::pair<Expr, Expr>> joins;
  /// Results that may wrap, by what they are before they do.
  DenseMap<std::pair<Expr, Type>, Value> wrapped;
  /// Symbols of such results: what they are modulo 2^bits.
  struct Modular {
    Expr e;
    unsigned bits = 0;
  };
  DenseMap<Expr, Modular> modular;
  /// Numbers of elements that the ops so far compute, one by one.
  SmallVector<Expr, 0> elementCounts;
  DenseMap<Value, Formula> conditions;
  DenseMap<Value, bool> decisions;
  DenseMap<Value, ElementFn> elementFns;
  DenseMap<Expr, SymbolDef> definitions;
  /// What definitions were before an attempt changed them.
  SmallVector<std::pair<Expr, std::optional<SymbolDef>>> redefined;
  unsigned openAttempts = 0;
  DenseMap<std::pair<Value, int64_t>, unsigned> notes;
  /// In the order of the signature: the symbol of each dynamic dim.
  SmallVector<std::pair<std::pair<Value, int64_t>, Expr>, 0> argumentDims;
  SmallVector<Requirement, 0> required;
  SmallVector<Requirement, 0> declaredFacts;
  SmallVector<Operation *> noRule;
  SmallVector<Scope, 4> scopes;
  /// Disjunctions that are assumed or were required and hold since, simplified:
  /// the set of facts holds none, and the ops of a derivative require those of
  /// the program again and again.
  std::vector<Formula> alternatives;
  /// Counters declared by the op being visited, for its next regions.
  SmallVector<IterationVar, 0> pendingIterations;
  Operation *current = nullptr;
  CalleeLookup calleeLookup = nullptr;
  bool exportsObligations = false;
};

/// Assumes what held when a region was entered.
void assumeEntry(ConstraintSet &set,
                 const FunctionShapesImpl::RegionEntry &entry);

/// Reads symbols, shapes and assumptions of a signature into `shapes`: names
/// the dims of the arguments, declares and assumes what is declared, and
/// records each as an obligation of the caller.
void readSignature(FunctionShapesImpl &shapes);

/// `requirement` as a formula over the arguments of the function (dims and
/// scalars); nullopt where it depends on data or cannot be said exactly.
std::optional<Formula> closeOverArguments(FunctionShapes &shapes,
                                          const Requirement &requirement);

/// Which part of a symbol's declaration a relation of it is.
inline StringRef fieldOfDeclared(const Relation &relation) {
  return relation.kind == Relation::Divides ? "declared residue"
                                            : "declared range";
}

/// Whether `type` is index or a signless integer of at most 64 bits.
bool isScalarInteger(Type type);
/// The values a scalar of the type can have, read as signed (i1: 0 or 1).
Range rangeOfType(Type type);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_ANALYSIS_FUNCTIONSHAPESIMPL_H
