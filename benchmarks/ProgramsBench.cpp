//===- ProgramsBench.cpp - The analysis next to upstream's ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Benchmarks.h"

#include "benchmark/benchmark.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Parser/Parser.h"
#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/IR/SymShape.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::symshape;
using Bounds = ValueBoundsConstraintSet;

static MLIRContext &context() {
  static MLIRContext *made = [] {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    registry.insert<SymShapeDialect>();
    registerShapeFactsExternalModels(registry);
    auto *context = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    return context;
  }();
  return *made;
}

/// The dims that tensor.pad makes.
static SmallVector<std::pair<Value, int64_t>> madeDims(ModuleOp module) {
  SmallVector<std::pair<Value, int64_t>> dims;
  module.walk([&](tensor::PadOp pad) {
    for (int64_t d = 0; d < pad.getResultType().getRank(); ++d)
      dims.push_back({pad.getResult(), d});
  });
  return dims;
}

/// How many questions were answered: asserts proved, or dims that are exact.
static unsigned askOurs(ModuleOp module) {
  ShapeAnalysis analysis(module);
  unsigned answered = 0;
  auto function = *module.getOps<func::FuncOp>().begin();
  FunctionShapes &shapes = *analysis.lookup(function);
  bool hasAsserts = false;
  for (const Requirement &requirement : shapes.requirements())
    if (requirement.isUserAssert) {
      hasAsserts = true;
      answered += requirement.answer.isYes();
    }
  if (!hasAsserts)
    for (auto [value, dim] : madeDims(module))
      answered += shapes.extent(value, dim).kind == Extent::Exact;
  return answered;
}

static unsigned askUpstream(ModuleOp module) {
  unsigned answered = 0;
  bool hasAsserts = false;
  module.walk([&](AssertOp op) {
    hasAsserts = true;
    auto comparison = op.getRelation().contains("==")
                          ? Bounds::ComparisonOperator::EQ
                          : Bounds::ComparisonOperator::LE;
    answered +=
        Bounds::compare(op.getOperands()[0], comparison, op.getOperands()[1]);
  });
  if (hasAsserts)
    return answered;
  for (auto [value, dim] : madeDims(module)) {
    AffineMap map;
    ValueDimList operands;
    answered += succeeded(Bounds::computeBound(
        map, operands, presburger::BoundType::EQ, {value, dim},
        [](Value v, std::optional<int64_t>, Bounds &) {
          return isa<BlockArgument>(v);
        }));
  }
  return answered;
}

void mlir::symshape::registerProgram(StringRef path, bool withUpstream) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, &context());
  if (!module)
    exit(1);
  auto add = [&](StringRef engine, unsigned (*ask)(ModuleOp)) {
    benchmark::RegisterBenchmark(
        (llvm::sys::path::stem(path) + "/" + engine).str().c_str(),
        [ask, module = module.get()](benchmark::State &state) {
          unsigned answered = 0;
          for (auto _ : state)
            answered = ask(module);
          state.counters["answered"] = answered;
        })
        ->Unit(benchmark::kMillisecond);
  };
  add("symshape", askOurs);
  if (withUpstream)
    add("upstream", askUpstream);
  module.release(); // as long as the process
}
