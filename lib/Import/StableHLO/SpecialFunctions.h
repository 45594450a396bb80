//===- SpecialFunctions.h - Elementwise functions of chlo -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_SPECIALFUNCTIONS_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_SPECIALFUNCTIONS_H

#include "Scalars.h"

namespace mlir::symshape::stablehlo {

/// A function of chlo on floats, by its name; null if there is none.
Value specialFunction(Scalars &s, StringRef name, ArrayRef<Value> x);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_SPECIALFUNCTIONS_H
