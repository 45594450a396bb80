//===- UpstreamConditions.h - Where upstream's rewrites hold ----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions for upstream's patterns and folders that are unsound without them;
// the page docs/Rationale/UpstreamPatterns.md lists them. Private to
// Transforms. Not for: putting them in front (Canonicalizer.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_UPSTREAMCONDITIONS_H
#define SYMSHAPE_LIB_TRANSFORMS_UPSTREAMCONDITIONS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::symshape {

/// Whether a rewrite of upstream keeps what `op` means.
using UpstreamCondition = bool (*)(Operation *op);

using UpstreamConditionMap = llvm::StringMap<UpstreamCondition>;

inline void
addAll(UpstreamConditionMap &map,
       std::initializer_list<std::pair<StringRef, UpstreamCondition>> given) {
  map.insert(given.begin(), given.end());
}

struct UpstreamConditions {
  UpstreamConditionMap names;   ///< of classes of patterns
  UpstreamConditionMap roots;   ///< of ops whose patterns are functions
  UpstreamConditionMap folders; ///< of ops that fold, or of their dialects
};

void addUpstreamNumbers(UpstreamConditions &conditions);
void addUpstreamLoops(UpstreamConditions &conditions);
void addUpstreamTensors(UpstreamConditions &conditions);

/// Whether no `vector.mask` is right around `op`.
bool isUnmasked(Operation *op);

/// The condition of the pattern of the class `pattern` (empty: a function) for
/// ops named `root`; null if it always holds.
UpstreamCondition findPatternCondition(StringRef root, StringRef pattern);

/// Whether the folder of `op` may be asked.
bool mayFold(Operation *op);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_UPSTREAMCONDITIONS_H
