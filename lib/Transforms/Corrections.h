//===- Corrections.h - Changes of what is declared --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What removes a violation: its text, and the edit. Each reads the attributes
// when it is applied, so that several can be applied. Private to Transforms.
// Not for: when one is right (Violations).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_CORRECTIONS_H
#define SYMSHAPE_LIB_TRANSFORMS_CORRECTIONS_H

#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/Violations.h"

namespace mlir::symshape {

/// What the signature then declares: a relation over dims of arguments.
Correction declareFact(FunctionShapes &shapes, const Relation &relation);

/// An assert, before anything runs, of what is not a single relation.
Correction assertAtEntry(FunctionShapes &shapes, const Formula &condition);

/// An assert of what depends on data, before the op that needs it.
Correction assertBefore(FunctionShapes &shapes, const DeferredCheck &check);

/// The symbol with the policy `auto`.
Correction leaveOpen(func::FuncOp function, SymbolAttr symbol);

/// The signature without one of the facts that it declares; nothing to apply if
/// it is not one of its attributes.
Correction withdraw(FunctionShapes &shapes, const Requirement &declared);

/// Another extent of a result, as a shape prints it.
Correction redeclareResultExtent(func::FuncOp function, unsigned result,
                                 int64_t dim, StringRef text);

Correction removeVersion(func::FuncOp function, VersionAttr version);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_CORRECTIONS_H
