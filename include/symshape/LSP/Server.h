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
#include <string>
#include <vector>

namespace mlir::symshape {

/// Answers the editor at standard input and output until it says `exit`.
///
/// `upstream` is the command, from its executable on, of a language server for
/// the same text, run as a child. All that is asked goes to it as well; its
/// answers to hovers, code actions and diagnostics are joined with ours, the
/// others passed on. Where it ends by itself, what it would say is left out
/// until a text changes: then it is started again.
///
/// `registry` knows the dialects of the texts. Returns the exit status: 0 if
/// the editor said `shutdown` before.
int runLanguageServer(const std::vector<std::string> &upstream,
                      const DialectRegistry &registry);

} // namespace mlir::symshape

#endif // SYMSHAPE_LSP_SERVER_H
