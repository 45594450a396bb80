//===- Errors.cpp - Errors and text for C callers -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Errors.h"
#include <cstring>

using namespace mlir::symshape;
using namespace mlir::symshape::capi;

//===----------------------------------------------------------------------===//
// Errors and text
//===----------------------------------------------------------------------===//

LastError &capi::getLastError() {
  static thread_local LastError lastError;
  return lastError;
}

symshape_status capi::keep(llvm::Error error, llvm::StringRef details) {
  LastError last;
  auto add = [&](symshape_status status, const std::string &message) {
    if (last.status == SYMSHAPE_OK)
      last.status = status;
    else
      last.message += '\n';
    last.message += message;
  };
  llvm::handleAllErrors(
      std::move(error),
      [&](const RunError &e) {
        add(static_cast<symshape_status>(e.getStatus()), e.getMessage());
      },
      [&](const llvm::ErrorInfoBase &e) {
        add(SYMSHAPE_CANNOT_COMPILE, e.message());
      });
  last.message += details;
  getLastError() = std::move(last);
  return getLastError().status;
}

llvm::Error capi::expectPointer(const void *pointer, const llvm::Twine &name,
                                int64_t count) {
  if (count < 0)
    return makeInputError("expected a number of " + name + " from 0, but got " +
                          llvm::Twine(count));
  return pointer || count == 0
             ? llvm::Error::success()
             : makeInputError("expected " + name + ", but got NULL");
}

bool capi::isMissing(const void *pointer, llvm::StringRef name) {
  if (pointer)
    return false;
  keep(expectPointer(pointer, name));
  return true;
}

const char *symshape_last_error(symshape_status *status) {
  if (status)
    *status = getLastError().status;
  return getLastError().message.c_str();
}

char *capi::copyText(llvm::StringRef text) {
  auto *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    llvm::report_bad_alloc_error("text for a caller");
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  return copy;
}

char *capi::copyJSON(llvm::json::Object object) {
  object["schemaVersion"] = 1;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return copyText(text);
}

void symshape_free_text(char *text) { std::free(text); }

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

void Diagnostics::tell(const ProgramDiagnostic &diagnostic) {
  std::lock_guard<std::mutex> lock(mutex);
  if (handler) {
    symshape_diagnostic told = {sizeof(symshape_diagnostic),
                                diagnostic.severity,
                                diagnostic.message.c_str(),
                                diagnostic.file.c_str(),
                                diagnostic.line,
                                diagnostic.column};
    return handler(context, &told);
  }
  if (diagnostic.severity != ProgramDiagnostic::Note)
    inError = diagnostic.severity == ProgramDiagnostic::Error;
  if (inError)
    errors += "\n" + diagnostic.str();
}

std::string Diagnostics::takeErrors() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(errors, "");
}

DiagnosticSink Diagnostics::sinkOf(std::shared_ptr<Diagnostics> diagnostics) {
  return [diagnostics](const ProgramDiagnostic &diagnostic) {
    diagnostics->tell(diagnostic);
  };
}
