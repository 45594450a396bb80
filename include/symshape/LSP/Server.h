//===- Server.h - What an editor talks to -----------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A language server for programs: that of upstream, and in front of it ours,
// which knows extents, guards and violations.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LSP_SERVER_H
#define SYMSHAPE_LSP_SERVER_H

#include "mlir/IR/DialectRegistry.h"
#include <chrono>
#include <string>
#include <vector>

namespace mlir::symshape {

/// The processes behind a server, each a command from its executable on.
struct ServerCommands {
  std::vector<std::string> upstream; ///< a language server for the same text
  std::vector<std::string> analyst;  ///< runs `runAnalyst`
  std::chrono::seconds limit{60};    ///< for the analysis of one text
};

/// Answers the editor at standard input and output until it says `exit`.
///
/// All that is asked goes to upstream's server as well; its answers to hovers,
/// code actions and diagnostics are joined with ours, the others passed on.
/// Where it ends by itself, what it would say is left out until a text changes:
/// then it is started again.
///
/// Returns the exit status: 0 if the editor said `shutdown` before.
int runLanguageServer(const ServerCommands &commands);

/// Analyses the texts that a server sends to standard input, until that ends;
/// an exit status. `registry` knows their dialects.
int runAnalyst(const DialectRegistry &registry);

} // namespace mlir::symshape

#endif // SYMSHAPE_LSP_SERVER_H
