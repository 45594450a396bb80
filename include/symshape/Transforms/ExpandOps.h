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
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/LogicalResult.h"

namespace mlir::symshape {
class ShapeAnalysis;

/// Rewrites `symshape.size` to arith, `symshape.assert` and `cf.assert` to a
/// branch with `symshape.fail`, and erases `bind_shape` and `assume`. Fails,
/// with a diagnostic, where a symbol has no value. `analyze` is called at most
/// once, before any change, if an op names a symbol that is no operand.
LogicalResult expandOps(ModuleOp module,
                        llvm::function_ref<const ShapeAnalysis &()> analyze);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_EXPANDOPS_H
