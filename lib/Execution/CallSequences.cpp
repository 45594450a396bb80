//===- CallSequences.cpp - Code that calls what computes ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CallSequences.h.
//
//===----------------------------------------------------------------------===//

#include "CallSequences.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace mlir::symshape;

/// Shorter ones take little time, and calls of small programs some of theirs.
static constexpr unsigned leastInstructions = 2000;
/// Longer ones would need half a megabyte of stack: their values share no
/// slots.
static constexpr unsigned mostInstructions = 100000;

static bool hasLoops(const llvm::Function &function) {
  llvm::SmallVector<
      std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>>
      edges;
  llvm::FindFunctionBackedges(function, edges);
  return !edges.empty();
}

/// What `call` alone calls; null if there is no such function.
static llvm::Function *getOwnCallee(const llvm::CallBase &call) {
  llvm::Function *callee = call.getCalledFunction();
  return callee && callee->hasLocalLinkage() && callee->hasOneUse() ? callee
                                                                    : nullptr;
}

void mlir::symshape::leaveAsItIs(llvm::Function &function) {
  function.removeFnAttr(llvm::Attribute::AlwaysInline);
  function.addFnAttr(llvm::Attribute::NoInline);
  function.addFnAttr(llvm::Attribute::OptimizeNone);
}

void mlir::symshape::leaveCallSequences(llvm::Module &module,
                                        const llvm::StringSet<> &exports) {
  llvm::SmallSetVector<llvm::Function *, 8> runOnce;
  for (const auto &name : exports)
    if (llvm::Function *function = module.getFunction(name.getKey()))
      runOnce.insert(function);
  for (size_t i = 0; i < runOnce.size(); ++i) {
    llvm::Function &function = *runOnce[i];
    if (function.isDeclaration() || hasLoops(function))
      continue;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (llvm::Function *callee = getOwnCallee(*call))
          runOnce.insert(callee);
    unsigned length = function.getInstructionCount();
    if (length < leastInstructions || length > mostInstructions)
      continue;
    leaveAsItIs(function);
  }
}
