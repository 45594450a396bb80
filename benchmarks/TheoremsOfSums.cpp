//===- TheoremsOfSums.cpp - Linear, modulo a number, several together -----===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Theorems about sums, with a proof where it is not seen at once.
//
//===----------------------------------------------------------------------===//

#include "EntailmentMaker.h"

using namespace mlir::symshape;
using llvm::DynamicAPInt;

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

void EntailmentMaker::chain() {
  Expr first = anyInteger(), last = first;
  int64_t sum = 0;
  for (int64_t i = 0, length = number(3, 8); i < length; ++i) {
    Expr next = anyInteger();
    int64_t step = number(-3, 5);
    assume(Relation::le(last + step, next));
    sum += step;
    last = next;
  }
  ask(Relation::le(first + (sum - number(0, 2)), last));
}

// g*a + g*h*b >= c, over integers, is a + h*b >= ceil(c / g).
void EntailmentMaker::scaledBound() {
  Expr a = anyInteger(), b = anyInteger();
  int64_t g = number(2, 9), h = number(1, 5), least = number(-20, 20);
  assume(Relation::le(constant(g * (least - 1) + number(1, g)),
                      a * g + b * (g * h)));
  ask(Relation::le(constant(least), a + b * h));
}

void EntailmentMaker::sumOfOrders() {
  Expr less = constant(0), more = constant(0);
  for (int64_t i = 0, terms = number(2, 3); i < terms; ++i) {
    Expr a = anyInteger(), b = anyInteger();
    assume(Relation::le(a, b));
    less = less + a;
    more = more + b;
  }
  ask(Relation::le(less, more + number(0, 3)));
}

// Rows r_i >= 0 give sum of w_i*r_i >= 0 for weights w_i >= 0. All rows hold at
// a chosen point.
void EntailmentMaker::weighRows(llvm::ArrayRef<Expr> terms,
                                llvm::ArrayRef<int64_t> values) {
  Expr sum = constant(number(0, 3));
  for (int64_t i = 0, rows = number(4, 6); i < rows; ++i) {
    int64_t value = 0;
    Expr row = constant(0);
    for (size_t j = 0; j < terms.size(); ++j) {
      int64_t factor = number(-3, 3);
      row = row + terms[j] * factor;
      value += factor * values[j];
    }
    row = row + (number(0, 5) - value);
    assume(Relation::ge(row, constant(0)));
    sum = sum + row * number(1, 4);
  }
  ask(Relation::ge(sum, constant(0)));
}

void EntailmentMaker::weightedSum() {
  std::vector<Expr> terms;
  std::vector<int64_t> values;
  for (int i = 0; i < 4; ++i) {
    terms.push_back(anyInteger());
    values.push_back(number(-5, 5));
  }
  weighRows(terms, values);
}

// x0, x1, ..., xn convex: x1 is at most x0 + (xn - x0) / n.
void EntailmentMaker::convexSequence() {
  int64_t n = number(3, 5);
  std::vector<Expr> x;
  for (int64_t i = 0; i <= n; ++i)
    x.push_back(anyInteger());
  for (int64_t i = 1; i < n; ++i)
    assume(Relation::le(x[i] * 2, x[i - 1] + x[i + 1]));
  ask(Relation::le(x[1] * n, x[0] * (n - 1) + x[n] + number(0, 2)));
}

void EntailmentMaker::strictOrder() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  int64_t step = number(1, 4);
  assume(Relation::le(a + step, b));
  assume(Relation::le(b, c + (step - 1)));
  ask(Relation::ne(a, c));
}

void EntailmentMaker::reversedOrder() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  int64_t step = number(1, 5);
  assume(Relation::le(a + step, b));
  assume(Relation::le(b, c));
  ask(Relation::le(c, a + number(0, step - 1)), false);
}

//===----------------------------------------------------------------------===//
// Residues
//===----------------------------------------------------------------------===//

void EntailmentMaker::multipleAtLeast() {
  int64_t m = number(3, 16), k = number(0, 6);
  Expr a =
      symbol(Range::atLeast(m * k + number(1, m - 1)), Residue::multipleOf(m));
  ask(Relation::ge(a, constant(m * (k + 1))));
}

void EntailmentMaker::chineseRemainder() {
  static const std::pair<int64_t, int64_t> coprime[] = {
      {3, 4}, {4, 5}, {5, 7}, {8, 9}, {7, 16}};
  auto [m, n] = coprime[number(0, 4)];
  int64_t value = number(0, m * n - 1), start = number(-20, 20) * m * n;
  Expr a = symbol(Range::between(start, start + m * n - 1),
                  Residue::of(DynamicAPInt(value % m), DynamicAPInt(m)));
  assume(Relation::divides(constant(n), a - value));
  ask(Relation::eq(a, constant(start + value)));
}

void EntailmentMaker::combinedMultiple() {
  Expr a = anyInteger(), b = anyInteger();
  int64_t d = number(2, 32);
  assume(Relation::divides(constant(d), a));
  assume(Relation::divides(constant(d), b));
  ask(Relation::divides(constant(d), a * number(-5, 5) + b * number(1, 5) +
                                         d * number(-3, 3)));
}

void EntailmentMaker::productOfMultiples() {
  int64_t m = number(2, 8), n = number(2, 8);
  Expr a = symbol(Range::atLeast(0), Residue::multipleOf(m));
  Expr b = anyInteger(), c = symbol();
  assume(Relation::divides(constant(n), b));
  ask(Relation::divides(constant(m * n), a * b * c));
}

void EntailmentMaker::oddAndEven() {
  int64_t m = number(2, 12), r = number(1, m - 1);
  Expr a = symbol(Range::all(), Residue::of(DynamicAPInt(r), DynamicAPInt(m)));
  Expr b = symbol(Range::all(), Residue::multipleOf(m));
  ask(Relation::eq(a, b + m * number(-4, 4)), false);
}

// m | a + b and m | a - b give m | 2*a, so m | a for an odd m.
void EntailmentMaker::sumAndDifference() {
  Expr a = anyInteger(), b = anyInteger();
  int64_t m = 2 * number(1, 6) + 1;
  assume(Relation::divides(constant(m), a + b));
  assume(Relation::divides(constant(m), a - b));
  ask(Relation::divides(constant(m), a));
}

// m | 2*a + b and m | a + 2*b give m | 3*a, so m | a where 3 does not divide m.
void EntailmentMaker::congruentSums() {
  static const int64_t moduli[] = {4, 5, 7, 8, 10, 11, 16};
  Expr a = anyInteger(), b = anyInteger(), m = constant(moduli[number(0, 6)]);
  assume(Relation::divides(m, a * 2 + b));
  assume(Relation::divides(m, a + b * 2));
  ask(Relation::divides(m, a));
}

//===----------------------------------------------------------------------===//
// Joint
//===----------------------------------------------------------------------===//

void EntailmentMaker::squeezedSum() {
  Expr a = anyInteger(), b = anyInteger();
  int64_t half = number(-20, 40), apart = number(0, 5);
  assume(Relation::le(a + apart, b));
  assume(Relation::ge(a + apart, b));
  assume(Relation::eq(a + b, constant(2 * half + apart)));
  ask(Relation::eq(a, constant(half)));
}

// Three equalities that a chosen point satisfies, with determinant != 0.
void EntailmentMaker::solvedSystem() {
  Expr x[3];
  int64_t point[3], m[3][3];
  for (int i = 0; i < 3; ++i) {
    x[i] = anyInteger();
    point[i] = number(-9, 9);
  }
  int64_t determinant;
  do {
    for (auto &row : m)
      for (int64_t &value : row)
        value = number(-4, 4);
    determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                  m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                  m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  } while (determinant == 0);
  for (auto &row : m) {
    Expr sum = constant(0);
    int64_t value = 0;
    for (int i = 0; i < 3; ++i) {
      sum = sum + x[i] * row[i];
      value += row[i] * point[i];
    }
    assume(Relation::eq(sum, constant(value)));
  }
  ask(Relation::eq(x[0], constant(point[0])));
}

// Terms at most k each, whose sum is at least their number times k, are k.
void EntailmentMaker::tightSum() {
  Expr sum = constant(0), first;
  int64_t k = number(1, 30), terms = number(2, 4);
  for (int64_t i = 0; i < terms; ++i) {
    Expr a = anyInteger(), b = anyInteger();
    assume(Relation::le(a, b));
    assume(Relation::le(b, constant(k)));
    sum = sum + a;
    first = first ? first : a;
  }
  assume(Relation::ge(sum, constant(terms * k)));
  ask(Relation::eq(first, constant(k)));
}

// a + b <= s and a - b <= t give a <= floor((s + t) / 2).
void EntailmentMaker::boundedSystem() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  int64_t s = number(-9, 30), t = number(-9, 30);
  assume(Relation::le(a + b + c, constant(s)));
  assume(Relation::le(a - b - c, constant(t)));
  ask(Relation::le(a * 2, constant(s + t + number(0, 1))));
}

// a <= b <= c and a + b + c == 3*k + 1: not all are at most k.
void EntailmentMaker::impossibleValue() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  int64_t k = number(-9, 30);
  assume(Relation::le(a, b));
  assume(Relation::le(b, c));
  assume(Relation::eq(a + b + c, constant(3 * k + number(1, 2))));
  ask(Relation::le(c, constant(k)), false);
}

// a + b <= s, b + c <= t and a + c <= u: twice the sum is at most s + t + u.
void EntailmentMaker::sumOfPairs() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  int64_t s = number(-9, 30), t = number(-9, 30), u = number(-9, 30);
  assume(Relation::le(a + b, constant(s)));
  assume(Relation::le(b + c, constant(t)));
  assume(Relation::le(a + c, constant(u)));
  int64_t least = s + t + u;
  ask(Relation::le(a + b + c,
                   constant((least - (least % 2 != 0)) / 2 + number(0, 2))));
}

// From k*a + m*b <= s and m*a + k*b <= t: (k + m)*(a + b) <= s + t.
void EntailmentMaker::crossedBounds() {
  Expr a = anyInteger(), b = anyInteger();
  int64_t k = number(2, 5), m = number(1, k - 1), bound = number(1, 20);
  int64_t s = number(0, 30), t = (k + m) * bound - s + number(0, k + m - 1);
  assume(Relation::le(a * k + b * m, constant(s)));
  assume(Relation::le(a * m + b * k, constant(t)));
  ask(Relation::le(a + b, constant(bound)));
}
