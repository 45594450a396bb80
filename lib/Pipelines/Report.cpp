//===- Report.cpp - What is known of a program ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two analyses: of the program as it is written, for symbols and guards, and of
// what becomes of it before memory is planned. Extents of the latter are named
// as the former names them for the same arguments.
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/Report.h"
#include "KernelReport.h"
#include "LoweredNames.h"
#include "ReportGraph.h"
#include "ShapeReport.h"
#include "WideValues.h"

#include "mlir/Pass/PassManager.h"
#include "symshape/IR/Places.h"
#include "symshape/Pipelines/BriefReport.h"
#include "symshape/Pipelines/CPU.h"
#include "symshape/Pipelines/NVVM.h"
#include "symshape/Pipelines/Passes.h"
#include "symshape/Transforms/InsertGuards.h"
#include "symshape/Transforms/KeepReached.h"
#include "symshape/Transforms/MemoryPlan.h"
#include "symshape/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::symshape;
namespace json = llvm::json;

namespace {
/// Memory of the functions of a lowered module.
class MemoryReporter {
public:
  /// The checks of a lowered module are in place.
  MemoryReporter(ModuleOp lowered, const SymbolValues64 &values)
      : analysis(lowered, ShapeAnalysisOptions::forExtents()),
        plans(lowered, analysis), lowered(lowered), values(values) {}
  /// The field `memory`; with a graph of `source`, sizes are in `table` as
  /// well.
  json::Object report(FunctionShapes &source, ReportGraph *graph,
                      ExprTable &table);

private:
  std::optional<llvm::DynamicAPInt> valueOf(FunctionShapes &source,
                                            FunctionShapes &shapes, Expr e);

  ShapeAnalysis analysis;
  ModuleMemoryPlan plans;
  ModuleOp lowered;
  const SymbolValues64 &values;
};
} // namespace

std::optional<llvm::DynamicAPInt>
MemoryReporter::valueOf(FunctionShapes &source, FunctionShapes &shapes,
                        Expr e) {
  auto given = [&](Expr symbol) -> std::optional<llvm::DynamicAPInt> {
    auto it = values.find(*symbol.asSymbol());
    if (it == values.end())
      return std::nullopt;
    return llvm::DynamicAPInt(it->second);
  };
  return shapes.arena().evaluateExact(
      e, [&](Expr symbol) -> std::optional<llvm::DynamicAPInt> {
        Expr extent = extentInSource(source, shapes, symbol);
        if (!extent)
          return std::nullopt;
        return source.arena().evaluateExact(extent, given);
      });
}

/// Writes expressions of the lowered function over the symbols of the source.
static ExprWriter makeWriter(FunctionShapes &source, FunctionShapes &shapes,
                             ReportGraph &graph, ExprTable &table) {
  return ExprWriter(table, [&](Expr symbol) -> unsigned {
    if (Expr extent = extentInSource(source, shapes, symbol))
      return graph.exprs().write(extent);
    // No symbol of the source has this name.
    return table.add("lowered " + spellSymbol(shapes, symbol));
  });
}

json::Object MemoryReporter::report(FunctionShapes &source, ReportGraph *graph,
                                    ExprTable &table) {
  auto function =
      lowered.lookupSymbol<func::FuncOp>(source.function().getName());
  const MemoryPlan *plan = function ? plans.lookup(function) : nullptr;
  if (!plan)
    return json::Object{{"isInCallers", true}};
  FunctionShapes &shapes = *analysis.lookup(function);
  std::optional<ExprWriter> exprs;
  if (graph)
    exprs.emplace(makeWriter(source, shapes, *graph, table));
  WideValues wide(shapes, [&](const Relation &relation) {
    return holdsInSource(source, shapes, relation);
  });
  json::Array buffers, heap;
  for (const PlannedBuffer &buffer : plan->buffers) {
    Expr bytes = wide.resolve(buffer.bytes);
    Expr offset = wide.resolve(buffer.offset);
    json::Object described{{"op", buffer.op->getName().getStringRef()},
                           {"at", describePlace(buffer.op->getLoc())},
                           {"bytes", spellInSource(source, shapes, bytes)},
                           {"offset", spellInSource(source, shapes, offset)},
                           {"first", buffer.first},
                           {"last", buffer.last}};
    auto spellHere = [&](Expr e) {
      return spellInSource(source, shapes, wide.resolve(e));
    };
    if (std::string reserved = describeReserved(buffer, spellHere);
        !reserved.empty())
      described["reserved"] = std::move(reserved);
    if (exprs) {
      described["bytesNode"] = exprs->write(bytes);
      described["offsetNode"] = exprs->write(offset);
    }
    buffers.push_back(std::move(described));
  }
  for (const UnplannedBuffer &buffer : plan->heap)
    heap.push_back(json::Object{{"op", buffer.op->getName().getStringRef()},
                                {"at", describePlace(buffer.op->getLoc())},
                                {"reason", buffer.reason}});
  std::pair<StringRef, Expr> sizes[] = {
      {"arena", plan->bytes},
      {"mostInUse", plans.mostInUse(function)},
      {"sumOfAll", plans.sumOfAll(function)}};
  json::Object result{{"buffers", std::move(buffers)},
                      {"heap", std::move(heap)}};
  json::Object evaluated;
  for (auto [name, planned] : sizes) {
    Expr size = wide.resolve(planned);
    result[name] = spellInSource(source, shapes, size);
    if (exprs)
      result[(name + "Node").str()] = exprs->write(size);
    if (auto value = valueOf(source, shapes, size); value && !values.empty())
      evaluated[name] = static_cast<int64_t>(*value);
  }
  if (!evaluated.empty())
    result["evaluated"] = std::move(evaluated);
  return result;
}

/// Fails if a value is for no symbol of any function.
static LogicalResult checkNames(ModuleOp module, const GuardPlans &plans,
                                const SymbolValues64 &values) {
  llvm::SetVector<StringRef> known;
  module.walk([&](func::FuncOp function) {
    if (FunctionShapes *shapes = plans.lookup(function))
      for (Expr symbol : collectArgumentSymbols(*shapes))
        known.insert(*symbol.asSymbol());
  });
  for (StringRef name : values.keys())
    if (!known.contains(name))
      return emitError(module.getLoc())
             << "expected values for symbols of the program ("
             << llvm::join(known, ", ") << "), but got one for '" << name
             << "'";
  return success();
}

namespace {
/// symshape-insert-guards on a copy of a module that has been planned.
struct InsertKnownGuards
    : PassWrapper<InsertKnownGuards, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertKnownGuards)

  explicit InsertKnownGuards(GuardPlans &plans) : plans(plans) {}
  void getDependentDialects(DialectRegistry &registry) const override {
    createInsertGuardsPass()->getDependentDialects(registry);
  }
  void runOnOperation() override {
    if (failed(insertGuards(getOperation(), /*frozen=*/false, &plans)))
      signalPassFailure();
  }

  GuardPlans &plans;
};
} // namespace

/// Lowers `module`, a copy of that of `plans`, up to the plan of memory;
/// returns the first error if that fails, else an empty text.
static std::string lowerBeforePlan(ModuleOp module, GuardPlans &plans,
                                   const ReportRequest &request) {
  std::string reason;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diag) -> LogicalResult {
        if (diag.getSeverity() != DiagnosticSeverity::Error)
          return failure(); // somebody else's
        std::string place = describePlace(diag.getLocation());
        if (reason.empty())
          reason = (place.empty() ? "" : place + ": ") + diag.str();
        return success();
      });
  PassManager early(module.getContext()), manager(module.getContext());
  for (PassManager *one : {&early, &manager})
    one->enableVerifier(false); // it takes as long as an analysis
  // What the pipelines begin with. They insert guards next, of which it is
  // known already which ones suffice.
  early.addPass(createVerifyLowerablePass());
  early.addPass(createLowerTosaControlFlowPass());
  early.addPass(std::make_unique<InsertKnownGuards>(plans));
  if (failed(early.run(module)))
    return reason.empty() ? "it cannot be lowered" : reason;
  if (request.forGPU)
    buildNVVMPipelineBeforePlan(manager, NVVMPipelineOptions());
  else
    buildCPUPipelineBeforePlan(manager, CPUTarget::getHost(),
                               CPUPipelineOptions());
  if (succeeded(manager.run(module)))
    return "";
  return reason.empty() ? "it cannot be lowered" : reason;
}

namespace {
/// Makes the report of one module.
class Reporter {
public:
  Reporter(ModuleOp module, GuardPlans &plans, const ReportRequest &request)
      : module(module), plans(plans), request(request) {}
  json::Object run();

private:
  void addLowered(FunctionShapes &shapes, ReportGraph *graph,
                  json::Object &object);
  json::Object reportFunction(FunctionShapes &shapes,
                              const ReportSource *source);

  ModuleOp module;
  GuardPlans &plans;
  const ReportRequest &request;
  std::optional<MemoryReporter> memory;  ///< of the whole module, if it lowers
  std::optional<KernelReporter> kernels; ///< the same, for a GPU
  ExprTable table;
};
} // namespace

/// Adds memory, and for a GPU what runs there.
void Reporter::addLowered(FunctionShapes &shapes, ReportGraph *graph,
                          json::Object &object) {
  if (memory) {
    object["memory"] = memory->report(shapes, graph, table);
    if (kernels)
      kernels->addTo(shapes, object);
    return;
  }
  // The function alone, with what it refers to.
  func::FuncOp function = shapes.function();
  OwningOpRef<ModuleOp> lowered = function->getParentOfType<ModuleOp>().clone();
  keepReached(*lowered, function.getName());
  std::string reason = lowerBeforePlan(*lowered, plans, request);
  if (!reason.empty()) {
    object["memory"] = json::Object{{"notPlanned", json::fixUTF8(reason)}};
    return;
  }
  object["memory"] =
      MemoryReporter(*lowered, request.values).report(shapes, graph, table);
  if (request.forGPU)
    KernelReporter(*lowered).addTo(shapes, object);
}

json::Object Reporter::reportFunction(FunctionShapes &shapes,
                                      const ReportSource *source) {
  std::optional<ReportGraph> graph;
  if (source)
    graph.emplace(shapes, *source, table);
  ReportGraph *linked = graph ? &*graph : nullptr;
  json::Object object = describeShapes(shapes, plans, linked);
  addLowered(shapes, linked, object);
  if (graph) {
    object["unknown"] = graph->describeUnknown();
    object["sizes"] = graph->describeSizes();
    object["graph"] = graph->take();
  }
  return object;
}

/// Whether a module comes from a model.
static bool isModel(ModuleOp module) {
  auto place = dyn_cast<FileLineColLoc>(module.getLoc());
  return place && isModelFile(place.getFilename());
}

json::Object Reporter::run() {
  OwningOpRef<ModuleOp> lowered = module.clone();
  if (lowerBeforePlan(*lowered, plans, request).empty()) {
    memory.emplace(*lowered, request.values);
    if (request.forGPU)
      kernels.emplace(*lowered);
  }
  std::optional<ReportSource> source;
  if (request.withProgram)
    source.emplace(module, request.text);
  json::Array functions;
  module.walk([&](func::FuncOp function) {
    if (FunctionShapes *shapes = plans.lookup(function))
      functions.push_back(reportFunction(*shapes, source ? &*source : nullptr));
  });
  json::Object report{{"schemaVersion", 1},
                      {"isModel", isModel(module)},
                      {"functions", std::move(functions)}};
  if (source) {
    json::Object values;
    for (const auto &entry : request.values)
      values[entry.getKey().str()] = entry.getValue();
    report["values"] = std::move(values);
    report["source"] = source->describe();
    report["expressions"] = table.take();
  }
  return report;
}

FailureOr<json::Value>
mlir::symshape::makeReport(ModuleOp module, GuardPlans &plans,
                           const ReportRequest &request) {
  if (failed(checkNames(module, plans, request.values)))
    return failure();
  return json::Value(Reporter(module, plans, request).run());
}

json::Object mlir::symshape::makeShapeReport(func::FuncOp function) {
  ShapeAnalysis analysis(function->getParentOfType<ModuleOp>());
  GuardPlans plans(analysis);
  return describeShapes(*plans.lookup(function), plans, nullptr);
}

json::Object mlir::symshape::makeShapeReport(FunctionShapes &shapes,
                                             GuardPlans &plans) {
  return describeShapes(shapes, plans, nullptr);
}
