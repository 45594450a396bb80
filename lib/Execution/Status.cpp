//===- Status.cpp - Errors that carry an exit status ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Status.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::symshape;

char RunError::ID = 0;

void RunError::log(llvm::raw_ostream &os) const { os << message; }

std::error_code RunError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}
