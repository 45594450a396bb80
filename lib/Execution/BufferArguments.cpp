//===- BufferArguments.cpp - Buffers that programs read -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the uses of a buffer, through views and calls.
//
//===----------------------------------------------------------------------===//

#include "BufferArguments.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "symshape/Execution/ArgumentNames.h"
#include "symshape/Execution/Status.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// The buffers over the memory of an argument.
class ReadOnlyCheck {
public:
  explicit ReadOnlyCheck(Value argument) { buffers.insert(argument); }
  /// The first op that might do more than read; null if there is none.
  Operation *findOther();

private:
  bool onlyReads(OpOperand &use);
  bool addParameter(func::CallOp call, unsigned number);

  llvm::SetVector<Value> buffers;
};
} // namespace

/// Whether the callee is known; what it does with the parameter is looked at
/// later.
bool ReadOnlyCheck::addParameter(func::CallOp call, unsigned number) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (!callee || callee.isExternal() ||
      llvm::any_of(call.getResultTypes(), llvm::IsaPred<BaseMemRefType>))
    return false;
  buffers.insert(callee.getArgument(number));
  return true;
}

bool ReadOnlyCheck::onlyReads(OpOperand &use) {
  Operation *op = use.getOwner();
  // What is written of such a tensor is copied before, unless it is `writable`.
  if (auto tensor = dyn_cast<bufferization::ToTensorOp>(op))
    return !tensor.getWritable();
  if (auto call = dyn_cast<func::CallOp>(op))
    return addParameter(call, use.getOperandNumber());
  if (isa<memref::ExtractAlignedPointerAsIndexOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions() > 0) {
    // A region of a structured op does not see its buffers.
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects || op->hasTrait<OpTrait::IsTerminator>() ||
        isa<memref::ExtractAlignedPointerAsIndexOp>(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return false;
  }
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  for (const MemoryEffects::EffectInstance &effect : all) {
    bool isOther = effect.getValue() && effect.getValue() != use.get();
    if (!isOther && !isa<MemoryEffects::Read>(effect.getEffect()))
      return false;
  }
  for (Value result : op->getResults())
    if (isa<BaseMemRefType>(result.getType()))
      buffers.insert(result);
  return true;
}

Operation *ReadOnlyCheck::findOther() {
  for (size_t i = 0; i < buffers.size(); ++i)
    for (OpOperand &use : buffers[i].getUses())
      if (!onlyReads(use))
        return use.getOwner();
  return nullptr;
}

llvm::Error mlir::symshape::checkBufferArguments(func::FuncOp entry) {
  for (BlockArgument argument : entry.getArguments()) {
    if (!isa<BaseMemRefType>(argument.getType()))
      continue;
    if (Operation *op = ReadOnlyCheck(argument).findOther())
      return makeRunError(
          RunStatus::CannotCompile,
          "@" + entry.getName() + ": expected the buffer " +
              getArgumentName(entry, argument.getArgNumber()) +
              " to be only read, but '" + op->getName().getStringRef() +
              "' may write to it or keep it: return what is computed instead");
  }
  return llvm::Error::success();
}
