//===- WordOption.h - An option that is one of some words -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TOOLS_WORDOPTION_H
#define SYMSHAPE_TOOLS_WORDOPTION_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::symshape {

/// As LLVM's, but lists the words where another one is given.
template <typename T>
class WordParser : public llvm::cl::parser<T> {
public:
  using llvm::cl::parser<T>::parser;

  bool parse(llvm::cl::Option &option, llvm::StringRef name,
             llvm::StringRef word, T &value) {
    auto words = llvm::map_range(this->Values, [](auto &v) { return v.Name; });
    if (llvm::is_contained(words, word))
      return llvm::cl::parser<T>::parse(option, name, word, value);
    return option.error("expected one of " + llvm::join(words, ", ") +
                        ", but got '" + word + "'");
  }
};

template <typename T>
using WordOption = llvm::cl::opt<T, false, WordParser<T>>;

} // namespace mlir::symshape

#endif // SYMSHAPE_TOOLS_WORDOPTION_H
