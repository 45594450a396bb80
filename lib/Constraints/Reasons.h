//===- Reasons.h - Sets of facts, shared ------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which facts a conclusion rests on, at the cost of one node per conclusion.
// Not for: making sets of them smaller (Explain.cpp). Private to Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_REASONS_H
#define SYMSHAPE_LIB_CONSTRAINTS_REASONS_H

#include "symshape/Constraints/ConstraintSet.h"

namespace mlir::symshape {

/// A set of facts, shared as a node of a DAG; 0 is the empty set.
using Why = unsigned;

class Reasons {
public:
  Reasons() : nodes(1) {}
  Why fact(FactId id) {
    nodes.push_back({0, 0, id, true});
    return nodes.size() - 1;
  }
  /// The union; O(1).
  Why both(Why a, Why b) {
    if (a == 0 || a == b)
      return b;
    if (b == 0)
      return a;
    nodes.push_back({a, b, 0, false});
    return nodes.size() - 1;
  }
  /// The facts, ascending, each once.
  llvm::SmallVector<FactId, 4> collect(Why why) const;
  size_t size() const { return nodes.size(); }
  void truncate(size_t size) { nodes.resize(size); }

private:
  struct Node {
    Why a = 0, b = 0;
    FactId id = 0;
    bool isFact = false;
  };
  std::vector<Node> nodes;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_REASONS_H
