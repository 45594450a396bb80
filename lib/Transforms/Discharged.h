//===- Discharged.h - That nothing has changed since ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For pipelines that infer and discharge twice, with passes in between that
// rarely do anything. Private to Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_DISCHARGED_H
#define SYMSHAPE_LIB_TRANSFORMS_DISCHARGED_H

#include "mlir/IR/Operation.h"

namespace mlir::symshape {

/// An analysis that symshape-discharge leaves behind: cached until a pass
/// changes the module.
struct Discharged {
  explicit Discharged(Operation *) {}
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_DISCHARGED_H
