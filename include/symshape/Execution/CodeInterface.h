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

struct CodeInterface {
  std::vector<unsigned> preparedRanks; ///< of what `@ENTRY.prepare` returns
  /// What a call exchanges (`ValueSignature::getRecord`).
  std::vector<std::string> arguments, results;
  std::vector<std::string> versionNames; ///< by what `@ENTRY.version` returns
  std::vector<std::string> functions;    ///< that can be looked up

  /// As bytes: how many bytes, then lists of numbers and of texts, each
  /// preceded by its length; all numbers have 64 bits.
  std::string serialize() const;
  /// nullopt unless `bytes` begins with what `serialize` gives.
  static std::optional<CodeInterface> parse(llvm::StringRef bytes);

  bool operator==(const CodeInterface &other) const {
    return preparedRanks == other.preparedRanks &&
           arguments == other.arguments && results == other.results &&
           versionNames == other.versionNames && functions == other.functions;
  }
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_CODEINTERFACE_H
