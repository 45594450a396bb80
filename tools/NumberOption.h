//===- NumberOption.h - An option that is a number --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TOOLS_NUMBEROPTION_H
#define SYMSHAPE_TOOLS_NUMBEROPTION_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/CommandLine.h"
#include <limits>

namespace mlir::symshape {

/// What an option holds that is a number. Its parser says which are expected;
/// LLVM's names a type of C++.
template <typename T>
struct Number {
  Number(T value = 0) : value(value) {}
  operator T() const { return value; }
  T value;
};

template <typename T, bool hasExternalStorage = false>
using NumberOption = llvm::cl::opt<Number<T>, hasExternalStorage>;

} // namespace mlir::symshape

template <typename T>
class llvm::cl::parser<mlir::symshape::Number<T>>
    : public llvm::cl::basic_parser<mlir::symshape::Number<T>> {
  using Value = mlir::symshape::Number<T>;

public:
  using basic_parser<Value>::basic_parser;

  bool parse(Option &option, StringRef, StringRef text, Value &number) {
    if (!text.getAsInteger(0, number.value))
      return false;
    using Limits = std::numeric_limits<T>;
    return option.error("expected a number from " + Twine(Limits::min()) +
                        " to " + Twine(Limits::max()) + ", but got '" + text +
                        "'");
  }

  StringRef getValueName() const override { return "number"; }

  void printOptionDiff(const Option &option, const Value &,
                       const OptionValue<Value> &, size_t width) const {
    this->printOptionNoValue(option, width);
  }
};

#endif // SYMSHAPE_TOOLS_NUMBEROPTION_H
