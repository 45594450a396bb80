//===- CallsFile.cpp - Calls as written by the user -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/CallsFile.h"
#include "symshape/Execution/Status.h"
#include "symshape/Process/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir::symshape;

/// The words of a line; blanks in brackets are part of one.
static llvm::SmallVector<llvm::StringRef> splitWords(llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef> words;
  while (!(line = line.ltrim()).empty()) {
    int64_t depth = 0;
    llvm::StringRef word = line.take_until([&](char c) {
      depth += (c == '[') - (c == ']');
      return depth <= 0 && llvm::isSpace(c);
    });
    words.push_back(word);
    line = line.drop_front(word.size());
  }
  return words;
}

/// Brings inputs, some of which say which argument they are for, into the order
/// of the arguments.
static llvm::Expected<llvm::SmallVector<llvm::StringRef>>
orderInputs(llvm::ArrayRef<llvm::StringRef> specs,
            llvm::ArrayRef<std::string> names) {
  llvm::SmallVector<std::optional<llvm::StringRef>> slots(names.size());
  llvm::SmallVector<llvm::StringRef> others;
  for (llvm::StringRef text : specs) {
    auto [name, spec] = text.split('=');
    auto it = llvm::find(names, name);
    if (it == names.end()) {
      others.push_back(text);
      continue;
    }
    if (std::exchange(slots[it - names.begin()], spec))
      return makeInputError("expected each input once, but got '" + name +
                            "' twice");
  }
  // TYPE=RULE has one sign of equality, and what begins with @ none; a rule is
  // no type.
  for (llvm::StringRef text : others) {
    auto [name, spec] = text.split('=');
    if (!name.starts_with("@") &&
        (spec.contains('=') || spec.starts_with("@") ||
         InputSpec::isType(spec)))
      return makeInputError(
          names.empty()
              ? "expected inputs without names, in order, but got '" + name +
                    "='"
              : "expected the name of an input (" + llvm::join(names, ", ") +
                    "), but got '" + name + "'");
  }
  if (others.size() == specs.size())
    return others;
  llvm::SmallVector<llvm::StringRef> ordered;
  size_t next = 0;
  for (auto [slot, name] : llvm::zip(slots, names)) {
    if (!slot && next == others.size())
      return makeInputError("expected an input for '" + name + "'");
    ordered.push_back(slot ? *slot : others[next++]);
  }
  ordered.append(others.begin() + next, others.end());
  return ordered;
}

llvm::Expected<CallSpec>
mlir::symshape::parseCall(llvm::ArrayRef<llvm::StringRef> specs,
                          llvm::ArrayRef<std::string> names) {
  auto ordered = orderInputs(specs, names);
  if (!ordered)
    return ordered.takeError();
  CallSpec call;
  llvm::Error wrong = llvm::Error::success();
  for (llvm::StringRef text : *ordered) {
    auto spec = InputSpec::parse(text);
    if (spec)
      call.push_back(std::move(*spec));
    else
      wrong = llvm::joinErrors(std::move(wrong), spec.takeError());
  }
  if (wrong)
    return std::move(wrong);
  return call;
}

llvm::Expected<std::vector<CallSpec>>
mlir::symshape::readCallsFile(llvm::StringRef path,
                              llvm::ArrayRef<std::string> names) {
  auto file = readPlainFileOrInput(path);
  if (!file)
    return makeInputError("cannot read '" + path +
                          "': " + llvm::toString(file.takeError()));
  llvm::StringRef text = (*file)->getBuffer();
  llvm::StringRef kind = nameForeignKind(text);
  if (text.ltrim().starts_with("[") || text.ltrim().starts_with("{"))
    kind = "JSON";
  if (!text.empty() && !kind.empty())
    return makeInputError("expected a call on each line, such as 2x3xf32=iota "
                          "i64=5, but '" +
                          path + "' is " + kind);
  return parseCalls(text, path, names);
}

llvm::Expected<std::vector<CallSpec>>
mlir::symshape::parseCalls(llvm::StringRef text, llvm::StringRef name,
                           llvm::ArrayRef<std::string> names) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  std::vector<CallSpec> calls;
  llvm::Error wrong = llvm::Error::success();
  for (auto [number, line] : llvm::enumerate(lines)) {
    llvm::SmallVector<llvm::StringRef> words = splitWords(line);
    if (words.empty())
      continue;
    auto call = parseCall(words, names);
    if (call) {
      calls.push_back(std::move(*call));
      continue;
    }
    auto inLine = [&, line = number + 1](const RunError &e) {
      return makeInputError(name + ":" + llvm::Twine(line) + ": " +
                            e.getMessage());
    };
    wrong = llvm::joinErrors(std::move(wrong),
                             llvm::handleErrors(call.takeError(), inLine));
  }
  if (wrong)
    return std::move(wrong);
  return calls;
}

llvm::Expected<std::vector<TensorBuffer>>
mlir::symshape::loadInputs(const CallSpec &call) {
  std::vector<TensorBuffer> inputs;
  for (const InputSpec &spec : call) {
    auto input = spec.load();
    if (!input)
      return input.takeError();
    inputs.push_back(std::move(*input));
  }
  return inputs;
}
