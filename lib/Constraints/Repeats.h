//===- Repeats.h - Where conditions on one number repeat --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From which number on, and after how many, a condition on one unknown is what
// it was before: quotients by a number grow by the same over each period. Not
// for: what is said of it (OneNumber.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_REPEATS_H
#define SYMSHAPE_LIB_CONSTRAINTS_REPEATS_H

#include "symshape/Constraints/Formula.h"

namespace mlir::symshape {

/// A condition is the same at n and n + period for all n >= from.
struct Repeat {
  int64_t from, period;
};

/// Larger periods, and larger numbers from where on, are not tried.
inline constexpr int64_t largestPeriod = 4096;

/// Of a condition on one symbol, for its values from 0 up; nothing where that
/// is not known.
std::optional<Repeat> findRepeat(const Formula &f);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_REPEATS_H
