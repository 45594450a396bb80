//===- EventFile.cpp - What a file of events says -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the events that EventLog wrote, and says in words why a program was
// compiled, and which code served a call; for `symshape-report --events`.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/EventFile.h"
#include "ParseJSON.h"
#include "symshape/Execution/Status.h"
#include "symshape/Process/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir::symshape;
namespace json = llvm::json;

/// The event in words; empty if it needs none.
static std::string explain(const json::Object &event) {
  auto text = [&](llvm::StringRef key) {
    return event.getString(key).value_or("");
  };
  std::string words;
  llvm::raw_string_ostream os(words);
  llvm::StringRef name = text("event");
  if (name == "varied")
    os << text("dim") << " became a symbol: " << text("why");
  else if (name == "compiled" || name == "loaded")
    os << name << " code for " << text("code") << ": " << text("reason");
  else if (name == "replaced")
    os << "code for " << text("code")
       << " is not needed any more: " << text("by") << " serves its calls";
  else if (name == "served")
    os << "call served by version " << text("version") << " of code for "
       << text("code");
  else if (name == "refused")
    os << "call refused: " << text("message");
  return words;
}

llvm::Expected<json::Array> mlir::symshape::parseEvents(llvm::StringRef text,
                                                        llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  json::Array events;
  for (auto [number, line] : llvm::enumerate(lines)) {
    auto event = parseJSON(line);
    if (!event || !event->getAsObject()) {
      std::string why =
          event ? "it is no object" : llvm::toString(event.takeError());
      return makeInputError(name + ":" + llvm::Twine(number + 1) +
                            ": expected an event, but " +
                            llvm::StringRef(why).rtrim());
    }
    json::Object &fields = *event->getAsObject();
    if (std::string words = explain(fields); !words.empty())
      fields["says"] = std::move(words);
    events.push_back(std::move(*event));
  }
  return events;
}

llvm::Expected<json::Array> mlir::symshape::readEvents(llvm::StringRef path) {
  auto file = readPlainFileOrInput(path);
  if (!file)
    return makeInputError("cannot read '" + path +
                          "': " + llvm::toString(file.takeError()));
  return parseEvents((*file)->getBuffer(), path);
}
