//===- Errors.h - Errors and text for C callers -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to CAPI.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CAPI_ERRORS_H
#define SYMSHAPE_LIB_CAPI_ERRORS_H

#include "symshape-c/Execution.h"
#include "symshape/Execution/Diagnostics.h"
#include "symshape/Execution/Status.h"
#include "llvm/Support/JSON.h"
#include <mutex>

namespace mlir::symshape::capi {

/// What the thread's last error was about.
struct LastError {
  std::string message;
  symshape_status status = SYMSHAPE_OK;
  /// The program whose call failed, never followed, and what the call passed.
  const symshape_program *program = nullptr;
  std::vector<int64_t> dims;
};
LastError &getLastError();

/// Keeps the message of an error, or the lines of several, with the status of
/// the first, and appends `details`.
symshape_status keep(llvm::Error error, llvm::StringRef details = "");

/// An error if a parameter or field that is to hold `count` elements is NULL,
/// or if there are fewer than none.
llvm::Error expectPointer(const void *pointer, const llvm::Twine &name,
                          int64_t count = 1);
/// Whether a parameter is NULL; keeps the error.
bool isMissing(const void *pointer, llvm::StringRef name);

/// Text that `symshape_free_text` frees.
char *copyText(llvm::StringRef text);
/// The same of an object, with the version of its schema.
char *copyJSON(llvm::json::Object object);

/// Collects what is said of a program, and gives it to the caller's handler.
class Diagnostics {
public:
  Diagnostics(symshape_diagnostic_handler handler, void *context)
      : handler(handler), context(context) {}

  void tell(const ProgramDiagnostic &diagnostic);
  /// The errors since the last time, with their notes, as lines; none if a
  /// handler has seen them.
  std::string takeErrors();
  /// Gives them to `diagnostics`, which must be kept alive by the caller.
  static DiagnosticSink sinkOf(std::shared_ptr<Diagnostics> diagnostics);

private:
  symshape_diagnostic_handler handler;
  void *context;
  std::mutex mutex; ///< guards what follows, and calls of the handler
  std::string errors;
  bool inError = false; ///< notes belong to an error
};

} // namespace mlir::symshape::capi

#endif // SYMSHAPE_LIB_CAPI_ERRORS_H
