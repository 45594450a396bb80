//===- EndAtFailure.h - Nothing runs behind a failure -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_ENDATFAILURE_H
#define SYMSHAPE_LIB_TRANSFORMS_ENDATFAILURE_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::symshape {

/// A pattern that erases what follows a failure in an arm or a loop on tensors:
/// the call has ended. What it would compute may have extents that no tensor
/// has, which no pass could lower.
void populateEndAtFailurePatterns(RewritePatternSet &patterns);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_ENDATFAILURE_H
