//===- FunctionShapes.cpp - The analysis of one function ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of one function. Not for: the walk over its ops (Walk.cpp),
// signatures (Signature.cpp), calls (Calls.cpp), ops without a rule
// (Defaults.cpp), joins (Joins.cpp), what may wrap (Wrapping.cpp).
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

bool mlir::symshape::isScalarInteger(Type type) {
  return type.isIndex() ||
         (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
}

symshape::Range mlir::symshape::rangeOfType(Type type) {
  if (type.isInteger(1))
    return Range::between(0, 1);
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  int64_t max = static_cast<int64_t>((uint64_t(1) << (width - 1)) - 1);
  return Range::between(-max - 1, max);
}

Expr FunctionShapes::newSymbol(StringRef hint, const SymbolDef &def,
                               SymbolInfo info) {
  // What is found where no run comes may leave no number. Declarations hold at
  // all places, so this one would contradict the facts of each.
  if (info.aligned().isEmpty())
    info = {Range::all()};
  Expr symbol = exprs.freshSymbol(hint);
  set.declare(symbol, info);
  entry.declare(symbol, info);
  symbols.push_back({symbol, info});
  definitions[symbol] = def;
  if (QuestionLog *log = QuestionLog::current())
    log->describe(symbol, def.kind == SymbolDef::Iteration
                              ? "a loop counter"
                              : describeSymbol(symbol));
  return symbol;
}

/// Says what an existing symbol stands for.
void FunctionShapes::define(Expr symbol, const SymbolDef &def) {
  auto [it, isNew] = definitions.try_emplace(symbol, def);
  if (openAttempts)
    redefined.push_back(
        {symbol, isNew ? std::nullopt : std::optional(it->second)});
  it->second = def;
}

Expr FunctionShapes::ownSymbol(Value shaped, int64_t dim) {
  Expr &symbol = dimSymbols[{shaped, dim}];
  if (!symbol) {
    Expr fresh = newSymbol("%d", {SymbolDef::Dim, shaped, dim, Expr(), false},
                           {Range::between(0, INT64_MAX)});
    dimSymbols[{shaped, dim}] = fresh;
    return fresh;
  }
  return symbol;
}

Expr FunctionShapes::ownSymbol(Value scalar) {
  return newSymbol("%v", {SymbolDef::Scalar, scalar, -1, Expr(), false},
                   {rangeOf(scalar)});
}

/// Gives a symbol without a value that of the result it turns out to be: the
/// join of two branches, a callee's data-dependent size, a loop counter.
void FunctionShapes::bindIfAnonymous(Expr e, const SymbolDef &def) {
  if (!e.asSymbol())
    return;
  auto it = definitions.find(e);
  if (it == definitions.end() || it->second.value)
    return;
  SymbolDef bound = def;
  if (it->second.kind == SymbolDef::Iteration) {
    bound = it->second;
    bound.value = def.value;
  } else if (it->second.kind != SymbolDef::Callee) {
    return;
  }
  define(e, bound);
}

bool FunctionShapes::bindSymbol(Expr symbol, Expr value) {
  if (definitions.count(symbol))
    return false;
  SymbolInfo info = set.info(symbol);
  for (const Relation &relation : relationsOf(value, info))
    require(relation, fieldOfDeclared(relation));
  set.declare(symbol, info);
  define(symbol, {SymbolDef::Solved, Value(), -1, value, allBacked(value)});
  learn(Relation::eq(symbol, value));
  return true;
}

Expr FunctionShapes::boundValue(Expr symbol) {
  const SymbolDef *def = definition(symbol);
  return def && def->kind == SymbolDef::Solved ? def->solution : Expr();
}

const SymbolDef *FunctionShapes::definition(Expr symbol) const {
  auto it = definitions.find(symbol);
  return it == definitions.end() ? nullptr : &it->second;
}

bool FunctionShapes::allBacked(Expr e) const {
  return llvm::all_of(e.symbols(), [&](Expr s) {
    const SymbolDef *def = definition(s);
    return def && def->backed;
  });
}

ArrayRef<Expr> FunctionShapes::symbolsOfDim(BlockArgument argument,
                                            int64_t dim) const {
  auto it = argumentDims.find({argument, dim});
  return it == argumentDims.end() ? ArrayRef<Expr>() : ArrayRef(it->second);
}

bool FunctionShapes::isBacked(const Formula &f) const {
  if (f.hasOpaque())
    return false;
  return llvm::all_of(f.symbols(), [&](Expr s) { return allBacked(s); });
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Extent FunctionShapes::extent(Value shaped, int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(dim))
    return Extent::exact(exprs.constant(type.getDimSize(dim)));
  auto it = extents.find({shaped, dim});
  return it == extents.end() ? Extent::unknown() : it->second;
}

Expr FunctionShapes::dim(Value shaped, int64_t dim) {
  Extent known = extent(shaped, dim);
  return known.kind == Extent::Exact ? known.expr : ownSymbol(shaped, dim);
}

Expr FunctionShapes::value(Value scalar) {
  auto it = values.find(scalar);
  if (it != values.end())
    return it->second;
  Expr symbol = ownSymbol(scalar);
  values[scalar] = symbol;
  return symbol;
}

Formula FunctionShapes::condition(Value boolean) {
  auto it = conditions.find(boolean);
  if (it != conditions.end())
    return it->second;
  auto known = values.find(boolean);
  if (known != values.end())
    return Relation::ne(known->second, exprs.zero());
  return Formula::opaque();
}

/// Ops between a tensor and what its elements are known from: what each asks
/// of the one before nests, and is asked again for each element.
static constexpr unsigned maxElementSteps = 64;

Expr FunctionShapes::element(Value shaped, ArrayRef<Expr> position) {
  auto it = elementFns.find(shaped);
  if (it == elementFns.end() || elementSteps == maxElementSteps)
    return Expr();
  ++elementSteps;
  Expr e = it->second(position);
  --elementSteps;
  return e;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Sums of hundreds of terms nest. Expressions nested deeper than this are kept
/// as they are: looking through them again at each op would make a chain of ops
/// quadratic. Proofs look through them when they need to.
static constexpr unsigned maxNesting = 8;

/// Whether each look at `e` costs so much that a symbol of its own is better:
/// what is said of that stays short, and what is made of it does not grow
/// without end.
static bool isLarge(Expr e) {
  auto isLong = [](const Expr::Term &term) {
    return llvm::any_of(term.powers, [](const auto &power) {
      return power.first.operands().size() > 16;
    });
  };
  return e.size() > 4096 || e.depth() > 90 || llvm::any_of(e.terms(), isLong);
}

/// Tells what a symbol that stands for `e` keeps of it.
static void tellBounds(const ConstraintSet &set, Expr e, Expr own,
                       llvm::function_ref<void(const Relation &)> learn) {
  symshape::Range range = set.bounds(e, Effort::Quick);
  ExprArena &arena = own.arena();
  if (range.min)
    learn(Relation::le(arena.constant(*range.min), own));
  if (range.max)
    learn(Relation::le(own, arena.constant(*range.max)));
}

/// The region of the value of a symbol; null if it has no value.
static Region *homeOf(const FunctionShapes &shapes, Expr symbol) {
  const SymbolDef *def = shapes.definition(symbol);
  Value value = def ? def->value : Value();
  return value ? value.getParentRegion() : nullptr;
}

/// Not in terms of symbols of a region that the current op is not in: they have
/// no values there.
Expr FunctionShapes::simplify(Expr e) {
  auto isHidden = [&](Expr symbol) {
    Region *home = homeOf(*this, symbol);
    return home && current && !home->isAncestor(current->getParentRegion());
  };
  Expr simple = simplifyShallow(e);
  return simple == e || llvm::none_of(simple.symbols(), isHidden) ||
                 llvm::any_of(e.symbols(), isHidden)
             ? simple
             : e;
}

Expr FunctionShapes::simplifyShallow(Expr e) {
  SmallVector<Expr::Term, 4> deep, rest;
  if (e.depth() > maxNesting)
    for (const Expr::Term &term : e.terms()) {
      bool isDeep = llvm::any_of(term.powers, [](const auto &power) {
        return power.first.kind() == AtomKind::Named &&
               power.first.depth() >= maxNesting;
      });
      (isDeep ? deep : rest).push_back(term);
    }
  if (deep.empty())
    return set.simplify(e);
  Expr shallow = exprs.fromTerms(std::move(rest));
  Expr simple = set.simplify(shallow);
  return simple == shallow ? e : exprs.fromTerms(std::move(deep)) + simple;
}

Expr FunctionShapes::seenOutside(Expr e, Operation *op,
                                 llvm::function_ref<Expr()> makeOwn) {
  if (!op || op->getNumRegions() == 0)
    return e;
  if (llvm::none_of(e.symbols(), [&](Expr symbol) {
        Region *home = homeOf(*this, symbol);
        return home && op->isAncestor(home->getParentOp());
      }))
    return e;
  Expr own = makeOwn();
  learn(Relation::eq(own, e));
  return own;
}

void FunctionShapes::setDynamicExtent(Value shaped, int64_t dim,
                                      Extent extent) {
  // Extents are non-negative, so `<= 0` implies `== 0`.
  if (extent.kind == Extent::UpperBound && simplify(extent.expr).isConstant(0))
    extent = Extent::exact(exprs.zero());
  if (extent.kind == Extent::Exact) {
    bindIfAnonymous(extent.expr, {SymbolDef::Dim, shaped, dim, Expr(), false});
    extent.expr = seenOutside(simplify(extent.expr), shaped.getDefiningOp(),
                              [&] { return ownSymbol(shaped, dim); });
  }
  if (extent.expr && isLarge(extent.expr)) {
    extents.erase({shaped, dim});
    if (extent.kind == Extent::Exact)
      tellBounds(set, extent.expr, ownSymbol(shaped, dim),
                 [&](const Relation &fact) { learn(fact); });
    return;
  }
  extents[{shaped, dim}] = extent;
  if (extent.kind == Extent::UpperBound)
    learn(Relation::le(ownSymbol(shaped, dim), extent.expr));
}

void FunctionShapes::setValue(Value scalar, Expr e) {
  bindIfAnonymous(e, {SymbolDef::Scalar, scalar, -1, Expr(), false});
  Expr simple = simplify(e);
  auto own = [&] { return ownSymbol(scalar); };
  if (!isLarge(simple)) {
    values[scalar] = seenOutside(simple, scalar.getDefiningOp(), own);
    return;
  }
  Expr symbol = values[scalar] = own();
  tellBounds(set, simple, symbol, [&](const Relation &fact) { learn(fact); });
}

bool FunctionShapes::fitsType(Expr e, Type type) {
  if (chosenOptions.assumeNoWrap && type.isIndex())
    return true;
  // Where one is open, it is the upper end most often: it is asked for once,
  // and may be required then.
  Range range = rangeOfType(type);
  return set.isProvably(Relation::le(e, exprs.constant(*range.max))) &&
         set.isProvably(Relation::le(exprs.constant(*range.min), e));
}

void FunctionShapes::setCondition(Value boolean, Formula f) {
  conditions[boolean] = std::move(f);
}

void FunctionShapes::setElements(Value shaped, ElementFn element) {
  elementFns[shaped] = std::move(element);
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// Whether `f`, or a part of it, compares two constants and is true: nothing to
/// prove or learn.
static bool holdsOfConstants(const Formula &f) {
  if (f.kind == Formula::Or)
    return llvm::any_of(f.parts, holdsOfConstants);
  if (!f.isLiteral() || f.negated || f.relation.kind != Relation::Le)
    return false;
  std::optional<int64_t> lhs = f.relation.lhs.asInt64();
  std::optional<int64_t> rhs = f.relation.rhs.asInt64();
  return lhs && rhs && *lhs <= *rhs;
}

/// How many disjunctions one is compared with, the last ones.
static constexpr size_t maxAlternatives = 64;

Formula FunctionShapes::simplifyParts(const Formula &disjunction) {
  Formula simple = Formula::truth(false);
  for (const Formula &part : disjunction.parts) {
    Formula one = part;
    if (part.isLiteral()) {
      one.relation.lhs = simplify(part.relation.lhs);
      one.relation.rhs = simplify(part.relation.rhs);
    }
    simple = Formula::disj(simple, one);
  }
  return simple;
}

Answer FunctionShapes::establish(const Formula &f) {
  if (holdsOfConstants(f))
    return {Verdict::Yes, {}, "canonical form"};
  if (f.kind != Formula::Or) {
    Answer answer = prove(set, f);
    learn(f);
    return answer;
  }
  Formula simple = simplifyParts(f);
  if (holdsOfConstants(simple))
    return {Verdict::Yes, {}, "canonical form"};
  ArrayRef<Formula> last =
      ArrayRef(alternatives)
          .take_back(std::min(maxAlternatives, alternatives.size()));
  if (llvm::is_contained(last, simple))
    return {Verdict::Yes, {}, "required before"};
  Answer answer = prove(set, f);
  learn(f);
  alternatives.push_back(std::move(simple));
  return answer;
}

void FunctionShapes::record(Requirement requirement) {
  if (!chosenOptions.proveRequirements) {
    const Formula &f = requirement.condition;
    if (!holdsOfConstants(f.kind == Formula::Or ? simplifyParts(f) : f))
      learn(f);
    return;
  }
  // Each part of a conjunction is proved, checked and reported by itself.
  if (requirement.condition.kind == Formula::And) {
    for (const Formula &part : requirement.condition.parts) {
      Requirement one = requirement;
      one.condition = part;
      record(std::move(one));
    }
    return;
  }
  for (const Scope &scope : scopes) {
    if (!scope.premise.isTrue())
      requirement.premises.push_back(scope.premise);
    requirement.iterations.append(scope.iterations.begin(),
                                  scope.iterations.end());
  }
  requirement.answer = establish(requirement.condition);
  if (!requirement.answer.isYes() && !requirement.call &&
      !isa_and_nonnull<SymShapeDialect>(requirement.op->getDialect()))
    requirement.part = partOf(*this, requirement.op, requirement.condition);
  required.push_back(std::move(requirement));
}

void FunctionShapes::require(const Formula &f, const Twine &field) {
  Requirement requirement;
  requirement.op = current;
  requirement.field = field.str();
  requirement.condition = f;
  record(std::move(requirement));
}

void FunctionShapes::requireAsserted(const Formula &f, StringRef message) {
  Requirement requirement;
  requirement.op = current;
  requirement.field = "assert";
  requirement.message = message.str();
  requirement.isUserAssert = true;
  requirement.condition = f;
  record(std::move(requirement));
}
