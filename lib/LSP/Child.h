//===- Child.h - A process that answers messages ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The child process, and messages with a length before them. Private to LSP.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_LSP_CHILD_H
#define SYMSHAPE_LIB_LSP_CHILD_H

#include "llvm/ADT/StringRef.h"
#include <functional>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace mlir::symshape {

/// Writes `message` with its length before it. False if the other side is gone.
bool writeMessage(int descriptor, llvm::StringRef message);

/// A child that reads messages from its standard input and writes others to its
/// standard output. Its standard error is ours.
class Child {
public:
  /// Called, in a thread of its own, with each message of the child, and with
  /// `isEnd` once it has closed its output.
  using Listener = std::function<void(std::string message, bool isEnd)>;

  /// Starts `command`, whose first part is the path of an executable.
  Child(const std::vector<std::string> &command, Listener listener);
  /// Ends the child.
  ~Child();
  Child(const Child &) = delete;

  /// False if the child is gone.
  bool send(llvm::StringRef message) {
    return input >= 0 && writeMessage(input, message);
  }

private:
  pid_t process = -1;
  int input = -1; ///< of the child
  std::thread reader;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_LSP_CHILD_H
