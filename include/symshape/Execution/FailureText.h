//===- FailureText.h - Messages of refused calls, taken apart ---*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a failed guard or check says, as fields. Not for: making the message
// (FailMessage.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_FAILURETEXT_H
#define SYMSHAPE_EXECUTION_FAILURETEXT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::symshape {

/// Who needs what did not hold: `linalg.matmul at m.mlir:11:13 (contraction
/// dimension)`.
struct FailureReason {
  std::string text;
  std::string op;               ///< or `the signature`
  std::string place;            ///< empty: not known
  std::string file;             ///< of the place
  int64_t line = 0, column = 0; ///< 0: not known
  std::string field;            ///< the part of the op

  static FailureReason parse(llvm::StringRef text);
};

/// One condition that did not hold.
struct Failure {
  enum Kind {
    Guard,  ///< over extents, at entry
    Check,  ///< over data, before an op
    Assert, ///< written by the user
    Type,   ///< an extent that the type of an argument rules out
    Other   ///< anything else that ends a call
  };
  Kind kind = Other;
  /// In words, without the name of the function and the kind; further lines say
  /// where names come from.
  std::string message;
  std::vector<FailureReason> reasons;
  /// Of the line for tools; empty if there is none.
  std::string primitive, field, observed;
};

/// `guard`, `check`, `assert`, `type` or `other`.
llvm::StringRef nameOf(Failure::Kind kind);

struct FailureText {
  std::vector<Failure> failures;
  /// How many more there were, which the message had no room for.
  int64_t numLeftOut = 0;
};

/// Takes a message of a call that was refused apart; each line of it is part of
/// a failure.
FailureText parseFailures(llvm::StringRef message);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_FAILURETEXT_H
