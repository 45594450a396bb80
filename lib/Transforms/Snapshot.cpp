//===- Snapshot.cpp - What a refused program was --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/Snapshot.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

LogicalResult
mlir::symshape::changeOrRestore(ModuleOp module, StringRef needed,
                                llvm::function_ref<LogicalResult()> change) {
  return changeOrRestore(module, [&]() -> LogicalResult {
    if (failed(change()))
      return failure();
    std::optional<Location> place;
    std::string message;
    {
      ScopedDiagnosticHandler handler(
          module.getContext(), [&](Diagnostic &diag) {
            if (!place && diag.getSeverity() == DiagnosticSeverity::Error) {
              place = diag.getLocation();
              message = diag.str();
            }
          });
      if (succeeded(verify(module)))
        return success();
    }
    return emitError(place.value_or(module.getLoc()))
           << "expected " << needed << ", but " << message;
  });
}
