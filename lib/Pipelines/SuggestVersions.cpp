//===- SuggestVersions.cpp - Versions that run faster ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the lowering itself: compares what it does with the fact and
// without.
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/SuggestVersions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/Conversion/CPUTile.h"
#include "symshape/Pipelines/CPU.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include <set>

using namespace mlir;
using namespace mlir::symshape;

std::string SuggestedVersion::declaration() const {
  std::string number = std::to_string(divisor);
  return "#symshape.version<\"" + symbol + "_" + number + "\", [\"" + number +
         " | " + symbol + "\"]>";
}

namespace {
/// What has become of the contractions whose columns are dynamic.
struct Contractions {
  unsigned all = 0;
  unsigned whole = 0;       ///< packed in panels of three vectors, all whole
  std::set<int64_t> widths; ///< of three vectors, of those packed otherwise
};
} // namespace

static FailureOr<Contractions> countAfterLowering(ModuleOp module,
                                                  const CPUTarget &target) {
  PassManager manager(module.getContext());
  CPUPipelineOptions options;
  buildCPUPipelineBeforePlan(manager, target, options);
  if (failed(manager.run(module)))
    return failure();
  Contractions found;
  module.walk([&](ContractOp op) {
    auto type = cast<ShapedType>(op.getInit().getType());
    TileAttr tile = findTile(op);
    if (!type.isDynamicDim(type.getRank() - 1) ||
        (tile && tile.getPacking() == Packing::InPlace))
      return;
    ++found.all;
    if (!tile || !tile.isPacked())
      return; // runs in panels of two vectors, whatever divides the columns
    int64_t width = 3 * tile.getLanes();
    if (op.getColumnsDivisor().value_or(1) % width == 0)
      ++found.whole;
    else
      found.widths.insert(width);
  });
  return found;
}

/// A copy of the module without its versions.
static OwningOpRef<ModuleOp> cloneWithoutVersions(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  for (auto function : copy->getOps<func::FuncOp>())
    function->removeAttr(SymShapeDialect::kVersions);
  return copy;
}

/// The symbols of the dims of arguments: a condition may be about them.
static SmallVector<Expr> getSymbolsOfDims(FunctionShapes &shapes) {
  llvm::SetVector<Expr> symbols;
  for (BlockArgument argument : shapes.function().getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    for (int64_t d = 0, rank = type ? type.getRank() : 0; d < rank; ++d) {
      symbols.insert_range(shapes.dim(argument, d).symbols());
    }
  }
  return symbols.takeVector();
}

/// Whether the version would serve some calls, and not all.
static bool isChoice(FunctionShapes &shapes, const Relation &condition) {
  ConstraintSet &facts = shapes.entryFacts();
  return facts.prove(condition).verdict == Verdict::Unknown;
}

/// What becomes of the contractions if `condition` is assumed of a function.
static FailureOr<Contractions>
countUnder(ModuleOp module, func::FuncOp function, const Relation &condition,
           ArrayRef<UnnamedDim> unnamed, const CPUTarget &target) {
  OwningOpRef<ModuleOp> copy = module.clone();
  auto same = copy->lookupSymbol<func::FuncOp>(function.getName());
  for (const UnnamedDim &dim : unnamed)
    setDeclaredExtent(same.getArgument(dim.argument.getArgNumber()), dim.dim,
                      dim.name.str());
  addAssumptions(same, FactAttr::get(module.getContext(), condition.str()));
  return countAfterLowering(*copy, target);
}

FailureOr<std::vector<SuggestedVersion>>
mlir::symshape::suggestVersions(ModuleOp module, const CPUTarget &target) {
  OwningOpRef<ModuleOp> plain = cloneWithoutVersions(module);
  ShapeAnalysis analysis(*plain);
  OwningOpRef<ModuleOp> copy = plain->clone();
  FailureOr<Contractions> before = countAfterLowering(*copy, target);
  if (failed(before))
    return failure();
  // For columns `2*K`, it is enough that half of a width divides K.
  std::set<int64_t> divisors;
  for (int64_t width : before->widths)
    for (int64_t part : {4, 2, 1})
      divisors.insert(width / part);
  std::vector<SuggestedVersion> suggested;
  for (auto function : plain->getOps<func::FuncOp>()) {
    FunctionShapes *shapes = analysis.lookup(function);
    if (!shapes || !function.isPublic())
      continue;
    for (Expr symbol : getSymbolsOfDims(*shapes)) {
      if (!shapes->isNamed(symbol))
        continue; // of a dim that has a bound but no name
      SmallVector<UnnamedDim> unnamed = findUnnamed(*shapes, symbol);
      unsigned most = before->whole;
      for (int64_t divisor : divisors) {
        Relation condition =
            Relation::divides(shapes->arena().constant(divisor), symbol);
        if (!isChoice(*shapes, condition))
          continue;
        FailureOr<Contractions> after =
            countUnder(*plain, function, condition, unnamed, target);
        if (failed(after))
          return failure();
        if (after->whole <= most)
          continue;
        suggested.push_back({function.getName().str(), symbol.asSymbol()->str(),
                             describeNaming(*shapes, unnamed), divisor,
                             after->whole - before->whole, after->all});
        most = after->whole;
      }
    }
  }
  return suggested;
}
