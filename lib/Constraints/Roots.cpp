//===- Roots.cpp - Integer roots of polynomials ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a polynomial in one atom can be zero: its integer roots are few, and
// divide its constant term.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"

using namespace mlir::symshape;

/// Constant terms up to this size have their divisors tried: 100 at most.
static constexpr int64_t maxConstant = 10000;
static constexpr unsigned maxPower = 32;

/// The only atom of all terms but the constant; null if there are several, or
/// its power is high.
static Atom onlyAtom(Expr e) {
  Atom only;
  for (const Expr::Term &term : e.terms())
    for (auto [atom, power] : term.powers) {
      if ((only && atom != only) || power > maxPower)
        return {};
      only = atom;
    }
  return only;
}

static DynamicAPInt valueAt(Expr e, const DynamicAPInt &x) {
  DynamicAPInt sum(0);
  for (const Expr::Term &term : e.terms()) {
    DynamicAPInt value = term.coefficient;
    for (auto [atom, power] : term.powers)
      for (unsigned i = 0; i < power; ++i)
        value *= x;
    sum += value;
  }
  return sum;
}

// With e = c_n*x^n + ... + c_1*x + c_0 and c_0 != 0: e == 0 for an integer x
// gives c_0 = -x*(c_n*x^(n-1) + ... + c_1), so x divides c_0. When no divisor
// of c_0 within the bounds of x is a root, e is never zero.
bool Knowledge::hasNoRoot(Expr e, Why &why) {
  Atom atom = e.terms().size() > 1 ? onlyAtom(e) : Atom();
  const Expr::Term &last = e.terms().back();
  if (!atom || !last.powers.empty() || abs(last.coefficient) > maxConstant)
    return false;
  int64_t constant = int64_t(abs(last.coefficient));
  Bound bound = bounds(atom.asExpr());
  bool usesBounds = false;
  auto isRoot = [&](int64_t x) {
    if (valueAt(e, DynamicAPInt(x)) != 0)
      return false;
    bool isPossible = bound.range.contains(DynamicAPInt(x));
    usesBounds |= !isPossible;
    return isPossible;
  };
  for (int64_t divisor : positiveDivisors(constant))
    for (int64_t x : {divisor, -divisor})
      if (isRoot(x))
        return false;
  if (usesBounds)
    why = reasons.both(why, reasons.both(bound.lo, bound.hi));
  rule = "roots";
  return true;
}
