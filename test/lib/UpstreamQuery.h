//===- UpstreamQuery.h - Ops of the test dialect that ask -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `test.reify_bound` and `test.compare`, which ask upstream's value bounds, and
// what upstream answers. The test dialect has no headers: ops are read by name.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TEST_LIB_UPSTREAMQUERY_H
#define SYMSHAPE_TEST_LIB_UPSTREAMQUERY_H

#include "symshape/Analysis/ValueBounds.h"

namespace mlir::symshape::test {

/// Which values a bound may be said in.
enum class InTermsOf { OtherValues, Arguments, Vscale, Nothing };

struct UpstreamQuery {
  using BoundType = ValueBounds::BoundType;
  using Comparison = ValueBounds::Comparison;

  Operation *op = nullptr;
  /// A bound of `subject`, or else whether `lhs` and `rhs` compare so.
  bool isBound = false;
  BoundType type = BoundType::EQ;
  ValueDim subject;
  InTermsOf terms = InTermsOf::OtherValues;
  std::pair<int64_t, int64_t> vscale;
  Comparison comparison = Comparison::EQ;
  AffineMap lhsMap, rhsMap;
  SmallVector<Value> lhs, rhs;

  // What upstream says; upper bounds are closed.
  std::optional<AffineMap> boundMap; ///< over `boundOperands`, or over vscale
  SmallVector<ValueDim> boundOperands;
  std::optional<bool> verdict;

  /// Reads an op; nullopt where it asks nothing, or is refused with an error.
  static std::optional<UpstreamQuery> read(Operation *op, bool overArguments);
  void askUpstream();

  Quantity sideOf(AffineMap map, ArrayRef<Value> values) const;
  std::string str() const;
};

/// As `test.compare` has it: nullopt where neither it nor its opposite is
/// known.
std::optional<bool>
decideComparison(ValueBounds::Comparison comparison,
                 llvm::function_ref<bool(ValueBounds::Comparison)> isTrue);

} // namespace mlir::symshape::test

#endif // SYMSHAPE_TEST_LIB_UPSTREAMQUERY_H
