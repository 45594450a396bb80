//===- BundleHeader.h - What callers in C include ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_BUNDLEHEADER_H
#define SYMSHAPE_LIB_EXECUTION_BUNDLEHEADER_H

#include "symshape/Execution/CodeInterface.h"
#include "symshape/Execution/Signature.h"

namespace mlir::symshape {

/// A header in C that declares the functions of an object file that was
/// compiled `forLinkers`.
std::string makeBundleHeader(const FunctionSignature &signature,
                             const CodeInterface &interface, bool isForGPU);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_BUNDLEHEADER_H
