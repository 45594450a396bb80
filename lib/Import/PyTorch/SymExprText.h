//===- SymExprText.h - Expressions of SymPy as text -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the exporter writes where an extent or a range is not a number.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_PYTORCH_SYMEXPRTEXT_H
#define SYMSHAPE_LIB_IMPORT_PYTORCH_SYMEXPRTEXT_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::symshape::pytorch {

/// An expression as `srepr` of SymPy writes it,
/// `Add(Symbol('s0', integer=True), Integer(1))`, as an infix text, `(s0 + 1)`,
/// which `parseDimText` reads. Texts in infix form stay as they are. Nullopt
/// for functions that are not of integers, and for what is no such text.
std::optional<std::string> toInfix(llvm::StringRef text);

/// The symbols of an infix text, each once.
std::vector<std::string> listSymbols(llvm::StringRef infix);

} // namespace mlir::symshape::pytorch

#endif // SYMSHAPE_LIB_IMPORT_PYTORCH_SYMEXPRTEXT_H
