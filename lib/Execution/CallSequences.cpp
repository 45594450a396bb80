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
#include "llvm/ADT/SmallPtrSet.h"
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

/// Whether `function` calls one of those: what it does itself is then little of
/// a call.
static bool callsOneOf(const llvm::Function &function,
                       const llvm::SmallPtrSetImpl<llvm::Function *> &those) {
  return llvm::any_of(those, [&](llvm::Function *one) {
    return llvm::any_of(one->users(), [&](const llvm::User *user) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(user);
      return call && call->getFunction() == &function;
    });
  });
}

void mlir::symshape::leaveAsItIs(llvm::Function &function) {
  function.removeFnAttr(llvm::Attribute::AlwaysInline);
  function.addFnAttr(llvm::Attribute::NoInline);
  function.addFnAttr(llvm::Attribute::OptimizeNone);
}

void mlir::symshape::leaveCallSequences(llvm::Module &module,
                                        const llvm::StringSet<> &exports) {
  llvm::SmallSetVector<llvm::Function *, 8> callers;
  for (const auto &name : exports)
    if (llvm::Function *function = module.getFunction(name.getKey()))
      callers.insert(function);
  llvm::SmallVector<llvm::Function *> sequences; // callers before callees
  for (size_t i = 0; i < callers.size(); ++i) {
    llvm::Function &function = *callers[i];
    if (function.isDeclaration() || hasLoops(function))
      continue;
    sequences.push_back(&function);
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (llvm::Function *callee = getOwnCallee(*call))
          callers.insert(callee);
  }
  llvm::SmallPtrSet<llvm::Function *, 8> left;
  for (llvm::Function *function : llvm::reverse(sequences)) {
    unsigned length = function->getInstructionCount();
    bool isLong = length >= leastInstructions ||
                  function->hasFnAttribute(runsOnceAttribute) ||
                  callsOneOf(*function, left);
    if (!isLong || length > mostInstructions)
      continue;
    leaveAsItIs(*function);
    left.insert(function);
  }
}
