//===- Entailments.cpp - Random elementary entailments --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per theorem, several theorems per kind. Each is an implication
// that holds for all values of its numbers.
//
//===----------------------------------------------------------------------===//

#include "Entailments.h"

#include "llvm/Support/raw_ostream.h"
#include <random>

using namespace mlir::symshape;
using llvm::DynamicAPInt;

namespace {
class Maker {
public:
  Maker(ExprArena &arena, unsigned seed) : arena(arena), random(seed) {}

  using Theorem = void (Maker::*)();
  Entailment make(llvm::StringRef kind, Theorem theorem);

  // Linear.
  void chain();
  void scaledBound();
  void sumOfOrders();
  void weightedSum();
  void convexSequence();
  void strictOrder();
  void reversedOrder();
  // Residues.
  void multipleAtLeast();
  void chineseRemainder();
  void combinedMultiple();
  void productOfMultiples();
  void oddAndEven();
  void sumAndDifference();
  void congruentSums();
  // Divisions.
  void euclid();
  void convolution();
  void nestedDivisions();
  void paddedToMultiple();
  void symbolicDivisor();
  void monotoneDivision();
  void quotientOfSolved();
  void withoutCarry();
  void sumOfQuotients();
  void sumOfRemainders();
  // Minimum and maximum.
  void leastOfTwo();
  void minPlusMax();
  void dominatedOperand();
  void greatestLowerBound();
  void clampedTile();
  void largestFits();
  void broadcastOfOne();
  void clampsCommute();
  void minOfSums();
  // Products.
  void monotoneProduct();
  void cancelledFactor();
  void productIsDivided();
  void reshapedCount();
  void neighbours();
  void boundedProduct();
  void productInSum();
  void weightedProducts();
  // Joint.
  void squeezedSum();
  void solvedSystem();
  void tightSum();
  void boundedSystem();
  void impossibleValue();
  void sumOfPairs();
  void crossedBounds();

private:
  void weighRows(llvm::ArrayRef<Expr> terms, llvm::ArrayRef<int64_t> values);
  int64_t number(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(random() % (hi - lo + 1));
  }
  /// A fresh symbol.
  Expr symbol(Range range = Range::atLeast(0), Residue residue = {}) {
    static const char *names[] = {"B", "S", "L", "H", "W", "C", "K", "N",
                                  "M", "T", "D", "E", "P", "Q", "R", "V"};
    // Not one of these names twice in a problem; the order is random.
    unsigned i = entailment.symbols.size();
    std::swap(order[i], order[i + random() % (order.size() - i)]);
    Expr e = arena.symbol(names[order[i]]);
    SymbolInfo info;
    info.range = range;
    info.residue = residue;
    entailment.symbols.push_back({e, info});
    return e;
  }
  Expr anyInteger() { return symbol(Range::all()); }
  Expr positive() { return symbol(Range::atLeast(1)); }
  Expr constant(int64_t value) { return arena.constant(value); }
  void assume(const Relation &relation) {
    entailment.facts.push_back(relation);
  }
  void ask(const Relation &relation, bool holds = true) {
    entailment.question = relation;
    entailment.holds = holds;
  }

  ExprArena &arena;
  std::mt19937 random;
  Entailment entailment;
  std::vector<unsigned> order;
};
} // namespace

Entailment Maker::make(llvm::StringRef kind, Theorem theorem) {
  entailment = Entailment();
  entailment.kind = kind;
  order.resize(16);
  for (unsigned i = 0; i < order.size(); ++i)
    order[i] = i;
  (this->*theorem)();
  return std::move(entailment);
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

void Maker::chain() {
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
void Maker::scaledBound() {
  Expr a = anyInteger(), b = anyInteger();
  int64_t g = number(2, 9), h = number(1, 5), least = number(-20, 20);
  assume(Relation::le(constant(g * (least - 1) + number(1, g)),
                      a * g + b * (g * h)));
  ask(Relation::le(constant(least), a + b * h));
}

void Maker::sumOfOrders() {
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
void Maker::weighRows(llvm::ArrayRef<Expr> terms,
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

void Maker::weightedSum() {
  std::vector<Expr> terms;
  std::vector<int64_t> values;
  for (int i = 0; i < 4; ++i) {
    terms.push_back(anyInteger());
    values.push_back(number(-5, 5));
  }
  weighRows(terms, values);
}

// x0, x1, ..., xn convex: x1 is at most x0 + (xn - x0) / n.
void Maker::convexSequence() {
  int64_t n = number(3, 5);
  std::vector<Expr> x;
  for (int64_t i = 0; i <= n; ++i)
    x.push_back(anyInteger());
  for (int64_t i = 1; i < n; ++i)
    assume(Relation::le(x[i] * 2, x[i - 1] + x[i + 1]));
  ask(Relation::le(x[1] * n, x[0] * (n - 1) + x[n] + number(0, 2)));
}

void Maker::strictOrder() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  int64_t step = number(1, 4);
  assume(Relation::le(a + step, b));
  assume(Relation::le(b, c + (step - 1)));
  ask(Relation::ne(a, c));
}

void Maker::reversedOrder() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  int64_t step = number(1, 5);
  assume(Relation::le(a + step, b));
  assume(Relation::le(b, c));
  ask(Relation::le(c, a + number(0, step - 1)), false);
}

//===----------------------------------------------------------------------===//
// Residues
//===----------------------------------------------------------------------===//

void Maker::multipleAtLeast() {
  int64_t m = number(3, 16), k = number(0, 6);
  Expr a =
      symbol(Range::atLeast(m * k + number(1, m - 1)), Residue::multipleOf(m));
  ask(Relation::ge(a, constant(m * (k + 1))));
}

void Maker::chineseRemainder() {
  static const std::pair<int64_t, int64_t> coprime[] = {
      {3, 4}, {4, 5}, {5, 7}, {8, 9}, {7, 16}};
  auto [m, n] = coprime[number(0, 4)];
  int64_t value = number(0, m * n - 1), start = number(-20, 20) * m * n;
  Expr a = symbol(Range::between(start, start + m * n - 1),
                  Residue::of(DynamicAPInt(value % m), DynamicAPInt(m)));
  assume(Relation::divides(constant(n), a - value));
  ask(Relation::eq(a, constant(start + value)));
}

void Maker::combinedMultiple() {
  Expr a = anyInteger(), b = anyInteger();
  int64_t d = number(2, 32);
  assume(Relation::divides(constant(d), a));
  assume(Relation::divides(constant(d), b));
  ask(Relation::divides(constant(d), a * number(-5, 5) + b * number(1, 5) +
                                         d * number(-3, 3)));
}

void Maker::productOfMultiples() {
  int64_t m = number(2, 8), n = number(2, 8);
  Expr a = symbol(Range::atLeast(0), Residue::multipleOf(m));
  Expr b = anyInteger(), c = symbol();
  assume(Relation::divides(constant(n), b));
  ask(Relation::divides(constant(m * n), a * b * c));
}

void Maker::oddAndEven() {
  int64_t m = number(2, 12), r = number(1, m - 1);
  Expr a = symbol(Range::all(), Residue::of(DynamicAPInt(r), DynamicAPInt(m)));
  Expr b = symbol(Range::all(), Residue::multipleOf(m));
  ask(Relation::eq(a, b + m * number(-4, 4)), false);
}

// m | a + b and m | a - b give m | 2*a, so m | a for an odd m.
void Maker::sumAndDifference() {
  Expr a = anyInteger(), b = anyInteger();
  int64_t m = 2 * number(1, 6) + 1;
  assume(Relation::divides(constant(m), a + b));
  assume(Relation::divides(constant(m), a - b));
  ask(Relation::divides(constant(m), a));
}

// m | 2*a + b and m | a + 2*b give m | 3*a, so m | a where 3 does not divide m.
void Maker::congruentSums() {
  static const int64_t moduli[] = {4, 5, 7, 8, 10, 11, 16};
  Expr a = anyInteger(), b = anyInteger(), m = constant(moduli[number(0, 6)]);
  assume(Relation::divides(m, a * 2 + b));
  assume(Relation::divides(m, a + b * 2));
  ask(Relation::divides(m, a));
}

//===----------------------------------------------------------------------===//
// Divisions
//===----------------------------------------------------------------------===//

void Maker::euclid() {
  Expr a = anyInteger();
  int64_t d = number(2, 64);
  Expr multiple = arena.floorDiv(a, constant(d)) * d;
  if (number(0, 1))
    ask(Relation::le(multiple, a));
  else
    ask(Relation::lt(a, multiple + d));
}

// With h == s*n and k <= 2*p + s, k > 2*p: (h + 2*p - k) floordiv s + 1 == n.
void Maker::convolution() {
  Expr h = positive(), n = symbol();
  int64_t s = number(2, 4), p = number(0, 3), k = 2 * p + number(1, s);
  assume(Relation::eq(h, n * s));
  Expr extent = arena.floorDiv(h + (2 * p - k), constant(s)) + 1;
  ask(Relation::eq(extent, n));
}

void Maker::nestedDivisions() {
  Expr a = anyInteger();
  int64_t b = number(2, 9), c = number(2, 9);
  ask(Relation::eq(arena.floorDiv(arena.floorDiv(a, constant(b)), constant(c)),
                   arena.floorDiv(a, constant(b * c))));
}

void Maker::paddedToMultiple() {
  Expr a = symbol(), b = symbol();
  int64_t m = number(2, 64);
  Expr padded = arena.ceilDiv(a, constant(m)) * m;
  assume(Relation::le(a, b));
  if (number(0, 1))
    ask(Relation::lt(padded, b + m));
  else
    ask(Relation::divides(constant(m), padded + m * number(0, 3)));
}

void Maker::symbolicDivisor() {
  Expr a = symbol(), b = positive(), c = symbol();
  assume(Relation::le(a, c));
  Expr q = arena.floorDiv(a, b);
  if (number(0, 1))
    ask(Relation::le(q * b, c + number(0, 4)));
  else
    ask(Relation::lt(a - q * b, b));
}

void Maker::monotoneDivision() {
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

void Maker::quotientOfSolved() {
  Expr a = symbol(), n = symbol();
  int64_t d = number(2, 12), factor = number(1, 6);
  assume(Relation::eq(a, n * (d * factor) + number(0, d - 1)));
  ask(Relation::eq(arena.floorDiv(a, constant(d)), n * factor));
}

// With a mod d <= r and r + k < d, a and a + k have one quotient by d.
void Maker::withoutCarry() {
  Expr a = anyInteger();
  int64_t d = number(3, 40), r = number(1, d - 2), k = number(1, d - 1 - r);
  assume(Relation::le(arena.mod(a, constant(d)), constant(r)));
  ask(Relation::eq(arena.floorDiv(a + k, constant(d)),
                   arena.floorDiv(a, constant(d))));
}

void Maker::sumOfQuotients() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  Expr d = constant(number(2, 16));
  assume(Relation::le(c, a + b));
  ask(Relation::le(arena.floorDiv(c, d),
                   arena.floorDiv(a, d) + arena.floorDiv(b, d) + 1));
}

void Maker::sumOfRemainders() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  Expr d = constant(number(2, 16));
  assume(Relation::eq(arena.mod(a, d), c));
  ask(Relation::le(arena.mod(a + b, d), c + arena.mod(b, d)));
}

//===----------------------------------------------------------------------===//
// Minimum and maximum
//===----------------------------------------------------------------------===//

void Maker::leastOfTwo() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  assume(Relation::le(a, c + number(-3, 3)));
  Expr bound = entailment.facts[0].rhs;
  ask(Relation::le(arena.min(a, b), bound));
}

void Maker::minPlusMax() {
  Expr a = anyInteger(), b = anyInteger();
  int64_t k = number(1, 9);
  ask(Relation::eq((arena.min(a, b) + arena.max(a, b)) * k, (a + b) * k));
}

void Maker::dominatedOperand() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  assume(Relation::le(a + number(0, 3), b));
  assume(Relation::le(b, c));
  ask(Relation::eq(arena.min({a, b, c}), a));
}

void Maker::greatestLowerBound() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  assume(Relation::le(c, a));
  assume(Relation::le(c, b));
  ask(Relation::le(c - number(0, 4), arena.min(a, b)));
}

void Maker::clampedTile() {
  Expr n = symbol(), i = symbol();
  int64_t t = number(1, 128);
  assume(Relation::lt(i, n));
  Expr tile = arena.min(n - i, constant(t));
  if (number(0, 1))
    ask(Relation::ge(tile, constant(1)));
  else
    ask(Relation::le(i + tile, n));
}

void Maker::largestFits() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger(), d = anyInteger();
  int64_t k = number(1, 9);
  assume(Relation::le(a + c * k, d));
  assume(Relation::le(b + c * k, d));
  ask(Relation::le(arena.max(a, b) + c * k, d + number(0, 5)));
}

void Maker::broadcastOfOne() {
  Expr a = positive(), b = positive();
  int64_t bound = number(2, 64);
  assume(Relation::le(a, constant(bound)));
  assume(Relation::le(b, constant(bound)));
  ask(Relation::le(arena.bc(a, b), constant(bound + number(0, 3))));
}

// With low <= high, clamping from below first or from above first is the same.
void Maker::clampsCommute() {
  Expr a = anyInteger(), low = anyInteger(), high = anyInteger();
  assume(Relation::le(low + number(0, 5), high));
  ask(Relation::eq(arena.min(arena.max(a, low), high),
                   arena.max(arena.min(a, high), low)));
}

void Maker::minOfSums() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger(), d = anyInteger();
  int64_t k = number(1, 4);
  ask(Relation::le(arena.min(a, b) * k + arena.min(c, d),
                   arena.min(a * k + c, b * k + d)));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void Maker::monotoneProduct() {
  Expr a = symbol(), b = symbol(), c = symbol();
  assume(Relation::le(a, b));
  ask(Relation::le(a * c, b * c + number(0, 9)));
}

void Maker::cancelledFactor() {
  Expr a = symbol(), b = symbol(), c = positive();
  int64_t k = number(1, 9);
  assume(Relation::eq(a * c * k, b * c * k));
  ask(Relation::eq(a, b));
}

void Maker::productIsDivided() {
  Expr a = symbol(), b = symbol(), c = symbol();
  assume(Relation::eq(a * b, c));
  ask(Relation::divides(a, c * number(1, 8)));
}

// b*l*k elements, of which rows have k*j: l*b == n*j.
void Maker::reshapedCount() {
  Expr b = symbol(), l = symbol(), n = symbol();
  int64_t k = number(2, 64), j = number(1, 8);
  assume(Relation::eq(b * l * (k * j), n * (k * j)));
  ask(Relation::eq(b * l * k, n * k));
}

void Maker::neighbours() {
  Expr a = anyInteger();
  int64_t k = number(0, 4);
  ask(Relation::divides(constant(2), a * (a + (2 * k + 1))));
}

void Maker::boundedProduct() {
  int64_t m = number(1, 64), n = number(1, 4096);
  Expr a = symbol(Range::between(0, m)), b = symbol(Range::between(0, n));
  ask(Relation::le(a * b, constant(m * n + number(0, 8))));
}

void Maker::productInSum() {
  Expr a = symbol(), b = symbol(), c = symbol(), d = symbol(), e = symbol();
  int64_t limit = number(10, 4096);
  assume(Relation::le(a * b, c + e));
  assume(Relation::le(c * 2 + d, constant(limit)));
  assume(Relation::le(e * 2, d));
  ask(Relation::le(a * b * 2, constant(limit)));
}

void Maker::weightedProducts() {
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

//===----------------------------------------------------------------------===//
// Joint
//===----------------------------------------------------------------------===//

void Maker::squeezedSum() {
  Expr a = anyInteger(), b = anyInteger();
  int64_t half = number(-20, 40), apart = number(0, 5);
  assume(Relation::le(a + apart, b));
  assume(Relation::ge(a + apart, b));
  assume(Relation::eq(a + b, constant(2 * half + apart)));
  ask(Relation::eq(a, constant(half)));
}

// Three equalities that a chosen point satisfies, with determinant != 0.
void Maker::solvedSystem() {
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
void Maker::tightSum() {
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
void Maker::boundedSystem() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  int64_t s = number(-9, 30), t = number(-9, 30);
  assume(Relation::le(a + b + c, constant(s)));
  assume(Relation::le(a - b - c, constant(t)));
  ask(Relation::le(a * 2, constant(s + t + number(0, 1))));
}

// a <= b <= c and a + b + c == 3*k + 1: not all are at most k.
void Maker::impossibleValue() {
  Expr a = anyInteger(), b = anyInteger(), c = anyInteger();
  int64_t k = number(-9, 30);
  assume(Relation::le(a, b));
  assume(Relation::le(b, c));
  assume(Relation::eq(a + b + c, constant(3 * k + number(1, 2))));
  ask(Relation::le(c, constant(k)), false);
}

// a + b <= s, b + c <= t and a + c <= u: twice the sum is at most s + t + u.
void Maker::sumOfPairs() {
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
void Maker::crossedBounds() {
  Expr a = anyInteger(), b = anyInteger();
  int64_t k = number(2, 5), m = number(1, k - 1), bound = number(1, 20);
  int64_t s = number(0, 30), t = (k + m) * bound - s + number(0, k + m - 1);
  assume(Relation::le(a * k + b * m, constant(s)));
  assume(Relation::le(a * m + b * k, constant(t)));
  ask(Relation::le(a + b, constant(bound)));
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

// Random rows, and sums modulo a number, come up more often than others: they
// are what the affine tier is for.
std::vector<Entailment> mlir::symshape::makeEntailments(ExprArena &arena,
                                                        unsigned count,
                                                        unsigned seed) {
  const std::pair<llvm::StringRef, std::vector<Maker::Theorem>> kinds[] = {
      {"linear",
       {&Maker::chain, &Maker::scaledBound, &Maker::sumOfOrders,
        &Maker::weightedSum, &Maker::weightedSum, &Maker::weightedSum,
        &Maker::convexSequence, &Maker::strictOrder, &Maker::reversedOrder}},
      {"residues",
       {&Maker::multipleAtLeast, &Maker::chineseRemainder,
        &Maker::combinedMultiple, &Maker::productOfMultiples,
        &Maker::oddAndEven, &Maker::sumAndDifference, &Maker::congruentSums,
        &Maker::congruentSums}},
      {"divisions",
       {&Maker::euclid, &Maker::convolution, &Maker::nestedDivisions,
        &Maker::paddedToMultiple, &Maker::symbolicDivisor,
        &Maker::monotoneDivision, &Maker::quotientOfSolved,
        &Maker::withoutCarry, &Maker::sumOfQuotients, &Maker::sumOfRemainders}},
      {"min and max",
       {&Maker::leastOfTwo, &Maker::minPlusMax, &Maker::dominatedOperand,
        &Maker::greatestLowerBound, &Maker::clampedTile, &Maker::largestFits,
        &Maker::broadcastOfOne, &Maker::clampsCommute, &Maker::minOfSums}},
      {"products",
       {&Maker::monotoneProduct, &Maker::cancelledFactor,
        &Maker::productIsDivided, &Maker::reshapedCount, &Maker::neighbours,
        &Maker::boundedProduct, &Maker::productInSum, &Maker::weightedProducts,
        &Maker::weightedProducts}},
      {"joint",
       {&Maker::squeezedSum, &Maker::solvedSystem, &Maker::tightSum,
        &Maker::boundedSystem, &Maker::impossibleValue, &Maker::sumOfPairs,
        &Maker::crossedBounds}}};
  Maker maker(arena, seed);
  std::vector<Entailment> entailments;
  for (unsigned i = 0; i < count; ++i) {
    const auto &[kind, theorems] = kinds[i % std::size(kinds)];
    entailments.push_back(
        maker.make(kind, theorems[i / std::size(kinds) % theorems.size()]));
  }
  return entailments;
}

void mlir::symshape::printProblems(llvm::ArrayRef<Entailment> entailments,
                                   llvm::raw_ostream &os) {
  for (const Entailment &entailment : entailments) {
    os << "# " << entailment.kind << "\npush\n";
    for (const auto &[symbol, info] : entailment.symbols) {
      os << "symbol " << symbol.str() << " in ";
      info.range.print(os);
      if (!info.residue.isAll())
        os << " residue " << info.residue.remainder << " mod "
           << info.residue.modulus;
      os << '\n';
    }
    for (const Relation &fact : entailment.facts)
      os << "assume " << fact.str() << '\n';
    os << "prove " << entailment.question.str() << "  # expect "
       << (entailment.holds ? "yes" : "no") << "\npop\n";
  }
}
