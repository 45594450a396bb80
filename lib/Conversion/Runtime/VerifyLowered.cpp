//===- VerifyLowered.cpp - Names what could not be lowered ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The end of a pipeline to LLVM: an error at what is left over, instead of a
// failure of the translation. Not for: the casts that conversions leave, which
// only follow from an op that is named here.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "symshape/IR/Places.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_VERIFYLOWEREDPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The first op in `scope` that is not of the LLVM dialect, a cast only if
/// there is nothing else.
static Operation *findForeign(Operation &scope) {
  Operation *cast = nullptr;
  Operation *foreign = nullptr;
  scope.walk([&](Operation *op) {
    if (isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
      return WalkResult::advance();
    if (isa<UnrealizedConversionCastOp>(op)) {
      cast = cast ? cast : op;
      return WalkResult::advance();
    }
    foreign = op;
    return WalkResult::interrupt();
  });
  return foreign ? foreign : cast;
}

/// Floats of 8 bits and less, for which LLVM has no instructions: the element
/// type of an operand or result; null if there is none.
static Type findSmallFloat(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types)
    if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
        element && element.getWidth() < 16)
      return element;
  return Type();
}

namespace {
struct VerifyLoweredPass
    : symshape::impl::VerifyLoweredPassBase<VerifyLoweredPass> {
  void runOnOperation() override {
    bool isLowered = true;
    for (Operation &op : *getOperation().getBody()) {
      Operation *foreign = findForeign(op);
      if (!foreign)
        continue;
      InFlightDiagnostic error = findPlaced(foreign)->emitError();
      error << "expected an op that symshape can lower, but got '"
            << foreign->getName() << "'";
      if (Type small = findSmallFloat(foreign))
        error << " of " << small;
      isLowered = false;
    }
    if (!isLowered || failed(verify(getOperation())))
      signalPassFailure();
  }
};
} // namespace
