//===- Answers.h - Two answers as one ---------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to LSP.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_LSP_ANSWERS_H
#define SYMSHAPE_LIB_LSP_ANSWERS_H

#include "llvm/Support/JSON.h"

namespace mlir::symshape {

/// Whether an editor that says `initialize` can count bytes in a line.
bool offersUTF8(const llvm::json::Object &params);

/// The answer to a request of which we and upstream's server each know a part;
/// null is no answer. `hasUTF8` is what the editor offers.
llvm::json::Value mergeAnswers(llvm::StringRef method, llvm::json::Value ours,
                               llvm::json::Value theirs, bool hasUTF8);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_LSP_ANSWERS_H
