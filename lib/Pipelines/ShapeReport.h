//===- ShapeReport.h - Symbols, guards and versions in words ----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a report that the analysis alone gives. Private to Pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_PIPELINES_SHAPEREPORT_H
#define SYMSHAPE_LIB_PIPELINES_SHAPEREPORT_H

#include "symshape/Analysis/GuardAnalysis.h"
#include "symshape/Pipelines/ReportWords.h"

namespace mlir::symshape {
class ReportGraph;

/// The fields of one function except memory, as Report.h lists them; with a
/// graph, also what links them to it.
llvm::json::Object describeShapes(FunctionShapes &shapes, GuardPlans &plans,
                                  ReportGraph *graph);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_PIPELINES_SHAPEREPORT_H
