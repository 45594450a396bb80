//===- SplitLoads.h - Loads that LLVM has no code for -----------*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_EXECUTION_SPLITLOADS_H
#define SYMSHAPE_LIB_EXECUTION_SPLITLOADS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::symshape {

/// Loads the last element of vectors of 9, 17, 25 ... bf16 by itself. LLVM
/// splits them so as well, but for a CPU with AVX512-BF16, which has vectors of
/// bf16 and no scalar, it then ends the process.
void splitBFloatLoads(llvm::Module &module);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_SPLITLOADS_H
