//===- AffineExprs.h - Expressions as affine expressions --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From our expressions to those of affine maps. The way back is
// ShapeFacts::apply.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_AFFINEEXPRS_H
#define SYMSHAPE_IR_AFFINEEXPRS_H

#include "mlir/IR/AffineExpr.h"
#include "symshape/Expr/Expr.h"

namespace mlir::symshape {

/// `e` as an affine expression. Sums, constant factors and quotients by
/// positive constants are translated; `leaf` translates any other monomial, of
/// coefficient 1: a symbol, a product, a min. Null where `leaf` gives null or a
/// constant does not fit 64 bits.
AffineExpr toAffineExpr(Expr e, MLIRContext *context,
                        llvm::function_ref<AffineExpr(Expr monomial)> leaf);

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_AFFINEEXPRS_H
