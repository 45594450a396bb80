//===- Range.cpp - Intervals and residue classes --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of the two non-relational domains. Every result contains all
// values of the operation on members of its operands; an empty operand may give
// any result.
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/Range.h"
#include "symshape/Expr/Integers.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::symshape;
using llvm::DynamicAPInt;

//===----------------------------------------------------------------------===//
// Range
//===----------------------------------------------------------------------===//

using End = std::optional<DynamicAPInt>;

static End lesser(const End &a, const End &b) { return *a <= *b ? a : b; }
static End greater(const End &a, const End &b) { return *a >= *b ? a : b; }

bool Range::fitsInt64() const {
  return min && max && tryInt64(*min) && tryInt64(*max);
}

Range Range::intersect(const Range &a, const Range &b) {
  Range result;
  result.min = !a.min ? b.min : !b.min ? a.min : greater(a.min, b.min);
  result.max = !a.max ? b.max : !b.max ? a.max : lesser(a.max, b.max);
  return result;
}

Range Range::join(const Range &a, const Range &b) {
  if (a.isEmpty())
    return b;
  if (b.isEmpty())
    return a;
  Range result;
  if (a.min && b.min)
    result.min = lesser(a.min, b.min);
  if (a.max && b.max)
    result.max = greater(a.max, b.max);
  return result;
}

Range Range::add(const Range &a, const Range &b) {
  Range result;
  if (a.min && b.min)
    result.min = *a.min + *b.min;
  if (a.max && b.max)
    result.max = *a.max + *b.max;
  return result;
}

Range Range::neg(const Range &a) {
  Range result;
  if (a.max)
    result.min = -*a.max;
  if (a.min)
    result.max = -*a.min;
  return result;
}

namespace {
/// An end of an interval: a number, or an infinity of the given sign.
struct Extended {
  int infinite = 0;
  DynamicAPInt value;

  int sign() const {
    if (infinite)
      return infinite;
    return value > 0 ? 1 : value < 0 ? -1 : 0;
  }
};
} // namespace

static Extended lowEnd(const Range &r) {
  return r.min ? Extended{0, *r.min} : Extended{-1, DynamicAPInt(0)};
}
static Extended highEnd(const Range &r) {
  return r.max ? Extended{0, *r.max} : Extended{1, DynamicAPInt(0)};
}

static Extended multiply(const Extended &a, const Extended &b) {
  // 0 times an unbounded end is 0: the end stands for arbitrarily large finite
  // values.
  if (a.sign() == 0 || b.sign() == 0)
    return {0, DynamicAPInt(0)};
  if (a.infinite || b.infinite)
    return {a.sign() * b.sign(), DynamicAPInt(0)};
  return {0, a.value * b.value};
}

static bool isLess(const Extended &a, const Extended &b) {
  if (a.infinite || b.infinite)
    return a.infinite < b.infinite;
  return a.value < b.value;
}

/// Longer ends of products are not kept: powers of powers would grow without
/// end.
static constexpr unsigned maxEndBits = 1024;

/// The range, or one that contains it, with ends of at most `maxEndBits`.
static Range withShortEnds(Range range) {
  static const DynamicAPInt most = powerOfTwo(maxEndBits);
  auto isLong = [](const std::optional<DynamicAPInt> &end) {
    return end && !fitsBits(*end, maxEndBits);
  };
  if (isLong(range.min))
    range.min = *range.min > 0 ? std::optional(most) : std::nullopt;
  if (isLong(range.max))
    range.max = *range.max < 0 ? std::optional(-most) : std::nullopt;
  return range;
}

Range Range::mul(const Range &a, const Range &b) {
  // Most are like this, as extents are: the corners are in order.
  auto isOrdered = [](const Range &r) {
    return r.min && r.max && *r.min >= 0 && *r.min <= *r.max;
  };
  if (isOrdered(a) && isOrdered(b))
    return withShortEnds({*a.min * *b.min, *a.max * *b.max});
  Extended least, greatest;
  bool isFirst = true;
  for (const Extended &x : {lowEnd(a), highEnd(a)})
    for (const Extended &y : {lowEnd(b), highEnd(b)}) {
      Extended product = multiply(x, y);
      if (isFirst || isLess(product, least))
        least = product;
      if (isFirst || isLess(greatest, product))
        greatest = product;
      isFirst = false;
    }
  Range result;
  if (!least.infinite)
    result.min = least.value;
  if (!greatest.infinite)
    result.max = greatest.value;
  return withShortEnds(result);
}

// For a divisor of one sign, floor(x / y) is monotone in x for each y, and
// monotone in y for each x, so its extremes are at the corners. At an unbounded
// divisor the quotient tends to 0, or to -1 from below where the signs differ;
// at an unbounded dividend it is unbounded.
Range Range::floorDiv(const Range &a, const Range &b) {
  if (a.isEmpty() || b.isEmpty() || b.contains(DynamicAPInt(0)))
    return all();
  if (b.isAtMost(-1))
    return floorDiv(neg(a), neg(b));
  if (!b.min) // contains(0) refused everything else
    return all();
  Range result;
  if (a.min) {
    if (*a.min >= 0)
      result.min = b.max ? llvm::floorDiv(*a.min, *b.max) : DynamicAPInt(0);
    else
      result.min = llvm::floorDiv(*a.min, *b.min);
  }
  if (a.max) {
    if (*a.max >= 0)
      result.max = llvm::floorDiv(*a.max, *b.min);
    else
      result.max = b.max ? llvm::floorDiv(*a.max, *b.max) : DynamicAPInt(-1);
  }
  return result;
}

Range Range::minOf(const Range &a, const Range &b) {
  Range result;
  if (a.min && b.min)
    result.min = lesser(a.min, b.min);
  result.max = !a.max ? b.max : !b.max ? a.max : lesser(a.max, b.max);
  return result;
}

Range Range::maxOf(const Range &a, const Range &b) {
  return neg(minOf(neg(a), neg(b)));
}

void Range::print(llvm::raw_ostream &os) const {
  os << '[';
  if (min)
    os << *min;
  else
    os << "-inf";
  os << ", ";
  if (max)
    os << *max;
  else
    os << "inf";
  os << ']';
}

//===----------------------------------------------------------------------===//
// Residue
//===----------------------------------------------------------------------===//

Residue Residue::of(const DynamicAPInt &remainder,
                    const DynamicAPInt &modulus) {
  Residue result;
  result.modulus = abs(modulus);
  result.remainder =
      result.modulus == 0 ? remainder : mod(remainder, result.modulus);
  return result;
}

bool Residue::contains(const DynamicAPInt &v) const {
  return modulus == 0 ? v == remainder : mod(v, modulus) == remainder;
}

Residue Residue::join(const Residue &a, const Residue &b) {
  DynamicAPInt modulus =
      gcd(gcd(a.modulus, b.modulus), abs(a.remainder - b.remainder));
  return of(a.remainder, modulus);
}

namespace {
/// gcd = x*a + y*b
struct Bezout {
  DynamicAPInt gcd, x, y;
};
} // namespace

/// The extended algorithm of Euclid, for a, b >= 0.
static Bezout bezout(DynamicAPInt a, DynamicAPInt b) {
  DynamicAPInt x0(1), y0(0), x1(0), y1(1);
  while (b != 0) {
    DynamicAPInt q = llvm::floorDiv(a, b);
    DynamicAPInt rest = a - q * b;
    a = b;
    b = rest;
    DynamicAPInt x2 = x0 - q * x1, y2 = y0 - q * y1;
    x0 = x1;
    y0 = y1;
    x1 = x2;
    y1 = y2;
  }
  return {a, x0, y0};
}

std::optional<Residue> Residue::intersect(const Residue &a, const Residue &b) {
  if (a.modulus == 0)
    return b.contains(a.remainder) ? std::optional(a) : std::nullopt;
  if (b.modulus == 0)
    return a.contains(b.remainder) ? std::optional(b) : std::nullopt;
  Bezout combination = bezout(a.modulus, b.modulus);
  DynamicAPInt difference = b.remainder - a.remainder;
  if (mod(difference, combination.gcd) != 0)
    return std::nullopt;
  DynamicAPInt modulus = a.modulus / combination.gcd * b.modulus;
  DynamicAPInt steps = difference / combination.gcd * combination.x;
  return of(a.remainder + a.modulus * steps, modulus);
}

Residue Residue::add(const Residue &a, const Residue &b) {
  return of(a.remainder + b.remainder, gcd(a.modulus, b.modulus));
}

// (r + d*i) * (s + e*j) = r*s + r*e*j + s*d*i + d*e*i*j
// What is r mod m is r mod any number that divides m: here that keeps what is
// known of the factors of two.
Residue Residue::mul(const Residue &a, const Residue &b) {
  DynamicAPInt modulus =
      gcd(gcd(abs(a.remainder) * b.modulus, abs(b.remainder) * a.modulus),
          a.modulus * b.modulus);
  DynamicAPInt remainder = a.remainder * b.remainder;
  if (!fitsBits(modulus, maxEndBits) || !fitsBits(remainder, maxEndBits))
    modulus = gcd(modulus, powerOfTwo(maxEndBits));
  return of(remainder, modulus);
}

Residue Residue::neg(const Residue &a) { return of(-a.remainder, a.modulus); }

std::optional<Residue> Residue::divideOut(const DynamicAPInt &factor,
                                          const Residue &r) {
  if (factor == 0)
    return r.contains(DynamicAPInt(0)) ? std::optional(Residue())
                                       : std::nullopt;
  Bezout combination =
      bezout(mod(factor, r.modulus == 0 ? abs(factor) : r.modulus), r.modulus);
  if (r.modulus == 0) {
    if (mod(r.remainder, abs(factor)) != 0)
      return std::nullopt;
    return of(r.remainder / factor, DynamicAPInt(0));
  }
  // factor * x = r mod m has solutions iff g = gcd(factor, m) divides r, and
  // then x is fixed modulo m / g: x = (r / g) * inverse(factor / g).
  const DynamicAPInt &g = combination.gcd;
  if (mod(r.remainder, g) != 0)
    return std::nullopt;
  return of(r.remainder / g * combination.x, r.modulus / g);
}

void Residue::print(llvm::raw_ostream &os) const {
  os << remainder << " mod " << modulus;
}
