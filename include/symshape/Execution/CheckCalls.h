//===- CheckCalls.h - Calls before they are made ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be said of calls before anything is compiled. Not for: reading them
// (CallsFile.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_CHECKCALLS_H
#define SYMSHAPE_EXECUTION_CHECKCALLS_H

#include "symshape/Execution/CallsFile.h"

namespace mlir::symshape {

/// The name of the file that a result of a call, counted from 0, is written to:
/// `{call}` in `pattern` becomes the number.
std::string makeOutputPath(llvm::StringRef pattern, size_t call);

/// Whether `calls` may be made, as far as that is known before anything is
/// compiled: their inputs are there and have types and extents that fit, and
/// the results can be written to `outputs`, patterns for the first of them. The
/// error lists all that is wrong, and of which call. Files that an earlier call
/// writes are checked only when a call reads them.
llvm::Error checkCalls(const FunctionSignature &signature,
                       llvm::ArrayRef<CallSpec> calls,
                       llvm::ArrayRef<std::string> outputs);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_CHECKCALLS_H
