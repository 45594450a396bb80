//===- Modes.cpp - What a function is run through -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunFunctions.h"

#include "symshape/InitAll.h"
#include "symshape/Pipelines/Report.h"
#include "symshape/Transforms/TellViolations.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::test;

/// Runs the passes that `build` adds.
static LogicalResult runPasses(ModeRun &run,
                               function_ref<void(PassManager &)> build) {
  PassManager manager(run.module.getContext());
  run.observe(manager);
  build(manager);
  return manager.run(run.module);
}

static LogicalResult runInfer(ModeRun &run) {
  return runPasses(run, [](PassManager &manager) {
    manager.addPass(createInferShapesPass());
  });
}

static LogicalResult runShapes(ModeRun &run) {
  return runPasses(run, [](PassManager &manager) {
    buildShapePipeline(manager, ShapePipelineOptions());
  });
}

static LogicalResult runCPU(ModeRun &run) {
  return runPasses(run, [](PassManager &manager) {
    buildCPUPipeline(manager, CPUTarget::getHost(), CPUPipelineOptions());
  });
}

static LogicalResult runJvp(ModeRun &run) {
  return runPasses(run, [&](PassManager &manager) {
    JvpPassOptions options;
    options.function = run.function;
    manager.addPass(createJvpPass(options));
  });
}

static LogicalResult runVjp(ModeRun &run) {
  return runPasses(run, [&](PassManager &manager) {
    VjpPassOptions options;
    options.function = run.function;
    manager.addPass(createVjpPass(options));
  });
}

static LogicalResult runReport(ModeRun &run) {
  ShapeAnalysis analysis(run.module);
  GuardPlans plans(analysis);
  if (failed(checkDeclarations(run.module, plans, /*frozen=*/false)))
    return failure();
  auto report = makeReport(run.module, plans, ReportRequest());
  if (failed(report))
    return failure();
  printReport(llvm::nulls(), *report);
  return success();
}

LogicalResult test::runMode(StringRef mode, ModeRun &run) {
  using Function = LogicalResult (*)(ModeRun &);
  auto function = llvm::StringSwitch<Function>(mode)
                      .Case("infer", runInfer)
                      .Case("shapes", runShapes)
                      .Case("cpu", runCPU)
                      .Case("jvp", runJvp)
                      .Case("vjp", runVjp)
                      .Case("report", runReport)
                      .Case("stock", runStock)
                      .Default(nullptr);
  return function ? function(run)
                  : emitError(UnknownLoc::get(run.module.getContext()),
                              "unknown mode");
}
