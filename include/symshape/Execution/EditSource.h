//===- EditSource.h - Declarations changed in the text ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For: tools that change what functions declare and give the user's own text
// back, with its comments and its form. Not for: changes of bodies.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_EDITSOURCE_H
#define SYMSHAPE_EXECUTION_EDITSOURCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::symshape {

/// Edits what the functions of a module declare in its text.
class SourceEditor {
public:
  /// `module` was parsed from `text` by `parseWithArgumentNames`, and both
  /// outlive this.
  SourceEditor(ModuleOp module, StringRef text);

  /// The text with what the functions declare now: attributes of functions and
  /// arguments. nullopt if that does not parse to the current module, because
  /// something else has changed or the text has an unexpected form.
  std::optional<std::string> edit() const;

private:
  struct Declared {
    func::FuncOp function;
    DictionaryAttr attributes;
    SmallVector<DictionaryAttr> ofArguments;
  };

  ModuleOp module;
  StringRef text;
  std::vector<Declared> before;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_EDITSOURCE_H
