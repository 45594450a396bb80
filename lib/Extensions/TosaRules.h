//===- TosaRules.h - Shared by the files of tosa's rules --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Extensions.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_TOSARULES_H
#define SYMSHAPE_LIB_EXTENSIONS_TOSARULES_H

#include "symshape/Extensions/RuleHelpers.h"

namespace mlir::symshape {

/// Whether all are ranked tensors.
bool areRankedTensors(ValueRange values);

/// Requires that two extents are equal.
void requireEqual(ShapeFacts &facts, Expr a, Expr b, const Twine &field);
/// Requires `e >= bound`, unless that is known.
void requireAtLeast(ShapeFacts &facts, Expr e, int64_t bound,
                    const Twine &field);

/// Requires that extent `from` of an operand can stand beside `to`: they are
/// equal, or `from` is 1. Only a 1 that is known here expands, unless the
/// module asks for NumPy's rule.
void requireExpandsTo(Operation *op, ShapeFacts &facts, Expr from, Expr to,
                      const Twine &field);

/// The extent of operands that are broadcast against each other.
Expr broadcast(Operation *op, ShapeFacts &facts, ArrayRef<Expr> extents,
               const Twine &field);

/// Element `i` of a value of type `!tosa.shape`; null if it is not known.
inline Expr shapeElement(ShapeFacts &facts, Value shape, int64_t i) {
  return facts.element(shape, {facts.constant(i)});
}

/// Attaches the rules of TosaShapeRules.cpp.
void attachTosaShapeRules(MLIRContext *context);
/// Attaches the rules of TosaMovementRules.cpp.
void attachTosaMovementRules(MLIRContext *context);
/// Attaches the rules of TosaWindowRules.cpp.
void attachTosaWindowRules(MLIRContext *context);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_TOSARULES_H
