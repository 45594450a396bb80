//===- CloneFunction.cpp - Copies of functions, and unique names ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CloneFunction.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "symshape/Analysis/ModuleCalls.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::symshape;

std::string mlir::symshape::getUniqueName(func::FuncOp function,
                                          const Twine &name) {
  Operation *table = function->getParentOp();
  auto isTaken = [&](StringRef name) {
    return SymbolTable::lookupSymbolIn(table, name) != nullptr;
  };
  std::string wanted = name.str();
  unsigned counter = 0;
  return isTaken(wanted)
             ? SymbolTable::generateSymbolName<32>(wanted, isTaken, counter)
                   .str()
                   .str()
             : wanted;
}

func::FuncOp mlir::symshape::cloneFunction(func::FuncOp function,
                                           const Twine &name,
                                           Operation *place) {
  OpBuilder builder(function.getContext());
  std::string unique = getUniqueName(function, name);
  builder.setInsertionPointAfter(place);
  auto copy = cast<func::FuncOp>(builder.clone(*function));
  copy.setName(unique);
  copy.setPrivate();
  if (!copy->hasAttr(SymShapeDialect::kName))
    copy->setAttr(SymShapeDialect::kName,
                  builder.getStringAttr(function.getName()));
  copy->removeAttr(SymShapeDialect::kVersions);
  for (StringRef name : {kGuardFunction, kVersionFunction, kPrepareFunction})
    copy->removeAttr(name);
  copy->removeAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName());
  for (unsigned i = 0, e = copy.getNumArguments(); i < e; ++i)
    copy.removeArgAttr(i, SymShapeDialect::kWeight);
  return copy;
}

LogicalResult mlir::symshape::separateInnerCalls(func::FuncOp function) {
  Operation *table = function->getParentOp();
  std::optional<SymbolTable::UseRange> uses = function.getSymbolUses(table);
  if (!uses || uses->empty())
    return success(uses.has_value());
  func::FuncOp copy = cloneFunction(function, function.getName(), function);
  return SymbolTable::replaceAllSymbolUses(function, copy.getSymNameAttr(),
                                           table);
}

/// The functions that `function` calls, directly or through others.
static llvm::SetVector<func::FuncOp> findReached(func::FuncOp function) {
  ModuleCalls calls(function->getParentOp());
  llvm::SetVector<func::FuncOp> reached;
  SmallVector<func::FuncOp> work{function};
  while (!work.empty())
    work.pop_back_val().walk([&](func::CallOp call) {
      if (func::FuncOp callee = calls.calleeOf(call))
        if (reached.insert(callee))
          work.push_back(callee);
    });
  return reached;
}

void mlir::symshape::separateRecursion(func::FuncOp function) {
  llvm::SetVector<func::FuncOp> reached = findReached(function);
  if (!reached.contains(function))
    return;
  func::FuncOp copy = cloneFunction(function, function.getName(), function);
  reached.insert(copy);
  for (func::FuncOp caller : reached)
    caller.walk([&](func::CallOp call) {
      if (call.getCallee() == function.getName())
        call.setCallee(copy.getName());
    });
}
