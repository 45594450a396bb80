//===- Diagnostics.h - Errors with their triple -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form of errors about a part of an op: text for people, and the triple
// {primitive, field, observed} for machines.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_DIAGNOSTICS_H
#define SYMSHAPE_IR_DIAGNOSTICS_H

#include "mlir/IR/Operation.h"

namespace mlir::symshape {

/// The attribute of a `symshape.assert` that holds its triple.
constexpr llvm::StringLiteral kTriple = "symshape.triple";

/// The name of an op in triples: for our own ops that of the primitive, without
/// the dialect; else the full name.
StringRef primitiveName(Operation *op);

/// `{primitive = ..., field = ..., observed = ...}`.
std::string makeTriple(StringRef primitive, const Twine &field,
                       const Twine &observed);

/// Emits `expected field '<field>' <expected>, but got <observed>` at the op,
/// with the triple as its last note.
LogicalResult emitFieldError(Operation *op, const Twine &field,
                             const Twine &expected, const Twine &observed);

/// Emits `expected <expected>, but there is none` at an op that has no
/// derivative, with notes at the function and about what to write.
LogicalResult emitMissingRule(Operation *op, const Twine &expected,
                              const Twine &advice);
/// The same for an op without any rule.
LogicalResult emitMissingRule(Operation *op);

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_DIAGNOSTICS_H
