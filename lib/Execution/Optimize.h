//===- Optimize.h - LLVM's part of a compilation ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's passes over a module of LLVM IR, and its code generator. Private to
// Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_OPTIMIZE_H
#define SYMSHAPE_LIB_EXECUTION_OPTIMIZE_H

#include "symshape/Execution/ObjectCode.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::symshape {

/// Runs LLVM's optimisations. Our pipeline has tiled and vectorised what is
/// worth it: unrolling and SLP on top of that double the time to compile the
/// sentence encoder and gain nothing at run time, so they are off, and level 3
/// gains nothing over 2. Loops that are still scalar may be vectorised.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                    const ObjectOptions &options);

/// Runs those that look at callers and callees at once, so that the functions
/// can be optimised apart: compiled for their actual calls, with attributes.
void optimizeCalls(llvm::Module &module, llvm::TargetMachine &machine,
                   const ObjectOptions &options);

/// Makes `module` smaller (QuickCode.h).
void optimizeQuickly(llvm::Module &module, llvm::TargetMachine &machine,
                     bool fma, const ObjectOptions &options);

/// The object file of an optimised module; an error once it is cancelled.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
generateCode(llvm::Module &module, llvm::TargetMachine &machine,
             const ObjectOptions &options);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_OPTIMIZE_H
