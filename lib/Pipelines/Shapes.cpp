//===- Shapes.cpp - The shape passes as a pipeline ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/Shapes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::symshape;

void mlir::symshape::buildShapePipeline(OpPassManager &manager,
                                        const ShapePipelineOptions &options) {
  manager.addPass(createLiftLoopsPass());
  manager.addPass(createLowerTMTensorPass());
  manager.addPass(createLowerTosaControlFlowPass());
  // Next: later passes may rely on what is required, and drop the ops that
  // require it.
  if (options.guards)
    manager.addPass(createInsertGuardsPass());
  manager.addPass(createInferShapesPass());
  manager.addPass(createDischargePass());
  LowerTosaPassOptions tosa;
  tosa.checks = options.guards;
  manager.addPass(createLowerTosaPass(tosa));
  AssumeExtentsPassOptions extents;
  extents.function = options.entry;
  llvm::append_range(extents.extents, options.extents);
  manager.addPass(createAssumeExtentsPass(extents));
  // Whoever gives extents has looked at the policies.
  if (options.extents.empty())
    manager.addPass(createCheckPoliciesPass());
  // What is required is the same in all versions, so they are built after
  // checks. No warning if the extents of a call rule some out.
  SpecializePassOptions versions;
  versions.warn = options.extents.empty();
  manager.addPass(createSpecializePass(versions));
  // Extents of the call, and conditions of versions, are facts now.
  InferShapesPassOptions inferAgain;
  inferAgain.ifChanged = true;
  manager.addPass(createInferShapesPass(inferAgain));
  manager.addPass(createSpecializeCallsPass());
  DischargePassOptions dischargeAgain;
  dischargeAgain.ifChanged = true;
  manager.addPass(createDischargePass(dischargeAgain));
  manager.addPass(createExpandOpsPass());
  manager.addPass(createCanonicalizePass());
  manager.addPass(createCSEPass());
}

void mlir::symshape::registerShapePipeline() {
  PassPipelineRegistration<ShapePipelineOptions>(
      "symshape-shapes",
      "Proves or checks what a program requires of its shapes",
      buildShapePipeline);
}
