//===- Corrections.h - A text without a problem -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to LSP.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_LSP_CORRECTIONS_H
#define SYMSHAPE_LIB_LSP_CORRECTIONS_H

#include "mlir/IR/DialectRegistry.h"
#include <optional>
#include <string>

namespace mlir::symshape {

/// `text` with the correction of the problem of this index among those of its
/// notes, or without an index with all that `symshape-report --fix` corrects.
/// nullopt where there is none. What is corrected outside of signatures changes
/// the form of the whole text.
std::optional<std::string> correctText(llvm::StringRef text,
                                       const DialectRegistry &registry,
                                       std::optional<size_t> index);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_LSP_CORRECTIONS_H
