//===- SizeMath.cpp - Exact arithmetic on sizes that are floats -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quotients of integers, and when floats are equal to them. Not for: which op
// of a model computes what (Lists.cpp).
//
//===----------------------------------------------------------------------===//

#include "Lists.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// A larger factor would make sizes inexact that programs have.
static constexpr int64_t largestFactor = 16;

SizeMath::SizeMath(Emitter &e, DataType type)
    : largest(int64_t(1) << (type == DataType::Double ? 53 : 24)), e(e),
      isFloats(isFloat(type)) {}

Number SizeMath::fromInteger(Expr value) {
  if (isFloats)
    steps.push_back(value);
  return {value, isFloats ? e.constant(1) : Expr()};
}

Expr SizeMath::divisorOf(const Number &x) const {
  return x.divisor ? x.divisor : e.constant(1);
}

/// Whether it is not rounded.
bool SizeMath::isExact(const Number &x) const {
  std::optional<int64_t> divisor = divisorOf(x).asInt64();
  return divisor && llvm::isPowerOf2_64(*divisor);
}

/// Without common factors.
Number SizeMath::reduced(Expr value, Expr divisor) const {
  std::optional<int64_t> number = divisor.asInt64();
  if (!number || *number == 1)
    return {value, divisor};
  llvm::DynamicAPInt common(*number);
  for (const Expr::Term &term : value.terms())
    common = llvm::gcd(common, llvm::abs(term.coefficient));
  SmallVector<Expr::Term> terms(value.terms());
  for (Expr::Term &term : terms)
    term.coefficient = term.coefficient / common;
  return {e.arena().fromTerms(std::move(terms)),
          e.constant(*number / static_cast<int64_t>(common))};
}

/// The dividend of x for a multiple of its divisor.
Expr SizeMath::over(const Number &x, Expr common) const {
  return x.value * (*common.asInt64() / *divisorOf(x).asInt64());
}

SizeMath::Result SizeMath::add(const Number &x, const Number &y) {
  if (!isFloats)
    return Number{x.value + y.value, Expr()};
  if (!isExact(x) || !isExact(y))
    return std::nullopt;
  Expr common = *divisorOf(x).asInt64() > *divisorOf(y).asInt64()
                    ? divisorOf(x)
                    : divisorOf(y);
  if (*common.asInt64() > largestFactor)
    return std::nullopt;
  Number sum = reduced(over(x, common) + over(y, common), common);
  steps.push_back(sum.value);
  return sum;
}

SizeMath::Result SizeMath::mul(const Number &x, const Number &y) {
  if (!isFloats)
    return Number{x.value * y.value, Expr()};
  if (!isExact(x) || !isExact(y))
    return std::nullopt;
  Expr divisor = divisorOf(x) * divisorOf(y);
  Number product = reduced(x.value * y.value, divisor);
  for (const Number &factor : {x, y})
    if (auto number = factor.value.asInt64()) {
      if (llvm::isPowerOf2_64(std::abs(*number)))
        return product;
      if (!divisorOf(factor).isConstant(1) && *number > largestFactor)
        return std::nullopt;
    }
  steps.push_back(product.value);
  return product;
}

SizeMath::Result SizeMath::div(const Number &x, const Number &y) {
  if (!isFloats || !isExact(x) || !isExact(y))
    return std::nullopt;
  std::optional<int64_t> number = y.value.asInt64();
  if (number == 0 ||
      (!number && (!divisorOf(y).isConstant(1) ||
                   !e.isProvably(Relation::ge(y.value, e.constant(1))))) ||
      *divisorOf(y).asInt64() > largestFactor)
    return std::nullopt;
  Expr sign = e.constant(number && *number < 0 ? -1 : 1);
  Number quotient =
      reduced(x.value * divisorOf(y) * sign, divisorOf(x) * y.value * sign);
  if (number && llvm::isPowerOf2_64(std::abs(*number)))
    return quotient;
  steps.push_back(quotient.value);
  steps.push_back(quotient.divisor);
  return quotient;
}

SizeMath::Result SizeMath::max(const Number &x, const Number &y) {
  if (!isFloats)
    return Number{e.arena().max(x.value, y.value), Expr()};
  if (divisorOf(x) == divisorOf(y))
    return Number{e.arena().max(x.value, y.value), x.divisor};
  if (!isExact(x) || !isExact(y))
    return std::nullopt;
  Expr common = *divisorOf(x).asInt64() > *divisorOf(y).asInt64()
                    ? divisorOf(x)
                    : divisorOf(y);
  return Number{e.arena().max(over(x, common), over(y, common)), common};
}

SizeMath::Result SizeMath::neg(const Number &x) {
  return Number{-x.value, x.divisor};
}

SizeMath::Result SizeMath::min(const Number &x, const Number &y) {
  Result most = max(*neg(x), *neg(y));
  return most ? neg(*most) : most;
}

SizeMath::Result SizeMath::floor(const Number &x) {
  return Number{e.arena().floorDiv(x.value, divisorOf(x)), e.constant(1)};
}

SizeMath::Result SizeMath::ceil(const Number &x) {
  return Number{e.arena().ceilDiv(x.value, divisorOf(x)), e.constant(1)};
}

/// Of squares: a root is rounded once, and that of a square is exact.
SizeMath::Result SizeMath::sqrt(const Number &x) {
  if (!divisorOf(x).isConstant(1) || x.value.terms().size() != 1)
    return std::nullopt;
  Expr::Term root = x.value.terms().front();
  std::optional<int64_t> factor;
  if (root.coefficient > 0 && root.coefficient <= largest)
    factor = std::llround(
        std::sqrt(static_cast<double>(static_cast<int64_t>(root.coefficient))));
  if (!factor || *factor * *factor != root.coefficient)
    return std::nullopt;
  root.coefficient = *factor;
  for (auto &[atom, power] : root.powers) {
    if (power % 2 != 0)
      return std::nullopt;
    power /= 2;
  }
  SmallVector<Expr::Term> terms{root};
  Expr value = e.arena().fromTerms(std::move(terms));
  return e.isNonNegative(value) ? Result({value, x.divisor}) : Result();
}
