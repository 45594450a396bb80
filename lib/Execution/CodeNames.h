//===- CodeNames.h - What compiled code calls its parts ---------*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_EXECUTION_CODENAMES_H
#define SYMSHAPE_LIB_EXECUTION_CODENAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::symshape {

/// The name of the wrapper of a function.
inline std::string getWrapperName(llvm::StringRef name) {
  return ("packed." + name).str();
}

inline constexpr llvm::StringLiteral interfaceName = "symshape.interface";
/// What `symshape-nvvm` calls it.
inline constexpr llvm::StringLiteral kernelsName = "symshape_gpu.program";

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_CODENAMES_H
