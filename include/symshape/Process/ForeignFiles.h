//===- ForeignFiles.h - Files that hold no MLIR -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PROCESS_FOREIGNFILES_H
#define SYMSHAPE_PROCESS_FOREIGNFILES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::symshape {

/// As `nameForeignKind` of Files.h, for files that are expected to hold MLIR:
/// models of ONNX are foreign too.
llvm::StringRef nameKindForeignToMLIR(llvm::StringRef bytes);

} // namespace mlir::symshape

#endif // SYMSHAPE_PROCESS_FOREIGNFILES_H
