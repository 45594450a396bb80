//===- CompileParts.h - Object files of the parts of a module ---*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_EXECUTION_COMPILEPARTS_H
#define SYMSHAPE_LIB_EXECUTION_COMPILEPARTS_H

#include "CodeParts.h"
#include "mlir/Support/Timing.h"
#include "symshape/Execution/ObjectCode.h"

namespace mlir::symshape {

/// Compiles parts in several threads, largest first, and gives an archive of
/// their object files, in the order of `parts`. Those that `options.cache` has
/// are taken from there. Enters the stages into `timing`.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileParts(llvm::ArrayRef<CodePart> parts, const CPUTarget &target,
             const ObjectOptions &options, TimingScope &timing);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_COMPILEPARTS_H
