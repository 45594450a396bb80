//===- LinalgRules.h - Shared by the files of linalg's rules ----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Extensions.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_LINALGRULES_H
#define SYMSHAPE_LIB_EXTENSIONS_LINALGRULES_H

namespace mlir {
class MLIRContext;
namespace symshape {

/// Attaches the rules of LinalgOtherRules.cpp.
void attachOtherLinalgRules(MLIRContext *context);

} // namespace symshape
} // namespace mlir

#endif // SYMSHAPE_LIB_EXTENSIONS_LINALGRULES_H
