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

namespace mlir::symshape {

/// Whether a rewrite of upstream keeps what `op` means.
using UpstreamCondition = bool (*)(Operation *op);

/// The condition of the pattern of the class `pattern` (empty: a function) for
/// ops named `root`; null if it always holds.
UpstreamCondition findPatternCondition(StringRef root, StringRef pattern);

/// Whether the folder of `op` may be asked.
bool mayFold(Operation *op);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_UPSTREAMCONDITIONS_H
