//===- ModuleCalls.cpp - Who calls whom in a module -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk collects the calls; a search depth first puts the functions in
// order.
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/ModuleCalls.h"

using namespace mlir;
using namespace mlir::symshape;

void ModuleCalls::collect(Operation *module) {
  // Others call it, and others may change what it calls at the same time.
  if (auto alone = dyn_cast<func::FuncOp>(module)) {
    usedOtherwise.insert(alone);
    return;
  }
  SymbolTableCollection tables;
  for (Region &region : module->getRegions()) {
    std::optional<SymbolTable::UseRange> uses =
        SymbolTable::getSymbolUses(&region);
    if (!uses) { // of an op that is not registered
      region.walk(
          [&](func::FuncOp function) { usedOtherwise.insert(function); });
      continue;
    }
    for (SymbolTable::SymbolUse use : *uses)
      if (!isa<func::CallOp>(use.getUser()) ||
          !use.getUser()->getParentOfType<func::FuncOp>())
        if (Operation *target = tables.lookupNearestSymbolFrom(
                use.getUser(), use.getSymbolRef()))
          usedOtherwise.insert(target);
  }
  module->walk([&](func::CallOp call) {
    auto callee = tables.lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee)
      return;
    callees[call] = callee;
    if (call->getParentOfType<func::FuncOp>())
      calls[callee].push_back(call);
  });
}

/// Without recursion, since call chains may be long.
void ModuleCalls::visit(
    func::FuncOp root,
    const DenseMap<Operation *, SmallVector<func::FuncOp>> &called) {
  if (!isOpen.try_emplace(root, true).second)
    return;
  SmallVector<std::pair<func::FuncOp, size_t>> stack{{root, 0}};
  while (!stack.empty()) {
    func::FuncOp function = stack.back().first;
    auto it = called.find(function);
    if (it == called.end() || stack.back().second == it->second.size()) {
      isOpen[function] = false;
      order.push_back(function);
      stack.pop_back();
      continue;
    }
    func::FuncOp next = it->second[stack.back().second++];
    if (isOpen.try_emplace(next, true).second) {
      stack.push_back({next, 0});
    } else if (isOpen[next]) {
      // Every function on the stack from `next` on is part of the cycle.
      bool inside = false;
      for (auto &[onStack, index] : stack)
        if ((inside |= onStack == next))
          recursive.insert(onStack);
    }
  }
}

ModuleCalls::ModuleCalls(Operation *module) {
  collect(module);
  SmallVector<func::FuncOp> functions;
  module->walk([&](func::FuncOp function) { functions.push_back(function); });
  DenseMap<Operation *, SmallVector<func::FuncOp>> called;
  for (func::FuncOp function : functions)
    function.walk([&](func::CallOp call) {
      if (func::FuncOp callee = calleeOf(call))
        called[function].push_back(callee);
    });
  for (func::FuncOp function : functions)
    visit(function, called);
  isOpen.clear();
}

ArrayRef<func::CallOp> ModuleCalls::callsOf(func::FuncOp function) const {
  auto it = calls.find(function);
  return it == calls.end() ? ArrayRef<func::CallOp>() : ArrayRef(it->second);
}

SmallVector<func::FuncOp> ModuleCalls::callersFirst() const {
  SmallVector<func::FuncOp> result;
  DenseSet<Operation *> done;
  for (func::FuncOp function : llvm::reverse(order)) {
    bool isBehindCallers =
        llvm::all_of(callsOf(function), [&](func::CallOp call) {
          return done.contains(call->getParentOfType<func::FuncOp>());
        });
    if (isRecursive(function) || !isBehindCallers)
      continue;
    done.insert(function);
    result.push_back(function);
  }
  return result;
}
