//===- ShapeAnalysis.cpp - The analysis of a module -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Callees before callers, each function once.
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/ShapeAnalysis.h"
#include "FunctionShapesImpl.h"

#include "mlir/IR/SymbolTable.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

struct ShapeAnalysis::Impl {
  ExprArena arena;
  llvm::MapVector<Operation *, std::unique_ptr<FunctionShapesImpl>> functions;
};

namespace {
/// Callees before callers; functions of a recursion in the order of the module,
/// and known as such.
struct CallOrder {
  SmallVector<func::FuncOp> functions;
  llvm::DenseSet<Operation *> recursive;
};
} // namespace

static func::FuncOp calleeOf(SymbolTableCollection &tables, Operation *call) {
  return tables.lookupNearestSymbolFrom<func::FuncOp>(
      call, cast<func::CallOp>(call).getCalleeAttr());
}

/// Depth first without recursion, since call chains may be long.
static CallOrder orderOf(Operation *module, SymbolTableCollection &tables) {
  CallOrder order;
  enum State { Unseen, Open, Done };
  DenseMap<Operation *, State> states;
  DenseMap<Operation *, SmallVector<func::FuncOp>> callees;
  module->walk([&](func::FuncOp func) {
    SmallVector<func::FuncOp> &list = callees[func];
    func.walk([&](func::CallOp call) {
      if (func::FuncOp callee = calleeOf(tables, call))
        list.push_back(callee);
    });
  });
  auto visit = [&](func::FuncOp root) {
    SmallVector<std::pair<func::FuncOp, size_t>> stack{{root, 0}};
    states[root] = Open;
    while (!stack.empty()) {
      func::FuncOp func = stack.back().first;
      ArrayRef<func::FuncOp> list = callees[func];
      if (stack.back().second == list.size()) {
        states[func] = Done;
        order.functions.push_back(func);
        stack.pop_back();
        continue;
      }
      func::FuncOp next = list[stack.back().second++];
      if (states[next] == Open) {
        // Every function on the stack from `next` on is part of the cycle.
        bool inside = false;
        for (auto &[onStack, index] : stack)
          if ((inside |= onStack == next))
            order.recursive.insert(onStack);
      } else if (states[next] == Unseen) {
        states[next] = Open;
        stack.push_back({next, 0});
      }
    }
  };
  module->walk([&](func::FuncOp func) {
    if (states[func] == Unseen)
      visit(func);
  });
  return order;
}

/// The functions that something other than a call in an analysed function
/// refers to.
static llvm::DenseSet<Operation *> addressTaken(Operation *module,
                                                SymbolTableCollection &tables) {
  llvm::DenseSet<Operation *> taken;
  std::optional<SymbolTable::UseRange> uses;
  for (Region &region : module->getRegions()) {
    uses = SymbolTable::getSymbolUses(&region);
    if (!uses) { // of an op that is not registered
      region.walk([&](func::FuncOp function) { taken.insert(function); });
      continue;
    }
    for (SymbolTable::SymbolUse use : *uses)
      if (!isa<func::CallOp>(use.getUser()) ||
          !use.getUser()->getParentOfType<func::FuncOp>())
        if (Operation *target = tables.lookupNearestSymbolFrom(
                use.getUser(), use.getSymbolRef()))
          taken.insert(target);
  }
  return taken;
}

/// Says so where a tool has forgotten to register the rules of MLIR's ops:
/// without them nearly every extent is unknown, for no visible reason.
static void warnWithoutRules(Operation *module) {
  for (StringRef name : {"arith.addi", "tensor.empty", "linalg.fill"}) {
    auto op = RegisteredOperationName::lookup(name, module->getContext());
    if (!op || op->hasInterface<ShapeFactsOpInterface>())
      continue;
    module->emitWarning()
        << "'" << name << "' op has no rule for shapes: expected "
        << "registerShapeFactsExternalModels on the registry of dialects";
    return;
  }
}

ShapeAnalysis::ShapeAnalysis(Operation *module,
                             const ShapeAnalysisOptions &options)
    : impl(std::make_unique<Impl>()) {
  warnWithoutRules(module);
  SymbolTableCollection tables;
  CallOrder order = orderOf(module, tables);
  llvm::DenseSet<Operation *> taken = addressTaken(module, tables);
  for (func::FuncOp func : order.functions) {
    if (func.isDeclaration())
      continue;
    auto shapes =
        std::make_unique<FunctionShapesImpl>(func, impl->arena, options);
    shapes->setCallersTakeOver(func.isPrivate() && !taken.contains(func) &&
                               !order.recursive.contains(func));
    shapes->run([&](Operation *call) -> Callee {
      func::FuncOp callee = calleeOf(tables, call);
      auto it = impl->functions.find(callee);
      bool known = callee && it != impl->functions.end() &&
                   !order.recursive.contains(callee);
      return {callee, known ? it->second.get() : nullptr};
    });
    impl->functions[func] = std::move(shapes);
  }
}

ShapeAnalysis::~ShapeAnalysis() = default;

FunctionShapes *ShapeAnalysis::lookup(func::FuncOp function) const {
  auto it = impl->functions.find(function);
  return it == impl->functions.end() ? nullptr : it->second.get();
}

FunctionShapes *ShapeAnalysis::lookup(Operation *opInFunction) const {
  auto func = dyn_cast<func::FuncOp>(opInFunction);
  return lookup(func ? func : opInFunction->getParentOfType<func::FuncOp>());
}

ExprArena &ShapeAnalysis::arena() const { return impl->arena; }
