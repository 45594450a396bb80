//===- Notes.h - What an editor shows beside a text -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that is known of one text, as places and words: nothing refers to the
// program once it is made. Private to LSP.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_LSP_NOTES_H
#define SYMSHAPE_LIB_LSP_NOTES_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/LSP/Protocol.h"
#include <memory>

namespace mlir::symshape {

/// What is shown when the pointer rests on `range`.
struct HoverNote {
  llvm::lsp::Range range;
  std::shared_ptr<const std::string> markdown;
};

/// Where the program and what it declares do not fit.
struct Problem {
  llvm::lsp::Range range;
  bool isWarning = false;
  std::string kind; ///< a word, such as `impossible`
  std::string message;
  std::vector<std::pair<llvm::lsp::Range, std::string>> related;
  std::string correction; ///< what ends it, in words; empty if nothing does
};

/// Places are lines and columns of the text, from 0.
struct Notes {
  bool parses = false; ///< all else is empty where it does not
  std::vector<HoverNote> hovers;
  std::vector<llvm::lsp::InlayHint> hints;
  std::vector<Problem> problems;
};

/// The notes of `text`; `name` is that of its file in words. Cost: parsing and
/// analysing the program, and a sentence for each requirement.
Notes makeNotes(llvm::StringRef text, llvm::StringRef name,
                const DialectRegistry &registry);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_LSP_NOTES_H
