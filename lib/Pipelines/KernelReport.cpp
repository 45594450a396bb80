//===- KernelReport.cpp - What runs on a GPU, in words --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are looked at where they are formed, before they get pointers for
// buffers: extents are still those of arguments there.
//
//===----------------------------------------------------------------------===//

#include "KernelReport.h"

#include "LoweredNames.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/PassManager.h"
#include "symshape/IR/Places.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Pipelines/NVVM.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::symshape;
namespace json = llvm::json;

KernelReporter::KernelReporter(ModuleOp lowered) : module(lowered.clone()) {
  PassManager manager(lowered.getContext());
  buildFormKernelsPipeline(manager);
  if (failed(manager.run(*module)))
    module = nullptr;
  else // buffers of a size that wraps are refused before any launch
    analysis = std::make_unique<ShapeAnalysis>(
        *module, ShapeAnalysisOptions{/*assumeNoWrap=*/true});
}

KernelReporter::~KernelReporter() = default;

/// True for an access of 16 bytes to memory that kernels share.
static bool isWideAccess(Operation *op) {
  if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(op)) {
    Type element = cast<MemRefType>(copy.getSrc().getType()).getElementType();
    return copy.getDstElements().getSExtValue() *
               element.getIntOrFloatBitWidth() ==
           128;
  }
  return isa<vector::LoadOp, vector::StoreOp>(op);
}

/// What a kernel does that facts decide: how it reads and what multiplies.
static void addAccesses(gpu::LaunchOp launch, json::Object &kernel) {
  bool wide = false, tensorCores = false;
  launch.walk([&](Operation *op) {
    wide |= isWideAccess(op);
    tensorCores |= op->getName().stripDialect().contains("mma");
  });
  kernel["isWide"] = wide;
  if (tensorCores)
    kernel["tensorCores"] = true;
}

namespace {
/// Describes what one function launches and reads.
class HostReader {
public:
  HostReader(FunctionShapes &source, FunctionShapes &shapes)
      : source(source), shapes(shapes) {}
  json::Object describe(gpu::LaunchOp launch);
  json::Object describe(memref::LoadOp read);

private:
  void addConditions(gpu::LaunchOp launch, json::Object &kernel);

  FunctionShapes &source, &shapes;
};
} // namespace

/// The branches of the host around a launch, and whether it may run more than
/// once.
void HostReader::addConditions(gpu::LaunchOp launch, json::Object &kernel) {
  json::Array conditions;
  for (Operation *op = launch; op != shapes.function();
       op = op->getParentOp()) {
    Operation *parent = op->getParentOp();
    if (isa<LoopLikeOpInterface>(parent))
      kernel["inLoop"] = true;
    auto branch = dyn_cast<scf::IfOp>(parent);
    if (!branch)
      continue;
    Formula condition = shapes.condition(branch.getCondition());
    if (op->getParentRegion() == &branch.getElseRegion())
      condition = Formula::negate(condition);
    conditions.push_back(condition.hasOpaque()
                             ? "what data says"
                             : spellInSource(source, shapes, condition));
  }
  if (!conditions.empty())
    kernel["conditions"] = std::move(conditions);
}

json::Object HostReader::describe(gpu::LaunchOp launch) {
  json::Object kernel{
      {"name", launch->getAttrOfType<StringAttr>("kernel_name").getValue()},
      {"at", describePlace(launch.getLoc())},
      {"blocks",
       spellInSource(source, shapes, shapes.value(launch.getGridSizeX()))}};
  IntegerAttr threads;
  if (matchPattern(launch.getBlockSizeX(), m_Constant(&threads)))
    kernel["threads"] = threads.getInt();
  addAccesses(launch, kernel);
  addConditions(launch, kernel);
  return kernel;
}

/// What ops need a value of the device for, the farthest-reaching first.
static constexpr std::pair<StringRef, bool (*)(Operation *)> purposes[] = {
    {"the size of a buffer",
     [](Operation *op) { return isa<memref::AllocOp>(op); }},
    {"how often a loop runs",
     [](Operation *op) { return isa<LoopLikeOpInterface>(op); }},
    {"a branch",
     [](Operation *op) {
       return isa<scf::IfOp, scf::ConditionOp, cf::CondBranchOp>(op);
     }},
    {"a check", [](Operation *op) { return isa<cf::AssertOp, FailOp>(op); }},
    {"a kernel",
     [](Operation *op) {
       return isa<gpu::LaunchOp>(op) || op->getParentOfType<gpu::LaunchOp>();
     }},
    {"what the host computes", [](Operation *) { return true; }}};

json::Object HostReader::describe(memref::LoadOp read) {
  llvm::SetVector<Operation *> users(read->user_begin(), read->user_end());
  for (size_t i = 0; i < users.size(); ++i)
    users.insert(users[i]->user_begin(), users[i]->user_end());
  const auto *purpose = llvm::find_if(purposes, [&](const auto &one) {
    return llvm::any_of(users, one.second);
  });
  return json::Object{
      {"at", describePlace(read.getLoc())},
      {"for", purpose == std::end(purposes) ? "nothing" : purpose->first}};
}

void KernelReporter::addTo(FunctionShapes &source, json::Object &object) {
  if (!module)
    return;
  auto function =
      module->lookupSymbol<func::FuncOp>(source.function().getName());
  FunctionShapes *shapes = function ? analysis->lookup(function) : nullptr;
  if (!shapes)
    return;
  HostReader reader(source, *shapes);
  json::Array kernels, reads;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto launch = dyn_cast<gpu::LaunchOp>(op)) {
      kernels.push_back(reader.describe(launch));
      return WalkResult::skip();
    }
    auto read = dyn_cast<memref::LoadOp>(op);
    if (read && !read.getMemRef().getDefiningOp<memref::AllocaOp>())
      reads.push_back(reader.describe(read));
    return WalkResult::advance();
  });
  object["kernels"] = std::move(kernels);
  object["reads"] = std::move(reads);
}
