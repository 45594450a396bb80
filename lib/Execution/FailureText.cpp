//===- FailureText.cpp - Messages of refused calls, taken apart -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/FailureText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir::symshape;
using llvm::StringRef;

StringRef mlir::symshape::nameOf(Failure::Kind kind) {
  constexpr llvm::StringLiteral names[] = {"guard", "check", "assert", "type",
                                           "other"};
  return names[kind];
}

FailureReason FailureReason::parse(StringRef text) {
  FailureReason reason;
  reason.text = text.str();
  StringRef rest = text;
  if (size_t open = rest.rfind(" (");
      rest.ends_with(")") && open != StringRef::npos) {
    reason.field = rest.substr(open + 2).drop_back().str();
    rest = rest.take_front(open);
  }
  auto [op, place] = rest.split(" at ");
  reason.op = op.str();
  reason.place = place.str();
  auto [head, column] = place.rsplit(':');
  auto [file, line] = head.rsplit(':');
  if (line.getAsInteger(10, reason.line) ||
      column.getAsInteger(10, reason.column)) {
    reason.line = reason.column = 0;
    // Of a node of a model: the file and the node.
    reason.file = place.split(": ").first.str();
  } else {
    reason.file = file.str();
  }
  return reason;
}

/// The fields of `{primitive = ..., field = ..., observed = ...}`.
static void readTriple(StringRef text, Failure &failure) {
  text.consume_front("{");
  text.consume_back("}");
  StringRef rest;
  std::tie(text, rest) = text.split(", field = ");
  text.consume_front("primitive = ");
  failure.primitive = text.str();
  auto [field, observed] = rest.split(", observed = ");
  failure.field = field.str();
  failure.observed = observed.str();
}

/// The first line of a failure.
static Failure begin(StringRef line) {
  Failure failure;
  if (line.starts_with("@"))
    line = line.split(": ").second;
  if (line.consume_front("guard failed: "))
    failure.kind = Failure::Guard;
  else if (line.consume_front("assert failed: "))
    failure.kind = Failure::Assert;
  else if (line.starts_with("expected extent "))
    failure.kind = Failure::Type;
  failure.message = line.str();
  return failure;
}

FailureText mlir::symshape::parseFailures(StringRef message) {
  FailureText text;
  llvm::SmallVector<StringRef> lines;
  message.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    StringRef rest = line;
    bool hasFailure = !text.failures.empty();
    if (hasFailure && rest.consume_front("symshape: {")) {
      readTriple(rest, text.failures.back());
    } else if (hasFailure && rest.consume_front("  needed by ")) {
      Failure &failure = text.failures.back();
      if (failure.kind == Failure::Other)
        failure.kind = Failure::Check;
      failure.reasons.push_back(FailureReason::parse(rest));
    } else if (hasFailure && line.starts_with("  ")) {
      text.failures.back().message += "\n" + line.str();
    } else if (hasFailure && rest.consume_front("and ") &&
               rest.consume_back(" more") &&
               !rest.getAsInteger(10, text.numLeftOut)) {
      continue;
    } else {
      text.failures.push_back(begin(line));
    }
  }
  return text;
}
