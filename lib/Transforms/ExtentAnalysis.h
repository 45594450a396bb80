//===- ExtentAnalysis.h - Extents, by whoever has them ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Transforms. Not for: passes that ask which requirements hold.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_EXTENTANALYSIS_H
#define SYMSHAPE_LIB_TRANSFORMS_EXTENTANALYSIS_H

#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {

/// The analysis that another pass has left, if it has; else one of its own,
/// which proves nothing, and is made when it is first asked for.
class ExtentAnalysis {
public:
  ExtentAnalysis(
      ModuleOp module,
      std::optional<std::reference_wrapper<ShapeAnalysis>> cached,
      const ShapeAnalysisOptions &options = ShapeAnalysisOptions::forExtents())
      : module(module), cached(cached), options(options) {}
  ShapeAnalysis &get() {
    if (cached)
      return *cached;
    if (!own)
      own.emplace(module, options);
    return *own;
  }

private:
  ModuleOp module;
  std::optional<std::reference_wrapper<ShapeAnalysis>> cached;
  ShapeAnalysisOptions options;
  std::optional<ShapeAnalysis> own;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_EXTENTANALYSIS_H
