//===- CastSources.cpp - Ops that read what casts are of ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CastSources.h.
//
//===----------------------------------------------------------------------===//

#include "CastSources.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mlir::symshape;

Value symshape::skipCast(Value value) {
  if (auto cast = value.getDefiningOp<tensor::CastOp>())
    return tensor::canFoldIntoConsumerOp(cast) ? cast.getSource() : value;
  auto cast = value.getDefiningOp<memref::CastOp>();
  return cast && isa<MemRefType>(cast.getSource().getType()) ? cast.getSource()
                                                             : value;
}

bool symshape::readsCasts(Operation *op) {
  return llvm::any_of(op->getOperands(),
                      [](Value value) { return skipCast(value) != value; });
}

OwningOpRef<Operation *>
symshape::cloneReading(Operation *op,
                       function_ref<Value(OpOperand &)> operand) {
  // Verifiers ask what its values and regions are beside.
  OwningOpRef<Operation *> copy = op->clone();
  op->getBlock()->getOperations().insert(Block::iterator(op), *copy);
  for (OpOperand &each : copy->getOpOperands())
    each.set(operand(each));
  if (auto ofInits = dyn_cast<DestinationStyleOpInterface>(*copy))
    for (OpOperand &init : ofInits.getDpsInitsMutable())
      if (isa<TensorType>(init.get().getType()))
        ofInits.getTiedOpResult(&init).setType(init.get().getType());
  return copy;
}

OwningOpRef<Operation *> symshape::cloneReadingSources(Operation *op) {
  return cloneReading(
      op, [](OpOperand &operand) { return skipCast(operand.get()); });
}

bool symshape::isValidAlone(Operation *op) {
  ScopedDiagnosticHandler silent(op->getContext(), [](Diagnostic &) {});
  return succeeded(verify(op, /*verifyRecursively=*/false));
}
