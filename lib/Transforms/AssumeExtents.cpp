//===- AssumeExtents.cpp - Extents that every call has --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/AssumeExtents.h"
#include "ArgumentDims.h"
#include "CloneFunction.h"

#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include "symshape/Transforms/Passes.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_ASSUMEEXTENTSPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

void mlir::symshape::assumeExtents(FunctionShapes &shapes,
                                   ArrayRef<int64_t> extents) {
  func::FuncOp function = shapes.function();
  ConstraintSet &known = shapes.entryFacts();
  SmallVector<FactAttr> facts;
  bool isPossible = true;
  nameArgumentDims(shapes);
  known.push();
  for (auto [dim, extent] :
       llvm::zip_equal(getArgumentDims(function), extents)) {
    if (extent < 0)
      continue;
    Relation fact = Relation::eq(shapes.dim(dim.argument, dim.dim),
                                 shapes.arena().constant(extent));
    isPossible &= !known.prove(fact).isNo();
    known.assume(fact);
    if (shapes.isNamed(fact.lhs))
      facts.push_back(FactAttr::get(function.getContext(), fact.str()));
  }
  isPossible &= !known.isContradictory();
  known.pop();
  if (isPossible)
    addAssumptions(function, facts);
}

namespace {
struct AssumeExtentsPass
    : symshape::impl::AssumeExtentsPassBase<AssumeExtentsPass> {
  using AssumeExtentsPassBase::AssumeExtentsPassBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

private:
  LogicalResult run() {
    if (extents.empty()) {
      markAllAnalysesPreserved();
      return success();
    }
    ModuleOp module = getOperation();
    auto op = module.lookupSymbol<func::FuncOp>(function);
    // A call from inside of the module may have other extents. One that cannot
    // be told apart keeps them all open.
    if (op && !op.isExternal() && failed(separateInnerCalls(op)))
      return success();
    ShapeAnalysis analysis(module);
    FunctionShapes *shapes = op ? analysis.lookup(op) : nullptr;
    if (!shapes)
      return module.emitError()
             << "expected a function with a body, but got '" << function << "'";
    size_t numDims = getArgumentDims(op).size();
    if (extents.size() != numDims)
      return op.emitError() << "expected " << numDims
                            << " extents, one per dynamic dim of an argument, "
                               "but got "
                            << extents.size();
    assumeExtents(*shapes, extents);
    return success();
  }
};
} // namespace
