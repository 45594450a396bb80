//===- FormInfo.h - What is known of one form -------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds, residue and excluded values of a form. Private to Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_FORMINFO_H
#define SYMSHAPE_LIB_CONSTRAINTS_FORMINFO_H

#include "Forms.h"
#include "Reasons.h"
#include "symshape/Constraints/ConstraintSet.h"
#include <map>

namespace mlir::symshape {

/// An expression with the facts that make it equal to what was asked.
struct Reduced {
  Expr expr;
  Why why = 0;
};

/// Closed bounds, each end with the facts it rests on.
struct Bound {
  Range range;
  Why lo = 0, hi = 0;
};

/// What is known of a primitive form (Forms.h) beyond what its atoms say.
struct FormInfo {
  Bound bound;
  Residue residue;
  Why residueWhy = 0;
  /// Whether the ends of the bound are edges of the difference graph.
  bool isMinEdge = false, isMaxEdge = false;
  /// Whether these ends are among `readersOf`.
  bool isMinRead = false, isMaxRead = false;
};

/// Values with the facts that exclude them.
using ExcludedValues = std::map<DynamicAPInt, Why>;

/// `range` with its ends rounded inwards to members of `r`.
Range alignTo(Range range, const Residue &r);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_FORMINFO_H
