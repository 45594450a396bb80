//===- CodeParts.h - Code that is compiled in parts -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divides a module of LLVM IR into parts that several threads compile, and
// that are kept for other programs where they depend on nothing of this one.
// Private to Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_CODEPARTS_H
#define SYMSHAPE_LIB_EXECUTION_CODEPARTS_H

#include "llvm/ADT/SmallVector.h"
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::symshape {

struct CodePart {
  llvm::SmallVector<char, 0> bitcode;
  /// Of a function that other programs may have as well: a hash of all that it
  /// is made of, which is in its name, too. Empty for others.
  std::string content;
  unsigned numInstructions = 0;
};

/// Whether `module` is long enough for parts.
bool isLong(const llvm::Module &module);

/// The parts of a module, which is of no use afterwards. How it is divided
/// depends on nothing but the module. What the optimizer would inline stays
/// with its caller.
std::vector<CodePart> splitIntoParts(llvm::Module &module);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_CODEPARTS_H
