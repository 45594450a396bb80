//===- ReportResults.cpp - Remarks on the extents of results --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportResults.h"

#include "mlir/Pass/Pass.h"
#include "symshape/Analysis/ShapeAnalysis.h"

using namespace mlir;

namespace {

/// For each tensor that a function returns, a remark with its extents, as
/// expressions over the dims of the arguments; and for each pair of
/// neighbouring dims of it a remark when they are proved equal.
struct ReportResultsPass
    : public PassWrapper<ReportResultsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReportResultsPass)

  StringRef getArgument() const final { return "downstream-report-results"; }
  StringRef getDescription() const final {
    return "Reports the extents of what functions return";
  }

  void runOnOperation() final {
    auto &analysis = getAnalysis<symshape::ShapeAnalysis>();
    getOperation().walk([&](func::ReturnOp op) {
      symshape::FunctionShapes *shapes = analysis.lookup(op.getOperation());
      if (!shapes)
        return;
      for (Value result : op.getOperands())
        if (auto type = dyn_cast<RankedTensorType>(result.getType()))
          report(op, result, type.getRank(), *shapes);
    });
    markAllAnalysesPreserved();
  }

  void report(func::ReturnOp op, Value result, int64_t rank,
              symshape::FunctionShapes &shapes) {
    std::string text;
    for (int64_t dim = 0; dim < rank; ++dim)
      text += (dim ? ", " : "") + shapes.printExtent(result, dim);
    op.emitRemark("returns [") << text << "]";
    for (int64_t dim = 1; dim < rank; ++dim) {
      symshape::Relation equal = symshape::Relation::eq(
          shapes.dim(result, dim - 1), shapes.dim(result, dim));
      if (shapes.facts().prove(equal).isYes())
        op.emitRemark("dims ") << dim - 1 << " and " << dim << " are equal";
    }
  }
};

} // namespace

void downstream::registerReportResultsPass() {
  PassRegistration<ReportResultsPass>();
}
