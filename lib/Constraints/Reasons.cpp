//===- Reasons.cpp - Sets of facts, shared --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collecting the facts of a node.
//
//===----------------------------------------------------------------------===//

#include "Reasons.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;
using llvm::SmallVector;

SmallVector<FactId, 4> Reasons::collect(Why why) const {
  SmallVector<FactId, 4> facts;
  llvm::DenseSet<Why> seen;
  SmallVector<Why, 16> open{why};
  while (!open.empty()) {
    Why next = open.pop_back_val();
    if (next == 0 || !seen.insert(next).second)
      continue;
    const Node &node = nodes[next];
    if (node.isFact) {
      facts.push_back(node.id);
      continue;
    }
    open.push_back(node.a);
    open.push_back(node.b);
  }
  llvm::sort(facts);
  facts.erase(std::unique(facts.begin(), facts.end()), facts.end());
  return facts;
}
