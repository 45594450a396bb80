//===- FunctionFacts.cpp - What is known where a function returns ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionFacts.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "symshape/Analysis/FactCursor.h"
#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::test;

namespace {
/// A scalar, or dimension `dim` of a value.
struct Quantity {
  Value value;
  int64_t dim = -1;
};

/// One function where it returns: its quantities by their names, and what its
/// symbols are called by these.
class Return {
public:
  Return(FunctionShapes &shapes, func::ReturnOp op)
      : shapes(shapes), cursor(shapes), facts(cursor.before(op)) {
    for (BlockArgument argument : shapes.function().getArguments())
      add("argument" + std::to_string(argument.getArgNumber()), argument);
    for (OpOperand &operand : op->getOpOperands())
      add("result" + std::to_string(operand.getOperandNumber()), operand.get());
  }

  FactsOfFunction collect();
  /// What `text` says here; nullopt for one of other quantities.
  std::optional<Formula> read(StringRef text);
  /// Whether that is proved here, where `others` hold as well.
  bool holds(StringRef text, ArrayRef<Formula> others);
  /// What holds beside the facts: what is required under a condition, and facts
  /// that are one of several things.
  std::vector<Formula> getOtherFacts();

private:
  void add(const std::string &name, Value value);
  void addQuantity(const std::string &text, Quantity quantity);
  Expr valueOf(const Quantity &q) {
    return q.dim < 0 ? shapes.value(q.value) : shapes.dim(q.value, q.dim);
  }
  std::optional<Formula> spell(const Formula &f);
  void collectQuantity(Expr name, const Quantity &quantity);
  enum class Facts { Stated, Needed, All };
  std::vector<Formula> getRequirements(Facts which);
  void note(const Formula &f);

  FunctionShapes &shapes;
  FactCursor cursor;
  ConstraintSet &facts;
  llvm::MapVector<Expr, Quantity> quantities; ///< by their names
  DenseMap<Expr, Expr> names;                 ///< of symbols
  std::vector<std::string> texts;
};
} // namespace

void Return::add(const std::string &name, Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  if (type && type.hasRank() && isa<TensorType, MemRefType>(type)) {
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      addQuantity(name + "_" + std::to_string(dim), {value, dim});
  } else if (value.getType().isIndex() ||
             (value.getType().isSignlessInteger() &&
              !value.getType().isInteger(1))) { // no number
    addQuantity(name, {value});
  }
}

void Return::addQuantity(const std::string &text, Quantity quantity) {
  Expr name = shapes.arena().symbol(text);
  quantities.insert({name, quantity});
  names.insert({name, name});
  // A symbol is called by the first quantity that it is.
  if (Expr e = shapes.expand(valueOf(quantity)); e.asSymbol())
    names.insert({e, name});
}

/// `f` in terms of names; nullopt where there is none for a symbol.
std::optional<Formula> Return::spell(const Formula &f) {
  if (f.hasOpaque() || f.isTrue() || f.isFalse())
    return std::nullopt;
  Formula expanded =
      f.substitute([&](Expr symbol) { return shapes.expand(symbol); });
  for (Expr symbol : expanded.symbols())
    if (!names.contains(symbol))
      return std::nullopt;
  return expanded.substitute([&](Expr symbol) { return names.at(symbol); });
}

void Return::note(const Formula &f) {
  if (f.isWritable())
    texts.push_back(f.str());
}

/// What the type alone says.
static symshape::Range getLimits(const Quantity &q) {
  if (q.dim >= 0)
    return symshape::Range::between(0, kMaxExtent);
  Type type = q.value.getType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return {llvm::DynamicAPInt(llvm::APInt::getSignedMinValue(width)),
          llvm::DynamicAPInt(llvm::APInt::getSignedMaxValue(width))};
}

/// What is known of a quantity: which expression of the others it is, its
/// range, its residue.
void Return::collectQuantity(Expr name, const Quantity &q) {
  ExprArena &arena = shapes.arena();
  Extent extent =
      q.dim < 0 ? Extent::exact(valueOf(q)) : shapes.extent(q.value, q.dim);
  if (extent.kind != Extent::Unknown)
    if (auto spelled = spell(extent.relationOf(name)))
      note(*spelled);
  Expr e = valueOf(q);
  ConstraintSet &declared = shapes.entryFacts();
  symshape::Range range = declared.bounds(e);
  symshape::Range limits = getLimits(q);
  if (range.min && *range.min > *limits.min)
    note(Relation::ge(name, arena.constant(*range.min)));
  if (range.max && *range.max < *limits.max)
    note(Relation::le(name, arena.constant(*range.max)));
  Residue residue = declared.residue(e);
  if (!residue.isAll() && !range.isSingle())
    note(Relation::divides(arena.constant(residue.modulus),
                           name - arena.constant(residue.remainder)));
}

/// What the signature and the ops require, in terms of names.
std::vector<Formula> Return::getRequirements(Facts which) {
  std::vector<Formula> result;
  for (const Requirement &requirement : llvm::concat<const Requirement>(
           shapes.declared(), shapes.requirements())) {
    bool isStated = requirement.isUserAssert || !requirement.op ||
                    isa<FunctionOpInterface, BindShapeOp, AssumeOp, AssertOp>(
                        requirement.op);
    if (which != (isStated ? Facts::Stated : Facts::Needed) &&
        which != Facts::All)
      continue;
    auto closed = closeOver(shapes, requirement, [&](const Formula &f) {
      return f.isTrue() || spell(f).has_value();
    });
    if (closed)
      if (auto spelled = spell(*closed))
        result.push_back(*spelled);
  }
  return result;
}

FactsOfFunction Return::collect() {
  FactsOfFunction result;
  result.numArguments = shapes.function().getNumArguments();
  result.numResults = shapes.function().getNumResults();
  if (facts.isContradictory() ||
      llvm::any_of(shapes.requirements(),
                   [](const Requirement &r) { return r.answer.isNo(); }))
    return result;
  for (auto [name, quantity] : quantities)
    collectQuantity(name, quantity);
  for (const Formula &f : getRequirements(Facts::Stated))
    note(f);
  for (const auto &[op, f] :
       shapes.learnedIn(&shapes.function().getBody().front()))
    if (isa<BindShapeOp, AssumeOp>(op))
      if (auto spelled = spell(f))
        note(*spelled);
  std::swap(texts, result.stated);
  for (const Formula &f : getRequirements(Facts::Needed))
    note(f);
  std::swap(texts, result.needed);
  // Only what the engine finds again, asked in this way.
  std::vector<Formula> others = getOtherFacts();
  for (std::vector<std::string> *kind : {&result.stated, &result.needed})
    llvm::erase_if(
        *kind, [&](const std::string &text) { return !holds(text, others); });
  return result;
}

std::vector<Formula> Return::getOtherFacts() {
  std::vector<Formula> result;
  for (const Formula &f : getRequirements(Facts::All))
    result.push_back(f.substitute(
        [&](Expr name) { return valueOf(quantities.lookup(name)); }));
  for (const auto &[op, f] :
       shapes.learnedIn(&shapes.function().getBody().front()))
    if (f.kind == Formula::Or)
      result.push_back(f);
  return result;
}

std::optional<Formula> Return::read(StringRef text) {
  ParseError error;
  std::optional<Formula> f = Formula::parse(shapes.arena(), text, error);
  if (!f || !llvm::all_of(f->symbols(), [&](Expr symbol) {
        return quantities.contains(symbol);
      }))
    return std::nullopt;
  return f->substitute([&](Expr s) { return valueOf(quantities.lookup(s)); });
}

bool Return::holds(StringRef text, ArrayRef<Formula> others) {
  std::optional<Formula> f = read(text);
  if (!f || prove(facts, *f).isYes())
    return true;
  facts.push();
  assume(facts, Formula::negate(*f));
  for (const Formula &each : others)
    assume(facts, each);
  bool isImplied = facts.isContradictory() || prove(facts, *f).isYes();
  facts.pop();
  return isImplied;
}

/// Calls `visit` for each function that returns in one place.
static void
forEachReturn(ModuleOp module,
              llvm::function_ref<void(func::FuncOp, Return &)> visit) {
  ShapeAnalysis analysis(module);
  module.walk([&](func::FuncOp function) {
    FunctionShapes *shapes = analysis.lookup(function);
    auto returns = llvm::to_vector(function.getOps<func::ReturnOp>());
    if (!shapes || returns.size() != 1)
      return;
    Return place(*shapes, returns.front());
    visit(function, place);
  });
}

/// A copy without dead code: who removes that, removes what it needs.
static OwningOpRef<ModuleOp> cloneLive(ModuleOp module) {
  OwningOpRef<ModuleOp> live = module.clone();
  for (bool changed = true; changed;) {
    changed = false;
    live->walk([&](Operation *op) {
      if (!isOpTriviallyDead(op))
        return;
      op->erase();
      changed = true;
    });
  }
  return live;
}

FunctionFacts test::collectFacts(ModuleOp module) {
  FunctionFacts facts;
  OwningOpRef<ModuleOp> live = cloneLive(module);
  forEachReturn(*live, [&](func::FuncOp function, Return &place) {
    facts[function.getName()] = place.collect();
  });
  return facts;
}

LostFacts test::findLostFacts(ModuleOp module, const FunctionFacts &facts) {
  LostFacts lost;
  forEachReturn(module, [&](func::FuncOp function, Return &place) {
    auto it = facts.find(function.getName());
    if (it == facts.end() ||
        it->second.numArguments != function.getNumArguments() ||
        it->second.numResults != function.getNumResults())
      return;
    std::string name = "@" + function.getName().str() + ": ";
    std::vector<Formula> known = place.getOtherFacts(), needed = known;
    for (const std::string &text : it->second.needed) {
      ++lost.numCompared;
      if (place.holds(text, known))
        continue;
      lost.needed.push_back(name + text);
      needed.push_back(*place.read(text));
    }
    for (const std::string &text : it->second.stated) {
      ++lost.numCompared;
      if (!place.holds(text, known))
        (place.holds(text, needed) ? lost.needed : lost.stated)
            .push_back(name + text);
    }
  });
  return lost;
}
