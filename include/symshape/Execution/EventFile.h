//===- EventFile.h - Events of a file ---------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what an EventLog wrote.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_EVENTFILE_H
#define SYMSHAPE_EXECUTION_EVENTFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace mlir::symshape {

/// The events of a file, each with what it `says`, why code was compiled and
/// what each call was served by, where it says something of that. An error if
/// it is no such file.
llvm::Expected<llvm::json::Array> readEvents(llvm::StringRef path);
/// The same of the text of a file called `name`.
llvm::Expected<llvm::json::Array> parseEvents(llvm::StringRef text,
                                              llvm::StringRef name);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_EVENTFILE_H
