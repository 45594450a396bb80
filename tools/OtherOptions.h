//===- OtherOptions.h - Options that are not a tool's own -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TOOLS_OTHEROPTIONS_H
#define SYMSHAPE_TOOLS_OTHEROPTIONS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::symshape {

/// Leaves in `--help` the options of `category`, and `--help` and `--version`
/// themselves. LLVM, which is linked whole, registers hundreds of others: they
/// stay in `--help-hidden`, where `cl::HideUnrelatedOptions` would drop them.
inline void hideOtherOptions(
    llvm::cl::OptionCategory &category,
    llvm::cl::SubCommand &verb = llvm::cl::SubCommand::getTopLevel()) {
  for (auto &entry : llvm::cl::getRegisteredOptions(verb)) {
    llvm::cl::Option *option = entry.second;
    bool isOwn = llvm::any_of(
        option->Categories, [&](const llvm::cl::OptionCategory *each) {
          return each == &category || each->getName() == "Generic Options";
        });
    if (!isOwn && option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      option->setHiddenFlag(llvm::cl::Hidden);
  }
}

/// The same for a tool of MLIR, whose options have no category: hides all that
/// are registered now, before its own are.
inline void hideRegisteredOptions() {
  static llvm::cl::OptionCategory none("None");
  hideOtherOptions(none);
}

/// Whether the command line is `--help` alone, for which passes of MLIR need
/// not be registered: hundreds, which `--help-hidden` lists.
inline bool asksForHelp(int argc, char **argv) {
  return argc == 2 &&
         llvm::is_contained(
             llvm::ArrayRef<llvm::StringRef>{"-h", "-help", "--help"},
             llvm::StringRef(argv[1]));
}

} // namespace mlir::symshape

#endif // SYMSHAPE_TOOLS_OTHEROPTIONS_H
