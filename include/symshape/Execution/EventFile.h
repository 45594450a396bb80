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

/// The events of a file. Those that tell why code was compiled, or what served
/// a call, also get a field `says`: the same in words. An error if it is not
/// such a file.
llvm::Expected<llvm::json::Array> readEvents(llvm::StringRef path);
/// The same of the text of a file called `name`.
llvm::Expected<llvm::json::Array> parseEvents(llvm::StringRef text,
                                              llvm::StringRef name);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_EVENTFILE_H
