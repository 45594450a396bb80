//===- ExprPrinter.h - A part of an expression's text -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For messages, which need not hold all of an expression. Not for: what is read
// back (Expr::str).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXPR_EXPRPRINTER_H
#define SYMSHAPE_EXPR_EXPRPRINTER_H

#include "symshape/Expr/Expr.h"

namespace mlir::symshape {

/// Prints `most` numbers and factors of `e`, then `...`, which no parser reads.
void printShortened(Expr e, llvm::raw_ostream &os, unsigned most);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXPR_EXPRPRINTER_H
