//===- Calls.cpp - Calls, by instantiation of the callee ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The results of a call are those of the callee, its symbols replaced by what
// the caller passes; the callee's requirements become the caller's. If a callee
// is not analysed yet (recursion), or has no body or several returns, its
// signature counts.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Rewrites expressions of a callee in the symbols of a caller.
class Instantiation {
public:
  Instantiation(FunctionShapes &caller, FunctionShapes &callee,
                func::CallOp call,
                llvm::function_ref<Expr(Expr calleeSymbol)> fresh)
      : caller(caller), callee(callee), call(call), fresh(fresh) {}

  Expr operator()(Expr symbol) {
    Expr &known = map[symbol];
    if (known)
      return known;
    Expr e = lookup(symbol);
    map[symbol] = e;
    return e;
  }
  Expr rewrite(Expr e) {
    return caller.arena().substitute(e, [&](Expr s) { return (*this)(s); });
  }
  Formula rewrite(const Formula &f) {
    return f.substitute([&](Expr s) { return (*this)(s); });
  }

private:
  Expr lookup(Expr symbol) {
    // A name that nothing binds is not the caller's name of that spelling.
    const SymbolDef *def = callee.definition(symbol);
    if (!def)
      return fresh(symbol);
    if (def->kind == SymbolDef::Solved)
      return rewrite(def->solution);
    auto argument = dyn_cast_or_null<BlockArgument>(def->value);
    if (argument &&
        argument.getOwner() == &callee.function().getBody().front()) {
      Value passed = call.getOperand(argument.getArgNumber());
      return def->kind == SymbolDef::Dim ? caller.dim(passed, def->dim)
                                         : caller.value(passed);
    }
    return fresh(symbol);
  }

  FunctionShapes &caller, &callee;
  func::CallOp call;
  llvm::function_ref<Expr(Expr)> fresh;
  DenseMap<Expr, Expr> map;
};
} // namespace

namespace {
/// A signature, read at a call: each name stands for the first dim, of what the
/// caller passes, that it is declared for.
class SignatureAtCall {
public:
  SignatureAtCall(ShapeFacts &caller, func::CallOp call, func::FuncOp callee)
      : caller(caller), call(call), callee(callee) {}

  void requireArguments();
  void requireFacts();
  void setResults();

private:
  Expr rewrite(Expr e) {
    return caller.arena().substitute(e,
                                     [&](Expr s) { return names.lookup(s); });
  }
  bool isBound(Expr e) {
    return llvm::all_of(e.symbols(), [&](Expr s) { return names.contains(s); });
  }
  void requireSymbol(SymbolAttr symbol);

  ShapeFacts &caller;
  func::CallOp call;
  func::FuncOp callee;
  DenseMap<Expr, Expr> names;
};
} // namespace

void SignatureAtCall::requireArguments() {
  struct Declared {
    Expr actual;
    Extent extent;
    unsigned argument;
  };
  SmallVector<Declared> rest;
  for (unsigned i = 0; i < callee.getNumArguments(); ++i) {
    auto shape = callee.getArgAttrOfType<ShapeAttr>(i, SymShapeDialect::kShape);
    if (!shape)
      continue;
    for (unsigned d = 0; d < shape.getRank(); ++d) {
      Extent extent = shape.getExtent(d, caller.arena());
      if (extent.kind == Extent::Unknown)
        continue;
      Expr actual = caller.dim(call.getOperand(i), d);
      if (extent.kind != Extent::Exact || !extent.expr.asSymbol() ||
          !names.insert({extent.expr, actual}).second)
        rest.push_back({actual, extent, i});
    }
  }
  for (const Declared &declared : rest) {
    if (!isBound(declared.extent.expr))
      continue;
    Expr expected = rewrite(declared.extent.expr);
    Extent here{declared.extent.kind, expected};
    caller.require(here.relationOf(declared.actual),
                   "declared shape of argument " + Twine(declared.argument));
  }
}

void SignatureAtCall::requireSymbol(SymbolAttr symbol) {
  Expr actual = names.lookup(caller.arena().symbol(symbol.getName()));
  if (!actual)
    return;
  for (const Relation &relation : relationsOf(actual, symbol.getInfo()))
    caller.require(relation, fieldOfDeclared(relation));
}

void SignatureAtCall::requireFacts() {
  if (auto symbols =
          callee->getAttrOfType<ArrayAttr>(SymShapeDialect::kSymbols))
    for (auto symbol : symbols.getAsRange<SymbolAttr>())
      requireSymbol(symbol);
  if (auto facts = callee->getAttrOfType<ArrayAttr>(SymShapeDialect::kAssume))
    for (auto fact : facts.getAsRange<FactAttr>()) {
      Formula f = fact.getFormula(caller.arena());
      if (llvm::all_of(f.symbols(), [&](Expr s) { return names.contains(s); }))
        caller.require(f.substitute([&](Expr s) { return names.lookup(s); }),
                       "declared assumption");
    }
}

/// A name that no argument binds says nothing here: it stands for whatever is
/// returned.
void SignatureAtCall::setResults() {
  for (auto [i, result] : llvm::enumerate(call.getResults())) {
    auto shape =
        callee.getResultAttrOfType<ShapeAttr>(i, SymShapeDialect::kShape);
    if (!shape)
      continue;
    for (unsigned d = 0; d < shape.getRank(); ++d) {
      Extent extent = shape.getExtent(d, caller.arena());
      if (extent.kind == Extent::Unknown || !isBound(extent.expr))
        continue;
      extent.expr = rewrite(extent.expr);
      caller.setExtent(result, d, extent);
    }
  }
}

/// An external callee is trusted to return what it declares; one with a body
/// has that as a requirement of its own.
void FunctionShapes::trustSignature(Operation *op, func::FuncOp callee) {
  SignatureAtCall signature(*this, cast<func::CallOp>(op), callee);
  signature.requireArguments();
  signature.requireFacts();
  signature.setResults();
}

/// The return of a function that has one; null otherwise.
static func::ReturnOp onlyReturn(func::FuncOp function) {
  func::ReturnOp only;
  for (Block &block : function.getBody())
    if (auto ret = dyn_cast<func::ReturnOp>(block.getTerminator())) {
      if (only)
        return func::ReturnOp();
      only = ret;
    }
  return only;
}

/// Gives the results of `call` what `ret` returns. A size that depends on the
/// callee's data has a value here only where it is itself a result; an
/// expression around one would have none.
void FunctionShapes::setResultsOf(func::CallOp call, func::ReturnOp ret,
                                  FunctionShapes &callee,
                                  llvm::function_ref<Expr(Expr)> rewrite) {
  auto isUsable = [&](Expr here) {
    return here.asSymbol() || llvm::all_of(here.symbols(), [&](Expr s) {
             const SymbolDef *def = definition(s);
             return def && (def->kind != SymbolDef::Callee || def->value);
           });
  };
  for (auto [result, theirs] :
       llvm::zip(call.getResults(), ret.getOperands())) {
    if (isScalarInteger(result.getType()) && !result.getType().isInteger(1)) {
      Expr here = rewrite(callee.value(theirs));
      if (isUsable(here))
        setValue(result, here);
    }
    auto type = dyn_cast<ShapedType>(result.getType());
    for (int64_t d = 0; type && type.hasRank() && d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d))
        continue;
      Extent extent = callee.extent(theirs, d);
      bool isBound = extent.kind == Extent::UpperBound;
      Expr here = rewrite(isBound ? extent.expr : callee.dim(theirs, d));
      if (isUsable(here))
        setExtent(result, d,
                  isBound ? Extent::upperBound(here) : Extent::exact(here));
    }
  }
}

void FunctionShapes::visitCall(Operation *op) {
  Callee callee = calleeLookup(op);
  if (callee.shapes)
    return instantiate(op, *callee.shapes);
  if (callee.function)
    trustSignature(op, callee.function);
  if (!callee.function || callee.function.isExternal())
    noRule.push_back(op);
}

void FunctionShapes::instantiate(Operation *op, FunctionShapes &callee) {
  auto call = cast<func::CallOp>(op);
  std::optional<Instantiation> instance;
  bool hasReturned = false;
  auto fresh = [&](Expr symbol) {
    Expr here =
        newSymbol("%c", SymbolDef(),
                  {callee.set.bounds(symbol), callee.set.residue(symbol)});
    // What bounds it in dims of arguments does so here, behind all checks.
    if (Expr bound = hasReturned ? callee.namedBound(symbol) : Expr();
        bound && !bound.isConstant() && callee.allBacked(bound))
      imply(Relation::le(here, instance->rewrite(bound)));
    return here;
  };
  instance.emplace(*this, callee, call, fresh);
  auto moveHere = [&](const Requirement &theirs, const Formula &condition) {
    Requirement requirement;
    requirement.op = theirs.op;
    requirement.field = theirs.field;
    requirement.part = theirs.part;
    requirement.message = theirs.message;
    requirement.isUserAssert = theirs.isUserAssert;
    requirement.call = op;
    requirement.condition = instance->rewrite(condition);
    record(std::move(requirement));
  };
  for (const Requirement &declared : callee.declaredFacts)
    moveHere(declared, declared.condition);
  for (const Requirement &theirs : callee.required)
    if (theirs.answer.verdict != Verdict::Yes)
      if (std::optional<Formula> closed = closeOverArguments(callee, theirs))
        moveHere(theirs, *closed);

  hasReturned = true;
  if (func::ReturnOp ret = onlyReturn(callee.func))
    setResultsOf(call, ret, callee,
                 [&](Expr e) { return instance->rewrite(e); });
  else
    trustSignature(op, callee.func);
}
