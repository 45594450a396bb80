//===- Child.cpp - A process that answers messages ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Child.h"

#include "llvm/Support/LSP/Transport.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::symshape;

bool mlir::symshape::writeMessage(int descriptor, llvm::StringRef message) {
  std::string all = "Content-Length: " + std::to_string(message.size()) +
                    "\r\n\r\n" + message.str();
  for (llvm::StringRef rest = all; !rest.empty();) {
    ssize_t written = write(descriptor, rest.data(), rest.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    rest = rest.drop_front(written);
  }
  return true;
}

Child::Child(const std::vector<std::string> &command, Listener listener) {
  int toChild[2], fromChild[2];
  if (pipe2(toChild, O_CLOEXEC) != 0)
    return;
  if (pipe2(fromChild, O_CLOEXEC) != 0) {
    close(toChild[0]);
    close(toChild[1]);
    return;
  }
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, toChild[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fromChild[1], STDOUT_FILENO);
  int problem = posix_spawn(&process, arguments[0], &actions, nullptr,
                            arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(toChild[0]);
  close(fromChild[1]);
  if (problem != 0) {
    process = -1;
    close(toChild[1]);
    close(fromChild[0]);
    return;
  }
  input = toChild[1];
  reader = std::thread([output = fromChild[0], listener = std::move(listener)] {
    std::FILE *file = fdopen(output, "r");
    llvm::lsp::JSONTransportInputOverFile messages(file);
    while (!messages.isEndOfInput() && !messages.hasError())
      if (std::string message; llvm::succeeded(messages.readMessage(message)))
        listener(std::move(message), /*isEnd=*/false);
    std::fclose(file);
    listener("", /*isEnd=*/true);
  });
}

Child::~Child() {
  if (process < 0)
    return;
  kill(process, SIGKILL); // it has nothing to keep
  close(input);
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR)
    ;
  reader.join();
}
