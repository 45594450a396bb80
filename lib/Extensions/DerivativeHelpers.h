//===- DerivativeHelpers.h - What derivative rules share --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule is a function of an op and its tangents or cotangents; this header
// makes it the external model of the op.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_DERIVATIVEHELPERS_H
#define SYMSHAPE_LIB_EXTENSIONS_DERIVATIVEHELPERS_H

#include "symshape/IR/SymShape.h"

namespace mlir::symshape {

template <typename OpTy, LogicalResult (*rule)(OpTy, Tangents &)>
struct JvpRule : JvpOpInterface::ExternalModel<JvpRule<OpTy, rule>, OpTy> {
  LogicalResult buildJvp(Operation *op, Tangents &tangents) const {
    return rule(cast<OpTy>(op), tangents);
  }
};

template <typename OpTy, LogicalResult (*rule)(OpTy, Cotangents &)>
struct TransposeRule
    : LinearTransposeOpInterface::ExternalModel<TransposeRule<OpTy, rule>,
                                                OpTy> {
  LogicalResult buildTranspose(Operation *op, Cotangents &cotangents) const {
    return rule(cast<OpTy>(op), cotangents);
  }
};

/// Makes `rule` the forward derivative of an op that is not linear.
template <typename OpTy, LogicalResult (*rule)(OpTy, Tangents &)>
void attachJvp(MLIRContext *context) {
  OpTy::template attachInterface<JvpRule<OpTy, rule>>(*context);
}

template <typename OpTy, LogicalResult (*jvp)(OpTy, Tangents &),
          LogicalResult (*transpose)(OpTy, Cotangents &)>
void attachDerivatives(MLIRContext *context) {
  OpTy::template attachInterface<JvpRule<OpTy, jvp>,
                                 TransposeRule<OpTy, transpose>>(*context);
}

/// The op applied to the tangents of its float operands, zeros for those
/// without: for ops that are linear in all of these.
LogicalResult applyToTangents(Operation *op, Tangents &tangents);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_DERIVATIVEHELPERS_H
