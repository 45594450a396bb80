//===- CallsFile.h - Calls as written by the user ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the calls to make. Not for: making them (AdaptiveProgram).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_CALLSFILE_H
#define SYMSHAPE_EXECUTION_CALLSFILE_H

#include "symshape/Execution/InputSpec.h"
#include "symshape/Execution/Signature.h"
#include <vector>

namespace mlir::symshape {

/// What is passed for each argument without `symshape.weight`.
using CallSpec = std::vector<InputSpec>;

/// `names` are those of the arguments, if known: a spec that begins with one of
/// them and `=` is for that argument, the others fill the rest in order. An
/// error for each spec that is wrong.
llvm::Expected<CallSpec> parseCall(llvm::ArrayRef<llvm::StringRef> specs,
                                   llvm::ArrayRef<std::string> names = {});

/// The calls of a file (`-`: of standard input): inputs separated by blanks,
/// one call per line; empty lines are skipped. Errors, one for each input that
/// is wrong, name file and line.
llvm::Expected<std::vector<CallSpec>>
readCallsFile(llvm::StringRef path, llvm::ArrayRef<std::string> names = {});
/// The same of the text of a file called `name`.
llvm::Expected<std::vector<CallSpec>>
parseCalls(llvm::StringRef text, llvm::StringRef name,
           llvm::ArrayRef<std::string> names = {});

/// Reads or fills the tensors of a call.
llvm::Expected<std::vector<TensorBuffer>> loadInputs(const CallSpec &call);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_CALLSFILE_H
