//===- PrivateFolder.h - A folder that nobody else writes to ----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files of one folder, by name, for processes of one user that share it. Not
// for: what the files say (StateFolder). Private to Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_PRIVATEFOLDER_H
#define SYMSHAPE_LIB_EXECUTION_PRIVATEFOLDER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mlir::symshape {

/// A folder that belongs to the user of this process and that no other user may
/// write to, kept open: whatever becomes of its path, the files are those of
/// this folder. Names are plain, without `/`. Links are not followed, and only
/// plain files are touched. Several threads may use one object.
class PrivateFolder {
public:
  /// Opens the folder at `path`; if it does not exist, makes it for this user
  /// alone. The error says what to do about it.
  static llvm::Expected<std::unique_ptr<PrivateFolder>>
  open(llvm::StringRef path);
  ~PrivateFolder();

  /// The bytes of a file; an error with std::errc::no_such_file_or_directory if
  /// there is none. Also an error: a link, a file that somebody else owns or
  /// may write to, or one of more than `maxBytes`.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  read(const std::string &name, uint64_t maxBytes) const;

  /// Replaces a file as a whole, or leaves it as it was after an error.
  llvm::Error
  replace(const std::string &name,
          llvm::function_ref<void(llvm::raw_ostream &)> write) const;

  /// Whether there is a file of this name, of whatever kind.
  bool has(const std::string &name) const;
  /// Marks a file as just used. A failure does no harm.
  void touch(const std::string &name) const;
  /// Whether the file was there and is gone.
  bool remove(const std::string &name) const;

  struct File {
    std::string name;
    uint64_t size;
    llvm::sys::TimePoint<> used; ///< when it was written or touched
  };
  /// The plain files, in any order.
  std::vector<File> list() const;

  /// Excludes threads of this process by a mutex, since all of them share a
  /// file lock; other processes by the file `lock`.
  class Lock {
  public:
    ~Lock();

  private:
    friend class PrivateFolder;
    Lock();
    std::unique_lock<std::mutex> guard;
    int file = -1;
  };
  /// Waits for some seconds.
  llvm::Expected<std::unique_ptr<Lock>> lock() const;

  /// Whether `name` is what `replace` calls an unfinished file for a name that
  /// `isOurs`. Killed processes leave such files.
  static bool isUnfinished(llvm::StringRef name,
                           llvm::function_ref<bool(llvm::StringRef)> isOurs);

private:
  explicit PrivateFolder(int descriptor) : descriptor(descriptor) {}
  int descriptor;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_PRIVATEFOLDER_H
