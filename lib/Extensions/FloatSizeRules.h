//===- FloatSizeRules.h - Sizes that are computed in floats -----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers that are made of floats that are computed from integers. Private to
// lib/Extensions.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_FLOATSIZERULES_H
#define SYMSHAPE_LIB_EXTENSIONS_FLOATSIZERULES_H

#include "symshape/IR/ShapeFacts.h"

namespace mlir::symshape {

/// Says of an integer `result` what rounding the float `given` towards 0 gives,
/// where that is computed from integers.
void setFromFloat(ShapeFacts &facts, Value result, Value given,
                  bool isUnsigned);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_FLOATSIZERULES_H
