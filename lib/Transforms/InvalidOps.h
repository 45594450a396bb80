//===- InvalidOps.h - Ops that static types show to be invalid --*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In code that no call reaches, such as the branch for another size, facts may
// give two tensors extents that do not fit in one op. Private to Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_INVALIDOPS_H
#define SYMSHAPE_LIB_TRANSFORMS_INVALIDOPS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::symshape {

/// Replaces each op of `module` that returns tensors and does not verify, and
/// each cast from one static extent to another: an op that computes no element
/// by what it writes to, and others, which could not have run, by a
/// `symshape.assert` that never holds. For use after types were refined by
/// proved facts, and after what ops require was made a check.
void replaceInvalidOps(ModuleOp module);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_INVALIDOPS_H
