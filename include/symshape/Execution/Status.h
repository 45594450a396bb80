//===- Status.h - Errors that carry an exit status --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the execution layer returns when it fails: a message and the status with
// which symshape-run exits. Not for diagnostics about IR, which go through the
// context's handler.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_STATUS_H
#define SYMSHAPE_EXECUTION_STATUS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::symshape {

/// Why a run failed; the values are the exit statuses of symshape-run.
enum class RunStatus {
  CannotCompile = 1, ///< the program does not parse, or cannot be lowered
  BadInput = 2,      ///< usage; unreadable input; wrong element type or rank
  GuardFailed = 3,   ///< a guard or assert; an extent contradicts the type
  Internal = 70,     ///< a crash of the compiler or of compiled code
};

/// A message, lower case and without a full stop, and a status.
class RunError : public llvm::ErrorInfo<RunError> {
public:
  static char ID;

  RunError(RunStatus status, std::string message)
      : status(status), message(std::move(message)) {}

  RunStatus getStatus() const { return status; }
  const std::string &getMessage() const { return message; }

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  RunStatus status;
  std::string message;
};

inline llvm::Error makeRunError(RunStatus status, const llvm::Twine &message) {
  return llvm::make_error<RunError>(status, message.str());
}

/// An input, weight or output that cannot be read, written or used.
inline llvm::Error makeInputError(const llvm::Twine &message) {
  return makeRunError(RunStatus::BadInput, message);
}

/// What went wrong with a file, as such an error.
inline llvm::Error toInputError(llvm::Error error) {
  return error ? makeInputError(llvm::toString(std::move(error)))
               : llvm::Error::success();
}

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_STATUS_H
