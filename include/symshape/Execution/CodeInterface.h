//===- CodeInterface.h - What callers of code need to know ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a compilation finds out besides the machine code. It is stored inside
// the code, so that no code is called by the interface of other code.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_CODEINTERFACE_H
#define SYMSHAPE_EXECUTION_CODEINTERFACE_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::symshape {

/// Names of functions that can be looked up in code; empty if there is none.
struct EntryFunctions {
  llvm::StringRef entry, prepare, guard, version;
};

struct CodeInterface {
  std::vector<unsigned> preparedRanks; ///< of what is prepared for each call
  /// What a call exchanges (`ValueSignature::getRecord`).
  std::vector<std::string> arguments, results;
  std::vector<std::string> versionNames; ///< by what tells versions returns
  /// Those that can be looked up, in the order of EntryFunctions: an entry,
  /// what prepares its calls if anything is prepared, a guard if it has one,
  /// and what tells versions if it has any.
  std::vector<std::string> functions;
  /// Arguments whose elements no call reads: what prepares calls does. Not told
  /// in code for linkers.
  std::vector<unsigned> onlyPrepared;

  /// nullopt where there are fewer functions than it takes, or more.
  std::optional<EntryFunctions> getEntryFunctions() const;

  /// As bytes: how many bytes, then lists of numbers and of texts, each
  /// preceded by its length; all numbers have 64 bits. An empty list at the end
  /// is left out.
  std::string serialize() const;
  /// nullopt unless `bytes` begins with what `serialize` gives.
  static std::optional<CodeInterface> parse(llvm::StringRef bytes);

  bool operator==(const CodeInterface &other) const {
    return preparedRanks == other.preparedRanks &&
           arguments == other.arguments && results == other.results &&
           versionNames == other.versionNames && functions == other.functions &&
           onlyPrepared == other.onlyPrepared;
  }
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_CODEINTERFACE_H
