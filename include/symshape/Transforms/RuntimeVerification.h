//===- RuntimeVerification.h - Our ops for upstream's checks ----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What our ops require, for `--generate-runtime-verification`. Not for: our own
// pipeline, which proves, merges and guards (symshape-insert-guards).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_RUNTIMEVERIFICATION_H
#define SYMSHAPE_TRANSFORMS_RUNTIMEVERIFICATION_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::symshape {

/// Gives every op of the dialect that requires something of its operands the
/// RuntimeVerifiableOpInterface: one `cf.assert` per requirement, before the
/// op. Each op is seen by itself; what its operands' types and constants
/// decide is not checked. The user's asserts are checks already, and stay as
/// they are.
void registerRuntimeVerificationExternalModels(DialectRegistry &registry);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_RUNTIMEVERIFICATION_H
