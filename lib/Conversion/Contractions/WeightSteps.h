//===- WeightSteps.h - Functions that prepare weights -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step that is done with many weights is a function that they share: what is
// prepared would else be as long as all steps together, which bufferization
// takes more than proportional time for. Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_WEIGHTSTEPS_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_WEIGHTSTEPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::symshape {

/// The functions of one run of a pass.
class WeightSteps {
public:
  /// Calls, at `b` in a block of a function, a private function of `inputs`
  /// whose results `body` makes of its arguments; one that is there already if
  /// it does the same. The call moves as one op does (HoistWeights).
  ValueRange
  call(OpBuilder &b, Location loc, StringRef name, ValueRange inputs,
       function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body);

private:
  llvm::StringMap<func::FuncOp> functions; ///< by module and text
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_WEIGHTSTEPS_H
