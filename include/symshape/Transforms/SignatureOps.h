//===- SignatureOps.h - Signatures as ops of the body -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a signature declares is gone once a call is inlined, or an argument
// removed that nobody uses; ops stay. Not for: functions that others may call.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_SIGNATUREOPS_H
#define SYMSHAPE_TRANSFORMS_SIGNATUREOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::symshape {

/// Moves what the signatures of private functions that are only called declare
/// into their bodies: names become `symshape.bind_shape`, and what is required
/// of them `symshape.assert`. Marks a function `no_inline` where ops cannot say
/// it: a name of a part of a dim (`2 * k`), an alternative, versions, several
/// returns, recursion; and a public function that is called here too. Leaves
/// functions alone whose requirements are checked already. Whether anything
/// changed.
bool moveSignaturesToOps(ModuleOp module);

/// Moves what the signature declares into the body, of one block, as assertions
/// about dims without names, so that it may be inlined anywhere, more than
/// once. False, and nothing is changed, where ops cannot say it.
bool assertSignature(func::FuncOp function);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_SIGNATUREOPS_H
