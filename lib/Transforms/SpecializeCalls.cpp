//===- SpecializeCalls.cpp - Functions for the types of calls -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/SpecializeCalls.h"
#include "StaticTypes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "symshape/Transforms/InferShapes.h"
#include "symshape/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_SPECIALIZECALLSPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Carries types across the calls of a module once.
class TypeCarrier {
public:
  explicit TypeCarrier(ModuleOp module) : module(module), table(module) {}

  /// Whether anything changed; then there may be more to do.
  bool run();

private:
  void collectCalls();
  bool isOpen(func::FuncOp function) const { return !calls.count(function); }
  void addCallsIn(func::FuncOp clone);
  void removeRecursive();
  bool carryArguments(func::FuncOp function);
  bool carryResults(func::FuncOp function);

  ModuleOp module;
  SymbolTable table;
  /// The private functions whose every use is a call, and these calls.
  llvm::MapVector<func::FuncOp, SmallVector<func::CallOp>> calls;
};
} // namespace

void TypeCarrier::collectCalls() {
  SymbolTableCollection tables;
  SymbolUserMap users(tables, module);
  for (auto function : module.getOps<func::FuncOp>()) {
    ArrayRef<Operation *> uses = users.getUsers(function);
    if (!function.isPrivate() || function.isExternal() || uses.empty() ||
        !llvm::all_of(uses, llvm::IsaPred<func::CallOp>))
      continue;
    for (Operation *use : uses)
      calls[function].push_back(cast<func::CallOp>(use));
  }
}

/// Leaves out the functions on cycles of calls, which could need types without
/// end, and those that only they call.
void TypeCarrier::removeRecursive() {
  DenseMap<Operation *, unsigned> pending;
  SmallVector<func::FuncOp> ready;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto sites = calls.find(function);
    pending[function] = sites == calls.end() ? 0 : sites->second.size();
    if (pending[function] == 0)
      ready.push_back(function);
  }
  while (!ready.empty())
    ready.pop_back_val().walk([&](func::CallOp call) {
      auto callee = table.lookup<func::FuncOp>(call.getCallee());
      if (callee && !isOpen(callee) && --pending[callee] == 0)
        ready.push_back(callee);
    });
  calls.remove_if(
      [&](auto &entry) { return pending.lookup(entry.first) != 0; });
}

void TypeCarrier::addCallsIn(func::FuncOp clone) {
  clone.walk([&](func::CallOp call) {
    auto callee = table.lookup<func::FuncOp>(call.getCallee());
    if (auto sites = calls.find(callee); sites != calls.end())
      sites->second.push_back(call);
  });
}

/// The types that `call` passes, as far as the function has tensors of that
/// rank.
static SmallVector<Type> getPassedTypes(func::FuncOp function,
                                        func::CallOp call) {
  SmallVector<Type> types;
  for (auto [type, operand] :
       llvm::zip_equal(function.getArgumentTypes(), call.getOperands())) {
    auto declared = dyn_cast<RankedTensorType>(type);
    auto passed = dyn_cast<RankedTensorType>(getStaticType(operand));
    ShapedType merged =
        declared && passed ? mergeStatic(declared, passed) : nullptr;
    types.push_back(merged ? Type(merged) : type);
  }
  return types;
}

bool TypeCarrier::carryArguments(func::FuncOp function) {
  llvm::MapVector<FunctionType, SmallVector<func::CallOp>> groups;
  for (func::CallOp call : calls[function])
    groups[FunctionType::get(function.getContext(),
                             getPassedTypes(function, call),
                             function.getResultTypes())]
        .push_back(call);
  FunctionType old = function.getFunctionType();
  if (groups.size() == 1 && groups.front().first == old)
    return false;
  // The function itself serves the calls that pass nothing new, or else the
  // first types.
  FunctionType kept = groups.count(old) ? old : groups.front().first;
  for (auto &[type, sites] : groups) {
    if (type == old)
      continue;
    func::FuncOp target = function;
    if (type != kept) {
      target = function.clone();
      table.insert(target, std::next(function->getIterator()));
      addCallsIn(target);
    }
    retypeArguments(target, type.getInputs());
    for (func::CallOp call : sites)
      retypeCall(call, target);
  }
  return true;
}

bool TypeCarrier::carryResults(func::FuncOp function) {
  SmallVector<Type> types = getReturnedTypes(function);
  if (TypeRange(types) == function.getResultTypes())
    return false;
  retypeResults(function, types);
  for (func::CallOp call : calls[function])
    retypeCall(call, function);
  return true;
}

bool TypeCarrier::run() {
  collectCalls();
  removeRecursive();
  bool changed = false;
  for (auto &entry : calls)
    changed |= carryArguments(entry.first);
  for (auto &entry : calls)
    changed |= carryResults(entry.first);
  return changed;
}

LogicalResult mlir::symshape::specializeCalls(ModuleOp module) {
  bool changed = true;
  while (changed) {
    if (failed(inferShapes(module)))
      return failure();
    changed = false;
    while (TypeCarrier(module).run())
      changed = true;
  }
  return success();
}

namespace {
struct SpecializeCallsPass
    : symshape::impl::SpecializeCallsPassBase<SpecializeCallsPass> {
  void runOnOperation() override {
    if (failed(specializeCalls(getOperation())))
      signalPassFailure();
  }
};
} // namespace
