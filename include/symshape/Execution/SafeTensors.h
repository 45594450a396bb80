//===- SafeTensors.h - Weight files -----------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads .safetensors files: a JSON header and raw little-endian data. The file
// is mapped, not read. Not for: writing.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_SAFETENSORS_H
#define SYMSHAPE_EXECUTION_SAFETENSORS_H

#include "symshape/Execution/WeightFile.h"
#include "llvm/ADT/StringMap.h"

namespace llvm {
class MemoryBuffer;
} // namespace llvm

namespace mlir::symshape {

/// The tensors of one file, by name.
///
/// Invariant: every entry lies inside the file and has the length that its type
/// and shape ask for; `open` fails on any other file.
class SafeTensors : public WeightFile {
public:
  /// Maps the file and checks its header. Errors begin with the path.
  static llvm::Expected<SafeTensors> open(llvm::StringRef path);

  /// The same for bytes in memory, which this object takes over.
  static llvm::Expected<SafeTensors>
  parse(std::unique_ptr<llvm::MemoryBuffer> bytes);

  llvm::Expected<TensorBuffer> get(llvm::StringRef name) const override;
  llvm::Expected<TensorBuffer> describe(llvm::StringRef name) const override;
  void releasePages() const override;

  bool contains(llvm::StringRef name) const { return entries.contains(name); }
  size_t size() const { return entries.size(); }

private:
  struct Entry {
    std::string dtype;
    llvm::SmallVector<int64_t, 4> shape;
    uint64_t begin, end; ///< bytes from the beginning of the data
  };

  static llvm::Expected<llvm::StringMap<Entry>>
  parseHeader(llvm::StringRef header, uint64_t dataBytes);

  llvm::Expected<std::pair<ElementType, const Entry *>>
  find(llvm::StringRef name) const;

  std::shared_ptr<llvm::MemoryBuffer> file;
  const char *data = nullptr;
  llvm::StringMap<Entry> entries;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_SAFETENSORS_H
