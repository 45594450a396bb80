//===- KernelReport.h - What runs on a GPU, in words ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a report that is about kernels. Private to Pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_PIPELINES_KERNELREPORT_H
#define SYMSHAPE_LIB_PIPELINES_KERNELREPORT_H

#include "symshape/Analysis/ShapeAnalysis.h"
#include "llvm/Support/JSON.h"

namespace mlir::symshape {

/// Kernels of the functions of a module that was lowered for a GPU up to where
/// memory is planned; works on a copy of it.
class KernelReporter {
public:
  explicit KernelReporter(ModuleOp lowered);
  ~KernelReporter();

  /// Adds the fields `kernels` and `reads` of Report.h to `object`, those of
  /// the function of `source`.
  void addTo(FunctionShapes &source, llvm::json::Object &object);

private:
  OwningOpRef<ModuleOp> module; ///< null if no kernels can be formed
  std::unique_ptr<ShapeAnalysis> analysis;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_PIPELINES_KERNELREPORT_H
