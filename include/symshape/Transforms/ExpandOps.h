//===- ExpandOps.h - Ops of the dialect as arith ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces what only carries or checks facts by ops that other passes know.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_EXPANDOPS_H
#define SYMSHAPE_TRANSFORMS_EXPANDOPS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

namespace mlir::symshape {
class ShapeAnalysis;

/// Rewrites `symshape.size` to arith, `symshape.assert` and `cf.assert` to a
/// branch with `symshape.fail`, and erases `bind_shape` and `assume`. Fails,
/// with a diagnostic, where a symbol has no value.
LogicalResult expandOps(ModuleOp module, const ShapeAnalysis &analysis);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_EXPANDOPS_H
