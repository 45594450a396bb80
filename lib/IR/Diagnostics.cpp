//===- Diagnostics.cpp - Errors with their triple -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "symshape/IR/Places.h"

using namespace mlir;
using namespace mlir::symshape;

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

LogicalResult symshape::emitMissingRule(Operation *op, const Twine &expected,
                                        const Twine &advice) {
  InFlightDiagnostic diag = mlir::emitError(findPlaced(op)->getLoc())
                            << "'" << op->getName() << "' op expected "
                            << expected << ", but there is none";
  if (auto func = op->getParentOfType<FunctionOpInterface>())
    diag.attachNote(func.getLoc())
        << "a derivative of this function was asked for";
  diag.attachNote() << advice;
  diag.attachNote() << makeTriple(primitiveName(op), "rule", "missing");
  return diag;
}

LogicalResult symshape::emitMissingRule(Operation *op) {
  return emitMissingRule(
      op, "a derivative rule on a path that is differentiated",
      "implement JvpOpInterface and LinearTransposeOpInterface for it, or take "
      "it off the path, for example by wrt");
}
