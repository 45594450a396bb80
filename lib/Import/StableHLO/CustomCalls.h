//===- CustomCalls.h - Calls of what a runtime has --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_CUSTOMCALLS_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_CUSTOMCALLS_H

#include "Node.h"

namespace mlir::symshape::stablehlo {

/// The function that a call names; null after an error.
Region *calledComputation(Node &n);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_CUSTOMCALLS_H
