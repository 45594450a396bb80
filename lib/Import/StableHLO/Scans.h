//===- Scans.h - Windows from the first element -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_SCANS_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_SCANS_H

#include "Node.h"

namespace mlir::symshape::stablehlo {

/// A `reduce_window` whose numbers are operands and whose body is a function.
LogicalResult dynamicReduceWindow(Node &n);

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_SCANS_H
