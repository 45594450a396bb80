//===- TargetFeatures.h - Instructions that code asks for -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Features of a CPU that LLVM is not told of, since it would use them where
// they change results, but that single functions ask for.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_TARGETFEATURES_H
#define SYMSHAPE_LIB_EXECUTION_TARGETFEATURES_H

#include "symshape/Pipelines/CPUTarget.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::symshape {

/// Gives functions with the attribute `kNeededFeatures` what they ask for, in
/// code for `machine`, which is one of `target`. Fails if the target lacks a
/// feature, or if a function calls an intrinsic of one that it has not got:
/// LLVM would end the process.
llvm::Error grantFeatures(llvm::Module &module, const CPUTarget &target,
                          const llvm::TargetMachine &machine);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_TARGETFEATURES_H
