//===- QuietOption.h - An exit status, and no more ---------------*- C++
//-*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TOOLS_QUIETOPTION_H
#define SYMSHAPE_TOOLS_QUIETOPTION_H

#include "llvm/Support/CommandLine.h"

namespace mlir::symshape {

/// `--quiet`, of a tool and of all its verbs: nothing on standard output, and
/// no warnings. One in each tool that has it; whoever reads the command line
/// then calls `Tool::silence`.
class QuietOption : public llvm::cl::opt<bool> {
public:
  explicit QuietOption(
      llvm::cl::OptionCategory &category,
      llvm::cl::SubCommand &verbs = llvm::cl::SubCommand::getTopLevel())
      : opt("quiet",
            llvm::cl::desc("print nothing but errors; the exit status tells "
                           "the rest"),
            llvm::cl::cat(category), llvm::cl::sub(verbs)) {}
};

} // namespace mlir::symshape

#endif // SYMSHAPE_TOOLS_QUIETOPTION_H
