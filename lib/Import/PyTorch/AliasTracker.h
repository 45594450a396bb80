//===- AliasTracker.h - Which tensors share elements ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For ops that change an operand in place: what nothing else can see may become
// a new value.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_PYTORCH_ALIASTRACKER_H
#define SYMSHAPE_LIB_IMPORT_PYTORCH_ALIASTRACKER_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace mlir::symshape::pytorch {

/// Calls `visit` with each name in an argument or a list of them.
void visitNames(const llvm::json::Value &value,
                llvm::function_ref<void(llvm::StringRef)> visit);

class AliasTracker {
public:
  /// Notes a node in its place, after those before it.
  void note(const llvm::json::Object &node, llvm::StringRef target,
            bool changes);
  /// Whether the first operand of a node is a tensor of the program itself,
  /// which no other tensor shares elements with.
  bool mayChange(const llvm::json::Object &node) const;
  /// All names of the tensor that such a node changes, its result among them,
  /// once the node is noted.
  llvm::ArrayRef<llvm::StringRef> namesOf(llvm::StringRef result) const;

private:
  void add(llvm::StringRef name, size_t group);

  /// Of tensors that an op made anew: the number of the tensor. A tensor that
  /// others share elements with has no names any more.
  llvm::StringMap<size_t> groups;
  std::vector<std::vector<llvm::StringRef>> names;
};

} // namespace mlir::symshape::pytorch

#endif // SYMSHAPE_LIB_IMPORT_PYTORCH_ALIASTRACKER_H
