//===- Events.cpp - Messages in the order of arrival ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Events.h"
#include "llvm/Support/LSP/Transport.h"

using namespace mlir::symshape;

/// Whether it is the last message of an editor.
static bool isExit(llvm::StringRef message) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(message);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return false;
  }
  const llvm::json::Object *object = parsed->getAsObject();
  return object && object->getString("method") == "exit";
}

void mlir::symshape::readEditor(EventQueue &events) {
  llvm::lsp::JSONTransportInputOverFile messages(stdin);
  bool isLast = false; // nothing is read after it, so that this ends
  while (!isLast && !messages.isEndOfInput() && !messages.hasError()) {
    std::string message;
    if (llvm::failed(messages.readMessage(message)))
      continue;
    isLast = isExit(message);
    events.push({Event::Editor, false, std::move(message)});
  }
  events.push({Event::Editor, true, ""});
}
