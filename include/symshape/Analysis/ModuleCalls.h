//===- ModuleCalls.h - Who calls whom in a module ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of a module by func.call, the order of its functions, and what is
// known of all calls of one. For: whatever goes from callers to callees or
// back. Not for: calls through pointers, which make a function one of unknown
// callers.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_ANALYSIS_MODULECALLS_H
#define SYMSHAPE_ANALYSIS_MODULECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::symshape {

/// The calls as they were when this was made. Of a single function nothing is
/// known: neither its callers, nor those that it calls. Cost: a walk over the
/// module.
class ModuleCalls {
public:
  explicit ModuleCalls(Operation *module);

  /// Each function, after those that it calls; the functions of a recursion in
  /// some order.
  ArrayRef<func::FuncOp> calleesFirst() const { return order; }
  /// Each function, after all that call it; without the functions of a
  /// recursion and those that they call.
  SmallVector<func::FuncOp> callersFirst() const;
  /// Whether the function calls itself, directly or through others. Known for
  /// at least two neighbours on each cycle of calls, or its only function.
  bool isRecursive(func::FuncOp function) const {
    return recursive.contains(function);
  }
  /// Whether the module uses the function in no way but `callsOf`.
  bool isOnlyCalled(func::FuncOp function) const {
    return !usedOtherwise.contains(function);
  }
  /// Whether nobody but `callsOf` can run the body that `function` has.
  bool areKnown(func::FuncOp function) const {
    return function.isPrivate() && !function.isExternal() &&
           isOnlyCalled(function);
  }
  /// The calls of the function in functions of the module, in their order.
  ArrayRef<func::CallOp> callsOf(func::FuncOp function) const;
  /// Null if it is not in the module.
  func::FuncOp calleeOf(func::CallOp call) const {
    return callees.lookup(call);
  }

private:
  void collect(Operation *module);
  void visit(func::FuncOp root,
             const DenseMap<Operation *, SmallVector<func::FuncOp>> &called);

  SmallVector<func::FuncOp> order;
  DenseSet<Operation *> recursive, usedOtherwise;
  DenseMap<Operation *, SmallVector<func::CallOp>> calls;
  DenseMap<Operation *, func::FuncOp> callees;
  /// While functions are put in order: true while callees are visited.
  DenseMap<Operation *, bool> isOpen;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_ANALYSIS_MODULECALLS_H
