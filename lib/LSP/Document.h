//===- Document.h - A text in an editor -------------------------*- C++ -*-===//
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

#ifndef SYMSHAPE_LIB_LSP_DOCUMENT_H
#define SYMSHAPE_LIB_LSP_DOCUMENT_H

#include "Analyst.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::symshape {

/// A text, and the notes beside it.
///
/// A line that begins with `// -----` separates programs, as upstream's tools
/// have it. A program that does not parse keeps the hints and hovers that it
/// had before, on the lines that have not changed since.
class Document {
public:
  Document(llvm::StringRef uri, Analyst &analyst)
      : uri(uri.str()), analyst(analyst) {}

  std::string uri;
  int64_t version = 0;
  std::string text;
  bool isStale = true; ///< whether the text has changed since the notes

  /// Parses and analyses what has changed. Whatever goes wrong in there, this
  /// returns.
  void annotate();

  /// The hints in a range, as the protocol's list of them.
  llvm::json::Array hintsIn(const llvm::lsp::Range &range) const;
  /// What is shown at a position, as a hover of the protocol, or null.
  llvm::json::Value hoverAt(const llvm::lsp::Position &position) const;
  /// What an editor may do about the problems in a range, as the protocol's
  /// list of code actions.
  llvm::json::Array actionsIn(const llvm::lsp::Range &range) const;
  /// Our problems, as the protocol's list of diagnostics.
  llvm::json::Array diagnostics() const;

private:
  /// Lines of a text that are a program of their own.
  struct Part {
    int firstLine, endLine;
    std::string text; ///< with an empty line for each one before
    Notes notes;
  };
  std::vector<Part> split() const;
  void keepNotes(const Part &part);
  std::optional<llvm::json::Object>
  makeAction(const Part &part, std::optional<size_t> index) const;
  llvm::json::Object describe(const Problem &problem) const;

  Analyst &analyst;
  std::vector<Part> parts;
  std::string shownText; ///< that `shown` is about
  Notes shown, kept;     ///< `kept`: the ones before, where they are now
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_LSP_DOCUMENT_H
