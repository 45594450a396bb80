//===- Range.h - Intervals and residue classes ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two non-relational domains: closed intervals with optional ends, and
// residue classes. For: bounds and divisibility of one expression. Not for:
// relations between expressions.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONSTRAINTS_RANGE_H
#define SYMSHAPE_CONSTRAINTS_RANGE_H

#include "llvm/ADT/DynamicAPInt.h"
#include <optional>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::symshape {

/// The integers x with min <= x <= max; a missing end is unbounded. Empty when
/// min > max, which only `intersect` produces.
struct Range {
  std::optional<llvm::DynamicAPInt> min, max;

  static Range all() { return {}; }
  static Range exactly(const llvm::DynamicAPInt &v) { return {v, v}; }
  static Range atLeast(int64_t v) {
    return {llvm::DynamicAPInt(v), std::nullopt};
  }
  static Range between(int64_t lo, int64_t hi) {
    return {llvm::DynamicAPInt(lo), llvm::DynamicAPInt(hi)};
  }
  bool isEmpty() const { return min && max && *min > *max; }
  bool isSingle() const { return min && max && *min == *max; }
  bool contains(const llvm::DynamicAPInt &v) const {
    return (!min || *min <= v) && (!max || v <= *max);
  }
  /// Whether no value is below, or above, `v`.
  bool isAtLeast(int64_t v) const { return min && *min >= v; }
  bool isAtMost(int64_t v) const { return max && *max <= v; }
  bool fitsInt64() const;
  bool operator==(const Range &o) const { return min == o.min && max == o.max; }

  static Range intersect(const Range &a, const Range &b);
  static Range join(const Range &a, const Range &b);
  static Range add(const Range &a, const Range &b);
  static Range mul(const Range &a, const Range &b);
  static Range neg(const Range &a);
  /// Unbounded when the divisor may be 0.
  static Range floorDiv(const Range &a, const Range &b);
  static Range minOf(const Range &a, const Range &b);
  static Range maxOf(const Range &a, const Range &b);
  /// Prints `[0, inf]`.
  void print(llvm::raw_ostream &os) const;
};

/// The set of integers { remainder + modulus*k : k in Z }.
///
/// Invariants: modulus >= 0; 0 <= remainder < modulus unless modulus == 0.
/// Canonical form: the pair is unique to its set, so `==` is equality of sets.
/// modulus 1 is all integers (the default); modulus 0 is one integer.
struct Residue {
  llvm::DynamicAPInt modulus = llvm::DynamicAPInt(1);
  llvm::DynamicAPInt remainder = llvm::DynamicAPInt(0);

  static Residue of(const llvm::DynamicAPInt &remainder,
                    const llvm::DynamicAPInt &modulus);
  static Residue multipleOf(int64_t d) {
    return of(llvm::DynamicAPInt(0), llvm::DynamicAPInt(d));
  }
  bool isAll() const { return modulus == 1; }
  bool contains(const llvm::DynamicAPInt &v) const;
  bool operator==(const Residue &o) const {
    return modulus == o.modulus && remainder == o.remainder;
  }
  /// The least class that contains both sets.
  static Residue join(const Residue &a, const Residue &b);
  /// The common members (Chinese remainder); nullopt when there are none.
  static std::optional<Residue> intersect(const Residue &a, const Residue &b);
  static Residue add(const Residue &a, const Residue &b);
  static Residue mul(const Residue &a, const Residue &b);
  static Residue neg(const Residue &a);
  /// The x with `factor * x` in `r`; nullopt when there are none.
  static std::optional<Residue> divideOut(const llvm::DynamicAPInt &factor,
                                          const Residue &r);
  /// Prints `r mod d`.
  void print(llvm::raw_ostream &os) const;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_CONSTRAINTS_RANGE_H
