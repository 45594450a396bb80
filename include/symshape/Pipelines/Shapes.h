//===- Shapes.h - The shape passes as a pipeline ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Guard, infer, discharge, build versions, discharge again, expand: what runs
// before a code generation pipeline. Not for: code generation.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PIPELINES_SHAPES_H
#define SYMSHAPE_PIPELINES_SHAPES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::symshape {

struct ShapePipelineOptions : PassPipelineOptions<ShapePipelineOptions> {
  Option<bool> guards{
      *this, "guards",
      llvm::cl::desc("Check at run time what is required and not proved "
                     "(default: yes)"),
      llvm::cl::init(true)};

  Option<std::string> entry{
      *this, "entry",
      llvm::cl::desc("The function that `extents` is about (default: main)"),
      llvm::cl::init("main")};

  ListOption<int64_t> extents{
      *this, "extents",
      llvm::cl::desc(
          "With which extents it is called: one per dynamic dim of an "
          "argument, negative where nothing is known (default: "
          "nothing is known)")};
};

/// Turns a module, annotated or not, into one in which every requirement is
/// proved or checked and `symshape.fail` is the only op of the dialect. Runs on
/// a module.
void buildShapePipeline(OpPassManager &manager,
                        const ShapePipelineOptions &options);

/// Registers `symshape-shapes`.
void registerShapePipeline();

} // namespace mlir::symshape

#endif // SYMSHAPE_PIPELINES_SHAPES_H
