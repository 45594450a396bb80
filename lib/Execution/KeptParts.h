//===- KeptParts.h - Object files that programs share -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_KEPTPARTS_H
#define SYMSHAPE_LIB_EXECUTION_KEPTPARTS_H

#include "symshape/Execution/StateFolder.h"
#include "llvm/ExecutionEngine/ObjectCache.h"
#include "llvm/IR/Module.h"

namespace mlir::symshape {

/// Keeps parts of programs (CodeParts.h) in a folder, for a target.
class KeptParts : public llvm::ObjectCache {
public:
  KeptParts(const StateFolder &folder, const CPUTarget &target)
      : folder(folder), target(target) {}

  std::unique_ptr<llvm::MemoryBuffer>
  getObject(const llvm::Module *part) override {
    return folder.loadPart(part->getModuleIdentifier(), target);
  }
  void notifyObjectCompiled(const llvm::Module *part,
                            llvm::MemoryBufferRef object) override {
    folder.storePart(part->getModuleIdentifier(), target, object.getBuffer());
  }

private:
  const StateFolder &folder;
  const CPUTarget &target;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_KEPTPARTS_H
