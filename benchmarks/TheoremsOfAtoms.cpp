//===- TheoremsOfAtoms.cpp - Quotients, minima, products ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Theorems about divisions, min, max, bc and products.
//
//===----------------------------------------------------------------------===//

#include "EntailmentMaker.h"

using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Divisions
//===----------------------------------------------------------------------===//

void EntailmentMaker::euclid() {
  Expr a = anyInteger();
  int64_t d = number(2, 64);
  Expr multiple = arena.floorDiv(a, constant(d)) * d;
  if (number(0, 1))
    ask(Relation::le(multiple, a));
  else
    ask(Relation::lt(a, multiple + d));
}

// With h == s*n and k <= 2*p + s, k > 2*p: (h + 2*p - k) floordiv s + 1 == n.
void EntailmentMaker::convolution() {
  Expr h = positive(), n = symbol();
  int64_t s = number(2, 4), p = number(0, 3), k = 2 * p + number(1, s);
  assume(Relation::eq(h, n * s));
  Expr extent = arena.floorDiv(h + (2 * p - k), constant(s)) + 1;
  ask(Relation::eq(extent, n));
}

void EntailmentMaker::nestedDivisions() {
  Expr a = anyInteger();
  int64_t b = number(2, 9), c = number(2, 9);
  ask(Relation::eq(arena.floorDiv(arena.floorDiv(a, constant(b)), constant(c)),
                   arena.floorDiv(a, constant(b * c))));
}

void EntailmentMaker::paddedToMultiple() {
  Expr a = symbol(), b = symbol();
  int64_t m = number(2, 64);
  Expr padded = arena.ceilDiv(a, constant(m)) * m;
  assume(Relation::le(a, b));
  if (number(0, 1))
    ask(Relation::lt(padded, b + m));
  else
    ask(Relation::divides(constant(m), padded + m * number(0, 3)));
}

void EntailmentMaker::symbolicDivisor() {
  Expr a = symbol(), b = positive(), c = symbol();
  assume(Relation::le(a, c));
  Expr q = arena.floorDiv(a, b);
  if (number(0, 1))
    ask(Relation::le(q * b, c + number(0, 4)));
  else
    ask(Relation::lt(a - q * b, b));
}

void EntailmentMaker::monotoneDivision() {
  Expr a = anyInteger(), b = anyInteger();
  Expr d = constant(number(2, 16));
  if (number(0, 1)) {
    assume(Relation::le(a, b));
    ask(Relation::le(arena.floorDiv(a, d), arena.floorDiv(b, d)));
  } else {
    ask(Relation::le(arena.floorDiv(a, d) + arena.floorDiv(b, d),
                     arena.floorDiv(a + b, d)));
  }
}

void EntailmentMaker::quotientOfSolved() {
  Expr a = symbol(), n = symbol();
  int64_t d = number(2, 12), factor = number(1, 6);
  assume(Relation::eq(a, n * (d * factor) + number(0, d - 1)));
  ask(Relation::eq(arena.floorDiv(a, constant(d)), n * factor));
}

// With a mod d <= r and r + k < d, a and a + k have one quotient by d.
void EntailmentMaker::withoutCarry() {
  Expr a = anyInteger();
  int64_t d = number(3, 40), r = number(1, d - 2), k = number(1, d - 1 - r);
  assume(Relation::le(arena.mod(a, constant(d)), constant(r)));
  ask(Relation::eq(arena.floorDiv(a + k, constant(d)),
                   arena.floorDiv(a, constant(d))));
}

void EntailmentMaker::sumOfQuotients() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  Expr d = constant(number(2, 16));
  assume(Relation::le(c, a + b));
  ask(Relation::le(arena.floorDiv(c, d),
                   arena.floorDiv(a, d) + arena.floorDiv(b, d) + 1));
}

void EntailmentMaker::sumOfRemainders() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  Expr d = constant(number(2, 16));
  assume(Relation::eq(arena.mod(a, d), c));
  ask(Relation::le(arena.mod(a + b, d), c + arena.mod(b, d)));
}

//===----------------------------------------------------------------------===//
// Minimum and maximum
//===----------------------------------------------------------------------===//

void EntailmentMaker::leastOfTwo() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  assume(Relation::le(a, c + number(-3, 3)));
  Expr bound = entailment.facts[0].rhs;
  ask(Relation::le(arena.min(a, b), bound));
}

void EntailmentMaker::minPlusMax() {
  Expr a = anyInteger(), b = anyInteger();
  int64_t k = number(1, 9);
  ask(Relation::eq((arena.min(a, b) + arena.max(a, b)) * k, (a + b) * k));
}

void EntailmentMaker::dominatedOperand() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  assume(Relation::le(a + number(0, 3), b));
  assume(Relation::le(b, c));
  ask(Relation::eq(arena.min({a, b, c}), a));
}

void EntailmentMaker::greatestLowerBound() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  assume(Relation::le(c, a));
  assume(Relation::le(c, b));
  ask(Relation::le(c - number(0, 4), arena.min(a, b)));
}

void EntailmentMaker::clampedTile() {
  Expr n = symbol(), i = symbol();
  int64_t t = number(1, 128);
  assume(Relation::lt(i, n));
  Expr tile = arena.min(n - i, constant(t));
  if (number(0, 1))
    ask(Relation::ge(tile, constant(1)));
  else
    ask(Relation::le(i + tile, n));
}

void EntailmentMaker::largestFits() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger(), d = anyInteger();
  int64_t k = number(1, 9);
  assume(Relation::le(a + c * k, d));
  assume(Relation::le(b + c * k, d));
  ask(Relation::le(arena.max(a, b) + c * k, d + number(0, 5)));
}

void EntailmentMaker::broadcastOfOne() {
  Expr a = positive(), b = positive();
  int64_t bound = number(2, 64);
  assume(Relation::le(a, constant(bound)));
  assume(Relation::le(b, constant(bound)));
  ask(Relation::le(arena.bc(a, b), constant(bound + number(0, 3))));
}

// With low <= high, clamping from below first or from above first is the same.
void EntailmentMaker::clampsCommute() {
  Expr a = anyInteger(), low = anyInteger(), high = anyInteger();
  assume(Relation::le(low + number(0, 5), high));
  ask(Relation::eq(arena.min(arena.max(a, low), high),
                   arena.max(arena.min(a, high), low)));
}

void EntailmentMaker::minOfSums() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger(), d = anyInteger();
  int64_t k = number(1, 4);
  ask(Relation::le(arena.min(a, b) * k + arena.min(c, d),
                   arena.min(a * k + c, b * k + d)));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void EntailmentMaker::monotoneProduct() {
  Expr a = symbol(), b = symbol(), c = symbol();
  assume(Relation::le(a, b));
  ask(Relation::le(a * c, b * c + number(0, 9)));
}

void EntailmentMaker::cancelledFactor() {
  Expr a = symbol(), b = symbol(), c = positive();
  int64_t k = number(1, 9);
  assume(Relation::eq(a * c * k, b * c * k));
  ask(Relation::eq(a, b));
}

void EntailmentMaker::productIsDivided() {
  Expr a = symbol(), b = symbol(), c = symbol();
  assume(Relation::eq(a * b, c));
  ask(Relation::divides(a, c * number(1, 8)));
}

// b*l*k elements, of which rows have k*j: l*b == n*j.
void EntailmentMaker::reshapedCount() {
  Expr b = symbol(), l = symbol(), n = symbol();
  int64_t k = number(2, 64), j = number(1, 8);
  assume(Relation::eq(b * l * (k * j), n * (k * j)));
  ask(Relation::eq(b * l * k, n * k));
}

void EntailmentMaker::neighbours() {
  Expr a = anyInteger();
  int64_t k = number(0, 4);
  ask(Relation::divides(constant(2), a * (a + (2 * k + 1))));
}

void EntailmentMaker::boundedProduct() {
  int64_t m = number(1, 64), n = number(1, 4096);
  Expr a = symbol(Range::between(0, m)), b = symbol(Range::between(0, n));
  ask(Relation::le(a * b, constant(m * n + number(0, 8))));
}

void EntailmentMaker::productInSum() {
  Expr a = symbol(), b = symbol(), c = symbol(), d = symbol(), e = symbol();
  int64_t limit = number(10, 4096);
  assume(Relation::le(a * b, c + e));
  assume(Relation::le(c * 2 + d, constant(limit)));
  assume(Relation::le(e * 2, d));
  ask(Relation::le(a * b * 2, constant(limit)));
}

void EntailmentMaker::weightedProducts() {
  std::vector<Expr> terms;
  std::vector<int64_t> values;
  for (int i = 0; i < 3; ++i) {
    int64_t x = number(0, 4), y = number(0, 4);
    Expr a = symbol(), b = symbol();
    terms.push_back(i == 2 ? a : a * b);
    values.push_back(i == 2 ? x : x * y);
  }
  weighRows(terms, values);
}
