//===- Evaluate.cpp - Values, substitution, symbols -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Traversals of an expression: over its atoms in order of creation, operands
// first, so that nothing recurses and shared parts are visited once.
//
//===----------------------------------------------------------------------===//

#include "ExprNodes.h"
#include "symshape/Expr/Integers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

/// Every atom reachable from `e`, operands before their users; no recursion.
static SmallVector<Atom, 8> collectAtoms(Expr e) {
  llvm::DenseSet<Atom> seen;
  SmallVector<Atom, 8> atoms;
  auto visit = [&](Expr expr) {
    for (const Expr::Term &term : expr.terms())
      for (auto [atom, power] : term.powers)
        if (seen.insert(atom).second)
          atoms.push_back(atom);
  };
  visit(e);
  for (size_t i = 0; i < atoms.size(); ++i)
    for (Expr operand : atoms[i].operands())
      visit(operand);
  // An atom is created after its operands.
  llvm::sort(atoms, [](Atom a, Atom b) { return a.id() < b.id(); });
  return atoms;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

namespace {
/// Values of atoms and of their operands, each within bounds.
class Evaluator {
public:
  /// `maxBits` 63 means int64_t.
  explicit Evaluator(unsigned maxBits) : maxBits(maxBits) {}

  Evaluation::Status
  run(Expr e, llvm::function_ref<std::optional<DynamicAPInt>(Expr)> symbol,
      DynamicAPInt &result) {
    for (Atom atom : collectAtoms(e)) {
      DynamicAPInt value;
      if (atom.kind() == AtomKind::Symbol) {
        std::optional<DynamicAPInt> bound = symbol(atom.asExpr());
        if (!bound)
          return Evaluation::Unbound;
        value = *bound;
      } else if (Evaluation::Status status = evaluateAtom(atom, value)) {
        return status;
      }
      values[atom] = value;
    }
    return polynomial(e, result);
  }

private:
  bool fits(const DynamicAPInt &x) const {
    return maxBits == 63 ? tryInt64(x).has_value() : fitsBits(x, maxBits);
  }

  Evaluation::Status polynomial(Expr e, DynamicAPInt &result) {
    result = DynamicAPInt(0);
    for (const Expr::Term &term : e.terms()) {
      DynamicAPInt product = term.coefficient;
      for (auto [atom, power] : term.powers)
        for (unsigned i = 0; i < power; ++i)
          product *= values.find(atom)->second;
      result += product;
    }
    return fits(result) ? Evaluation::Value : Evaluation::Overflow;
  }

  Evaluation::Status evaluateAtom(Atom atom, DynamicAPInt &value) {
    SmallVector<DynamicAPInt, 2> operands;
    for (Expr operand : atom.operands()) {
      operands.emplace_back();
      if (Evaluation::Status status = polynomial(operand, operands.back()))
        return status;
    }
    value = operands[0];
    switch (atom.kind()) {
    case AtomKind::Symbol:
      break;
    case AtomKind::FloorDiv:
      if (operands[1] == 0)
        return Evaluation::DivisionByZero;
      value = floorDiv(operands[0], operands[1]);
      break;
    case AtomKind::Min:
      value = *std::min_element(operands.begin(), operands.end());
      break;
    case AtomKind::Max:
      value = *std::max_element(operands.begin(), operands.end());
      break;
    case AtomKind::Bc:
      for (const DynamicAPInt &operand : llvm::drop_begin(operands))
        value = value == 1 ? operand : value;
      break;
    case AtomKind::Named:
      for (const DynamicAPInt &operand : llvm::drop_begin(operands))
        value = atom.namedIsProduct() ? value * operand : value + operand;
      break;
    }
    return fits(value) ? Evaluation::Value : Evaluation::Overflow;
  }

  llvm::DenseMap<Atom, DynamicAPInt> values;
  unsigned maxBits;
};
} // namespace

Evaluation ExprArena::evaluate(
    Expr e, llvm::function_ref<std::optional<int64_t>(Expr symbol)> value) {
  DynamicAPInt exact;
  Evaluation result;
  result.status = Evaluator(63).run(
      e,
      [&](Expr symbol) -> std::optional<DynamicAPInt> {
        if (std::optional<int64_t> bound = value(symbol))
          return DynamicAPInt(*bound);
        return std::nullopt;
      },
      exact);
  if (result.status == Evaluation::Value)
    result.value = int64_t(exact);
  return result;
}

std::optional<DynamicAPInt> ExprArena::evaluateExact(
    Expr e,
    llvm::function_ref<std::optional<DynamicAPInt>(Expr symbol)> value) {
  DynamicAPInt exact;
  if (Evaluator(16384).run(e, value, exact) != Evaluation::Value)
    return std::nullopt;
  return exact;
}

//===----------------------------------------------------------------------===//
// Substitution
//===----------------------------------------------------------------------===//

Expr ExprArena::replaceAtoms(Expr e, llvm::function_ref<Expr(Atom atom)> map) {
  SmallVector<Expr, 8> factors;
  bool touched = false;
  for (const Expr::Term &term : e.terms())
    for (auto [atom, power] : term.powers) {
      factors.push_back(map(atom));
      touched |= factors.back() != atom.asExpr();
    }
  if (!touched)
    return e;
  Expr sum = zero();
  const Expr *next = factors.begin();
  for (const Expr::Term &term : e.terms()) {
    Expr product = constant(term.coefficient);
    for (auto [atom, power] : term.powers)
      product = mul(product, pow(*next++, power));
    sum = add(sum, product);
  }
  return sum;
}

Expr ExprArena::substitute(Expr e, llvm::function_ref<Expr(Expr symbol)> map) {
  llvm::DenseMap<Atom, Expr> replaced;
  auto known = [&](Atom atom) { return replaced.find(atom)->second; };
  for (Atom atom : collectAtoms(e)) {
    Expr result = atom.asExpr();
    SmallVector<Expr, 2> operands;
    for (Expr operand : atom.operands())
      operands.push_back(replaceAtoms(operand, known));
    if (atom.kind() == AtomKind::Symbol) {
      if (Expr to = map(result))
        result = to;
    } else if (ArrayRef<Expr>(operands) != atom.operands()) {
      result = makeAtom(atom, operands);
    }
    replaced[atom] = result;
  }
  return replaceAtoms(e, known);
}

Expr ExprArena::makeAtom(Atom like, ArrayRef<Expr> operands) {
  switch (like.kind()) {
  case AtomKind::Symbol:
    return like.asExpr();
  case AtomKind::FloorDiv:
    return floorDiv(operands[0], operands[1]);
  case AtomKind::Min:
    return min(operands);
  case AtomKind::Max:
    return max(operands);
  case AtomKind::Bc:
    return bc(operands);
  case AtomKind::Named:
    break;
  }
  Expr result = operands[0];
  for (Expr operand : llvm::drop_begin(operands))
    result =
        like.namedIsProduct() ? mul(result, operand) : add(result, operand);
  return result;
}

SmallVector<Expr, 4> Expr::symbols() const {
  SmallVector<Expr, 4> symbols;
  arena().collectSymbols(*this, symbols);
  return symbols;
}

void ExprArena::collectSymbols(Expr e, SmallVectorImpl<Expr> &symbols) {
  // Depth first, in printed order, without recursion.
  llvm::DenseSet<Atom> seen;
  SmallVector<Atom, 8> stack;
  auto pushAtoms = [&](Expr expr) {
    for (const Expr::Term &term : llvm::reverse(expr.terms()))
      for (auto [atom, power] : llvm::reverse(term.powers))
        stack.push_back(atom);
  };
  for (Expr known : symbols)
    seen.insert(known.asAtom());
  pushAtoms(e);
  while (!stack.empty()) {
    Atom atom = stack.pop_back_val();
    if (!seen.insert(atom).second)
      continue;
    if (atom.kind() == AtomKind::Symbol)
      symbols.push_back(atom.asExpr());
    for (Expr operand : llvm::reverse(atom.operands()))
      pushAtoms(operand);
  }
}
