//===- PassAttributes.h - Attributes that passes leave ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of attributes that one pass of ours writes and another reads. Not for:
// what users write (SymShapeDialect).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_PASSATTRIBUTES_H
#define SYMSHAPE_IR_PASSATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::symshape {

/// On a function whose requirements are checked, or that checks them.
inline constexpr llvm::StringLiteral kGuarded = "symshape.guarded";

/// On `@f.guard`: the messages; its result is the number of one.
inline constexpr llvm::StringLiteral kMessages = "symshape.messages";

/// On a function that is called from outside: the functions that answer for it,
/// before it runs. One checks it (`@f.guard`), one says which version a call
/// takes (`@f.version`), one computes from weights what is passed to each call
/// (`@f.prepare`), each under that name where it is free.
inline constexpr llvm::StringLiteral kGuardFunction = "symshape.guard_function";
inline constexpr llvm::StringLiteral kVersionFunction =
    "symshape.version_function";
inline constexpr llvm::StringLiteral kPrepareFunction =
    "symshape.prepare_function";

/// What holds of one function only, not of another that computes the same.
inline constexpr llvm::StringLiteral kOfOneFunction[] = {
    kGuarded, kGuardFunction, kVersionFunction, kPrepareFunction};

/// On a tangent of `@f.lin`: per dimension, the number of the residual that is
/// its extent, or -1 where the type says it.
inline constexpr llvm::StringLiteral kExtentResiduals =
    "symshape.extent_residuals";

/// On an argument or result of signless integers that its callers read as
/// unsigned.
inline constexpr llvm::StringLiteral kUnsigned = "symshape.unsigned";

/// On ops of a block that will run as one, with the number of their group: no
/// buffer may take the place of another that only one of them uses.
inline constexpr llvm::StringLiteral kTogether = "symshape.together";

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_PASSATTRIBUTES_H
