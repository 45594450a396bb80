//===- ProgramSource.h - A program before it is compiled --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of a program and what its entry exchanges, free of the MLIRContext:
// what is compiled anew for other shapes. Not for: compiling it (Program.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_PROGRAMSOURCE_H
#define SYMSHAPE_EXECUTION_PROGRAMSOURCE_H

#include "symshape/Execution/Signature.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace mlir::symshape {

enum class SymbolPolicy : uint32_t;

/// A dynamic dimension of an argument.
struct DynamicDim {
  unsigned argument;
  unsigned dim;
  /// Declared for the symbol that is this dim.
  SymbolPolicy policy;
};

/// A program that parses and has its entry.
struct ProgramSource {
  /// Reads a file of text or bytecode; `-` is standard input. An error if it
  /// cannot be read, does not parse, or has no such function with a body.
  static llvm::Expected<ProgramSource> read(llvm::StringRef path,
                                            llvm::StringRef entry);

  std::shared_ptr<llvm::MemoryBuffer> bytes; ///< named as in messages
  FunctionSignature signature;               ///< of the entry
  std::vector<DynamicDim> dims;              ///< in order
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_PROGRAMSOURCE_H
