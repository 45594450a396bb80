//===- StateFiles.h - The files of a state folder ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is in the files that StateFolder keeps, from bytes and to bytes. Not
// for: where they lie (PrivateFolder). Private to Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_STATEFILES_H
#define SYMSHAPE_LIB_EXECUTION_STATEFILES_H

#include "symshape/Execution/ShapeProfile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::symshape {

/// 32 digits for a list of texts.
std::string hashTexts(llvm::ArrayRef<llvm::StringRef> parts);

/// Whether `name` is that of a profile or of code, parts included; only code
/// counts for the size of a folder.
bool isProfileName(llvm::StringRef name);
bool isCodeName(llvm::StringRef name);
std::string makeProfileName(llvm::StringRef subject);
std::string makeCodeName(llvm::StringRef subject);
std::string makePartName(llvm::StringRef subject);

/// A line of JSON: format, subject, and dims, a pair [min, max] of extents
/// each.
void writeProfile(llvm::raw_ostream &os, llvm::StringRef subject,
                  const ShapeProfile &profile);
/// The error has std::errc::not_supported if another tool has written it.
llvm::Expected<ShapeProfile>
parseProfile(llvm::StringRef bytes, llvm::StringRef subject, size_t numDims);

/// A line of JSON: format, subject, and hash, of subject and code; then the
/// code. Nothing else is in that line: the code itself holds the rest.
void writeCode(llvm::raw_ostream &os, llvm::StringRef subject,
               llvm::StringRef code);
/// The code among `bytes`, as it was written.
llvm::Expected<llvm::StringRef> parseCode(llvm::StringRef bytes,
                                          llvm::StringRef subject);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_STATEFILES_H
