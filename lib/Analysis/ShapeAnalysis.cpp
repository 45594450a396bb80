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
#include "Internal.h"

#include "symshape/Analysis/ModuleCalls.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Process/Progress.h"

using namespace mlir;
using namespace mlir::symshape;

struct ShapeAnalysis::Impl {
  ExprArena arena;
  llvm::MapVector<Operation *, std::unique_ptr<FunctionShapes>> functions;
};

/// Warns if a tool has forgotten to register the rules of MLIR's ops: without
/// them nearly every extent is unknown, for no visible reason.
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
  if (Progress *progress = Progress::current()) {
    uint64_t count = 0;
    module->walk([&](Operation *) { ++count; });
    progress->expect(count, "ops");
  }
  ModuleCalls calls(module);
  for (func::FuncOp func : calls.calleesFirst()) {
    if (func.isDeclaration())
      continue;
    auto shapes = std::make_unique<FunctionShapes>(func, impl->arena, options);
    shapes->setCallersTakeOver(calls.areKnown(func) &&
                               !calls.isRecursive(func));
    shapes->run([&](Operation *call) -> Callee {
      func::FuncOp callee = calls.calleeOf(cast<func::CallOp>(call));
      auto it = impl->functions.find(callee);
      bool known =
          callee && it != impl->functions.end() && !calls.isRecursive(callee);
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
