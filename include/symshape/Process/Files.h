//===- Files.h - Files that are read and written whole ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not for: what is in them; standard output (Tool.h); the files of a state
// folder (lib/Execution/PrivateFolder.h), which strangers may not touch. What
// lib/Bundle/Files.h is for the runner of bundles.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PROCESS_FILES_H
#define SYMSHAPE_PROCESS_FILES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace mlir::symshape {

/// The bytes of a plain file; if it is text, with a 0 after them. Anything
/// else, such as a pipe or a device, may have no end, and is not read. An error
/// says why, and does not name the file.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readPlainFile(llvm::StringRef path, bool isText = false);

/// The same for text, and `-` is standard input, of which at most 256 MiB is
/// read.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readPlainFileOrInput(llvm::StringRef path);

/// What a file with these bytes is that holds no program, such as `a zip
/// archive`; empty if that is not known.
llvm::StringRef nameForeignKind(llvm::StringRef bytes);

/// A file that is written beside the one that it is to replace, and takes its
/// place when it is whole: if it does not come to that, the old one stays, and
/// nothing else is left, even if a signal ends the process. A device or a pipe
/// is written to at once. Errors name the path.
class NewFile {
public:
  /// Makes an empty file beside `path`.
  static llvm::Expected<NewFile> create(llvm::StringRef path);
  NewFile(NewFile &&other);
  NewFile &operator=(NewFile &&) = delete;
  ~NewFile();

  /// Where it lies as yet.
  llvm::StringRef getTemporaryPath() const { return temporary; }

  llvm::Error
  write(llvm::function_ref<void(llvm::raw_pwrite_stream &)> write) const;

  /// Puts it in its place.
  llvm::Error keep();

private:
  NewFile(llvm::StringRef path) : path(path), temporary(path) {}
  llvm::Error cannotWrite(std::error_code problem) const;

  std::string path;
  std::string target = {}; ///< the file itself, where `path` is a link
  std::string temporary;
  bool isPending = false;
};

/// Writes a file, wholly or not at all.
llvm::Error
replaceFile(llvm::StringRef path,
            llvm::function_ref<void(llvm::raw_pwrite_stream &)> write);

/// The same, and `-` is standard output, which Tool::finish checks.
llvm::Error writeOutput(llvm::StringRef path,
                        llvm::function_ref<void(llvm::raw_ostream &)> write);

/// Whether `replaceFile` may write to `path`, as far as can be told before.
llvm::Error checkWritable(llvm::StringRef path);

} // namespace mlir::symshape

#endif // SYMSHAPE_PROCESS_FILES_H
