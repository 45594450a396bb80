//===- PassedTypes.h - Types of what ops pass on ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors that loops carry, branches yield and elementwise ops compute, with
// the extents that all that reaches them has by type. Not for: extents that
// only the analysis knows (InferShapes), which has written them into types
// before.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_PASSEDTYPES_H
#define SYMSHAPE_LIB_TRANSFORMS_PASSEDTYPES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::symshape {

/// Lets ops take the sources of casts that forget extents, where all that a
/// result or an argument of a region gets then has one type, which it takes as
/// well. Users get the old types by casts.
void refinePassedTypes(ModuleOp module);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_PASSEDTYPES_H
