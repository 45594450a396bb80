//===- WeightFile.h - Tensors that arguments are bound to -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program asks of a file of weights, whichever format it has.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_WEIGHTFILE_H
#define SYMSHAPE_EXECUTION_WEIGHTFILE_H

#include "symshape/Execution/TensorBuffer.h"

namespace mlir::symshape {

/// The tensors of a file, by name.
class WeightFile {
public:
  virtual ~WeightFile() = default;

  /// The tensor of this name: a view of the mapped file where it is aligned to
  /// its elements, else a copy. An error if there is none, or if its type has
  /// no element type here (f8 and the like).
  virtual llvm::Expected<TensorBuffer> get(llvm::StringRef name) const = 0;

  /// The same with nothing copied: its elements are not to be read.
  virtual llvm::Expected<TensorBuffer> describe(llvm::StringRef name) const {
    return get(name);
  }

  /// Gives back the memory of the mapped file; what is read again comes from
  /// the file, or from the system's cache of it.
  virtual void releasePages() const {}
};

/// A tensor over `bytes` of a file that `owner` keeps alive, copied where they
/// are not aligned to its elements, or are bools other than 0 or 1.
llvm::Expected<TensorBuffer> readTensor(ElementType type,
                                        llvm::ArrayRef<int64_t> shape,
                                        const char *bytes,
                                        std::shared_ptr<void> owner);

/// Gives back the pages that lie wholly inside these bytes, which must belong
/// to a mapped file, not to other memory.
void releaseMappedPages(llvm::StringRef bytes);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_WEIGHTFILE_H
