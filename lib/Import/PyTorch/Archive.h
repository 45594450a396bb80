//===- Archive.h - The files in a zip archive -------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files that are stored as they are, as PyTorch stores them. Not for: archives
// that are compressed or encrypted.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_PYTORCH_ARCHIVE_H
#define SYMSHAPE_LIB_IMPORT_PYTORCH_ARCHIVE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace mlir::symshape::pytorch {

class Archive {
public:
  /// Reads the list of files at the end of the archive. Each of them lies
  /// inside of `bytes`, which must outlive this.
  static llvm::Expected<Archive> open(llvm::StringRef bytes);

  /// The bytes of a file; nullopt if there is none of that name.
  std::optional<llvm::StringRef> find(llvm::StringRef name) const;
  /// One more file, in place of one of that name.
  void add(llvm::StringRef name, llvm::StringRef bytes) { files[name] = bytes; }
  const llvm::StringMap<llvm::StringRef> &getFiles() const { return files; }

private:
  llvm::StringMap<llvm::StringRef> files;
};

} // namespace mlir::symshape::pytorch

#endif // SYMSHAPE_LIB_IMPORT_PYTORCH_ARCHIVE_H
