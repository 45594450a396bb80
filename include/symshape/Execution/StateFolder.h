//===- StateFolder.h - What is kept between processes -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder with profiles of programs and with machine code. Nothing in it is
// needed: what is missing, unreadable or of another version is done anew.
// Whoever can write to it decides which code runs.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_STATEFOLDER_H
#define SYMSHAPE_EXECUTION_STATEFOLDER_H

#include "symshape/Execution/Program.h"
#include "symshape/Execution/ShapeProfile.h"

namespace mlir::symshape {

/// The files of one program in the folder:
///
///   PROGRAM.profile.json  an object: format, subject (PROGRAM), and dims, a
///                         pair [min, max] of extents each
///
///   CODE.code             a line of JSON about the object file, then that file
///
/// PROGRAM is a hash of the text and the entry, CODE one of these, the options,
/// the target, the extents and the tool. Files are replaced as a whole, and
/// profiles are merged under a lock, so that processes may share the folder.
/// The time of change of a file of code is when it was last used.
/// Failures are told on standard error as warnings; the run goes on without.
/// Several threads may use one object.
class StateFolder {
public:
  /// The folder at `path` is made if it is not there. When code is stored, the
  /// code in it, of all programs, is cut down to `limit` bytes, 0 being no
  /// limit: what was not used for longest goes first.
  StateFolder(llvm::StringRef path, const ProgramSource &source,
              llvm::StringRef entry, uint64_t limit = 0);

  /// The calls of earlier processes; without any if that is not known.
  ShapeProfile loadProfile() const;
  /// Adds calls to those that are kept.
  void addToProfile(const ShapeProfile &profile) const;

  /// The code that was kept for these options; nullopt if there is none.
  std::optional<CompiledCode> loadCode(const CompileOptions &options) const;
  void storeCode(const CompileOptions &options, const CompiledCode &code) const;

private:
  std::string getProfilePath() const;
  std::string getCodeKey(const CompileOptions &options) const;
  std::string getCodePath(llvm::StringRef key) const;
  /// The profile that is kept; an error says why it is of no use.
  llvm::Expected<ShapeProfile> readProfile() const;
  llvm::Expected<CompiledCode> readCode(llvm::StringRef key) const;
  /// Cuts the folder down, but for the file at `kept`.
  void trim(llvm::StringRef kept) const;

  std::string folder;
  std::string programHash;
  size_t numDims;
  uint64_t limit;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_STATEFOLDER_H
