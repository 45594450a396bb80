//===- Calls.cpp - Calls, by instantiation of the callee ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The results of a call are those of the callee, its symbols replaced by what
// the caller passes; the callee's obligations become the caller's. A callee
// that is not analysed yet (recursion) or has no body gives unknown results.
//
//===----------------------------------------------------------------------===//

#include "FunctionShapesImpl.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Rewrites expressions of a callee in the symbols of a caller.
class Instantiation {
public:
  Instantiation(FunctionShapesImpl &caller, FunctionShapesImpl &callee,
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
    const SymbolDef *def = callee.definition(symbol);
    if (!def)
      return symbol;
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

  FunctionShapesImpl &caller, &callee;
  func::CallOp call;
  llvm::function_ref<Expr(Expr)> fresh;
  DenseMap<Expr, Expr> map;
};
} // namespace

void FunctionShapesImpl::visitCall(Operation *op) {
  auto call = cast<func::CallOp>(op);
  FunctionShapesImpl *callee = calleeLookup(op);
  if (!callee) {
    noRule.push_back(op);
    return;
  }
  auto fresh = [&](Expr symbol) {
    SymbolInfo info;
    info.range = callee->set.bounds(symbol);
    info.residue = callee->set.residue(symbol);
    return newSymbol("%c", SymbolDef(), info);
  };
  Instantiation instance(*this, *callee, call, fresh);
  auto moveHere = [&](const Requirement &theirs, const Formula &condition) {
    Requirement requirement;
    requirement.op = theirs.op;
    requirement.field = theirs.field;
    requirement.message = theirs.message;
    requirement.call = op;
    requirement.condition = instance.rewrite(condition);
    record(std::move(requirement));
  };
  for (const Requirement &declared : callee->declaredFacts)
    moveHere(declared, declared.condition);
  for (const Requirement &theirs : callee->required)
    if (theirs.answer.verdict != Verdict::Yes)
      if (std::optional<Formula> closed = closeOverArguments(*callee, theirs))
        moveHere(theirs, *closed);

  func::ReturnOp only;
  unsigned numReturns = 0;
  for (Block &block : callee->func.getBody())
    if (auto ret = dyn_cast<func::ReturnOp>(block.getTerminator())) {
      only = ret;
      ++numReturns;
    }
  if (numReturns != 1)
    return;
  // A size that depends on the callee's data has a value here only where it is
  // itself a result; an expression around one would have none.
  auto setResult = [&](Expr here, llvm::function_ref<void()> set) {
    SmallVector<Expr> symbols;
    exprs.collectSymbols(here, symbols);
    bool hasValues = llvm::all_of(symbols, [&](Expr s) {
      const SymbolDef *def = definition(s);
      return def && (def->kind != SymbolDef::Callee || def->value);
    });
    if (hasValues || here.asSymbol())
      set();
  };
  for (unsigned i = 0; i < call.getNumResults(); ++i) {
    Value result = call.getResult(i), theirs = only.getOperand(i);
    auto type = dyn_cast<ShapedType>(result.getType());
    if (isScalarInteger(result.getType()) && !result.getType().isInteger(1)) {
      Expr here = instance.rewrite(callee->value(theirs));
      setResult(here, [&] { setValue(result, here); });
    }
    for (int64_t d = 0; type && type.hasRank() && d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d))
        continue;
      Extent extent = callee->extent(theirs, d);
      Expr here = instance.rewrite(extent.kind == Extent::UpperBound
                                       ? extent.expr
                                       : callee->dim(theirs, d));
      extent = extent.kind == Extent::UpperBound ? Extent::upperBound(here)
                                                 : Extent::exact(here);
      setResult(here, [&] { setExtent(result, d, extent); });
    }
  }
}
