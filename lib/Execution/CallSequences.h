//===- CallSequences.h - Code that calls what computes ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which functions of a program are not worth LLVM's time. Private to Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_CALLSEQUENCES_H
#define SYMSHAPE_LIB_EXECUTION_CALLSEQUENCES_H

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

namespace mlir::symshape {

/// On functions that compute what is passed to each call.
inline constexpr llvm::StringLiteral runsOnceAttribute = "symshape-runs-once";

/// Has `function` compiled without optimization from now on.
void leaveAsItIs(llvm::Function &function);

/// Has long functions without loops, of which a call of an export runs each
/// instruction at most once, compiled as they are, and with them what does no
/// more than call them: what computes are their callees. Such code grows with
/// the layers of a model, and takes most of the time of a compilation
/// otherwise. Of what runs once also short ones.
void leaveCallSequences(llvm::Module &module, const llvm::StringSet<> &exports);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_CALLSEQUENCES_H
