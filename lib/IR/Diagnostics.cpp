//===- Diagnostics.cpp - Errors with their triple -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

StringRef symshape::primitiveName(Operation *op) {
  return isa_and_nonnull<SymShapeDialect>(op->getDialect())
             ? op->getName().stripDialect()
             : op->getName().getStringRef();
}

std::string symshape::makeTriple(StringRef primitive, const Twine &field,
                                 const Twine &observed) {
  return ("{primitive = " + primitive + ", field = " + field +
          ", observed = " + observed + "}")
      .str();
}

LogicalResult symshape::emitFieldError(Operation *op, const Twine &field,
                                       const Twine &expected,
                                       const Twine &observed) {
  InFlightDiagnostic diag = op->emitOpError("expected field '")
                            << field << "' " << expected << ", but got "
                            << observed;
  diag.attachNote() << makeTriple(primitiveName(op), field, observed);
  return diag;
}
