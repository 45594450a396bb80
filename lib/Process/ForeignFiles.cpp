//===- ForeignFiles.cpp - Files that hold no MLIR -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Process/ForeignFiles.h"
#include "symshape/Process/Files.h"

llvm::StringRef mlir::symshape::nameKindForeignToMLIR(llvm::StringRef bytes) {
  llvm::StringRef kind = nameForeignKind(bytes);
  // The field of the version, a small number.
  bool isModel = bytes.size() > 1 && bytes[0] == 8 &&
                 static_cast<unsigned char>(bytes[1]) < 32;
  return kind.empty() && isModel ? "a model of ONNX" : kind;
}
