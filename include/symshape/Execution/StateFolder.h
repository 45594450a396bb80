//===- StateFolder.h - What is kept between processes -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folders with profiles of programs and with machine code. Nothing in them is
// needed: what is missing, damaged or of another version is done anew. Whoever
// can write to it decides which code runs, so it is not used if anybody but the
// user of this process can.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_STATEFOLDER_H
#define SYMSHAPE_EXECUTION_STATEFOLDER_H

#include "symshape/Execution/Program.h"
#include "symshape/Execution/ShapeProfile.h"

namespace mlir::symshape {

class PrivateFolder;

/// The folder that keeps machine code where no other is chosen: what
/// SYMSHAPE_CACHE of the environment says, or `symshape` among the user's
/// caches. Empty if the variable is `off`, or if the user has no caches.
std::string getCacheFolder();

/// Bytes of code that the cache keeps.
inline constexpr uint64_t cacheLimit = uint64_t(1) << 30;

/// The files of one program in the folder:
///
///   PROGRAM.profile.json  an object: format, subject (PROGRAM), and dims, a
///                         pair [min, max] of extents each
///
///   CODE.code             a line of JSON with format, subject (CODE) and a
///                         hash of all the rest, then an object file or an
///                         archive of some
///
///   PART.part             the same, of a function that several programs have
///
/// PROGRAM is a hash of the text and the entry, CODE a hash of these, the path
/// that messages name, the options, the target, the extents and the tool, and
/// PART one of LLVM IR, the target and the tool. Both count as code. Files
/// are replaced as a whole, and profiles are merged under a lock, so that
/// processes may share the folder. The modification time of a code file is when
/// it was last used. Links are not followed, and files of other names are not
/// touched. Failures are warnings; the run goes on without the folder. Several
/// threads may use one object.
class StateFolder {
public:
  /// The folder at `path` is made if it does not exist. When code is stored,
  /// the code of all programs is cut down to `limit` bytes (0: no limit), least
  /// recently used first.
  StateFolder(llvm::StringRef path, const ProgramSource &source,
              llvm::StringRef entry, uint64_t limit = 0,
              DiagnosticSink diagnostics = nullptr);
  StateFolder(StateFolder &&);
  ~StateFolder();

  /// The calls of earlier processes; none if that is not known.
  ShapeProfile loadProfile() const;
  /// Adds calls to those that are kept.
  void addToProfile(const ShapeProfile &profile) const;

  /// Whether there is code for these options, usable or not.
  bool hasCode(const CompileOptions &options) const;
  /// The program from code that was kept for these options; null if there is
  /// none that can be loaded.
  std::unique_ptr<Program> loadProgram(const ProgramSource &source,
                                       const CompileOptions &options) const;
  /// Code of whose program something was said is not kept: later processes say
  /// it again.
  void storeCode(const CompileOptions &options, const CompiledCode &code) const;

  /// The object file of a part of some program, `content` of which is a hash;
  /// null if there is none that can be loaded.
  std::unique_ptr<llvm::MemoryBuffer> loadPart(llvm::StringRef content,
                                               const CPUTarget &target) const;
  void storePart(llvm::StringRef content, const CPUTarget &target,
                 llvm::StringRef object) const;

private:
  /// The code in a file, whose subject is `key`; null if there is none, or none
  /// that can be used.
  std::unique_ptr<llvm::MemoryBuffer> loadObject(const std::string &name,
                                                 llvm::StringRef key) const;
  void storeObject(const std::string &name, llvm::StringRef key,
                   llvm::StringRef object) const;
  std::string getCodeKey(const CompileOptions &options) const;
  /// The profile that is kept; an error says why it is unusable.
  llvm::Expected<ShapeProfile> readProfile() const;
  void warnUnused(llvm::StringRef name, llvm::Error error) const;
  void replaceFile(const std::string &name,
                   llvm::function_ref<void(llvm::raw_ostream &)> write) const;
  void runLocked(llvm::function_ref<void()> work) const;
  /// Cuts the folder down, but keeps the file called `kept`.
  void trim(llvm::StringRef kept) const;

  std::string path;
  std::unique_ptr<PrivateFolder> folder; ///< null: nothing is kept
  std::string programHash, programPath;
  size_t numDims;
  uint64_t limit;
  DiagnosticSink diagnostics;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_STATEFOLDER_H
