//===- Snapshot.h - What a refused program was ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For passes that find out only midway that they must refuse a program. Not
// for: passes that can look before they change anything, which is cheaper.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_SNAPSHOT_H
#define SYMSHAPE_TRANSFORMS_SNAPSHOT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::symshape {

/// Runs `change`; if that fails, makes `module` what it was before. Pointers to
/// its ops are then dangling. Cost: a copy of the module.
inline LogicalResult
changeOrRestore(ModuleOp module, llvm::function_ref<LogicalResult()> change) {
  OwningOpRef<ModuleOp> before = module.clone();
  LogicalResult result = change();
  if (failed(result)) {
    module.getBodyRegion().takeBody(before->getBodyRegion());
    module->setAttrs(before.get()->getAttrDictionary());
  }
  return result;
}

/// As `changeOrRestore`; what `change` makes must verify. For passes that rely
/// on what another one has checked: `needed` says what that is, after
/// "expected".
LogicalResult changeOrRestore(ModuleOp module, StringRef needed,
                              llvm::function_ref<LogicalResult()> change);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_SNAPSHOT_H
