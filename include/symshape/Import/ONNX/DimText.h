//===- DimText.h - Expressions in dim_param ---------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What models write where an extent is not a number: a name, or an expression
// in the syntax of SymPy, which the package onnx_ir reads too. Not for: what a
// declaration means (Signature.cpp), the project's own syntax (ExprParser.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_ONNX_DIMTEXT_H
#define SYMSHAPE_IMPORT_ONNX_DIMTEXT_H

#include "symshape/Expr/Expr.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::symshape::onnx {

/// The symbols of a model: one name for each text that an author wrote, and one
/// for each extent without a text. No two of them are the same.
class DimNames {
public:
  /// The symbol that stands for `text`: the text itself where the syntax of
  /// expressions allows.
  std::string symbolOf(llvm::StringRef text);
  /// Keeps `text` from becoming a generated name.
  void reserve(llvm::StringRef text) { taken.insert(text); }
  /// A name `_d0`, `_d1`, ... that is not taken.
  std::string makeFresh();
  /// What the author wrote; the symbol itself where it is a generated one.
  llvm::StringRef textOf(llvm::StringRef symbol) const;
  /// Whether an author wrote `text` as a name.
  bool isKnown(llvm::StringRef text) const { return symbols.contains(text); }
  /// Whether `symbol` stands for what an author wrote.
  bool isWritten(llvm::StringRef symbol) const {
    return texts.contains(symbol) && !fresh.contains(symbol);
  }

private:
  llvm::StringMap<std::string> symbols; ///< by what the author wrote
  llvm::StringMap<std::string> texts;   ///< and back
  llvm::StringSet<> taken, fresh;
  unsigned numFresh = 0;
};

/// Whether a declaration names nothing: ``, `?`, `None`.
bool isAnonymous(llvm::StringRef text);

/// Whether `text` is a single name of the syntax.
bool isDimName(llvm::StringRef text);

/// Reads an expression: integers, names, `+ - * / // % **`, `min`, `max`,
/// `floor`, `ceiling`, `mod`, and the same with capitals. A quotient must be
/// rounded, as in `floor(height/2 - 1/2)`. Null if `text` is none. `name` gives
/// what a name stands for; where it gives null, so does this.
Expr parseDimText(ExprArena &arena, llvm::StringRef text,
                  llvm::function_ref<Expr(llvm::StringRef)> name);

/// Writes `e` so that `parseDimText`, onnx_ir and SymPy read it as the same
/// function of its symbols, which are at least 0. `isBroadcast(a, b)` says
/// whether it is known that a == b or one of them is 1, which makes the text of
/// `bc(a, b)` short. Empty if it is too long to be written.
std::string printDimText(Expr e,
                         llvm::function_ref<std::string(llvm::StringRef)> name,
                         llvm::function_ref<bool(Expr, Expr)> isBroadcast);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_ONNX_DIMTEXT_H
