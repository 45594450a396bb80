//===- MarkResidentArguments.cpp - What calls find on the device ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights are copied to the device once, before all calls; what is computed of
// them alone stays there. Not for: copying them (Execution).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/GPUPasses.h"

#include "GPU/Kernels.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "symshape/IR/Donation.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_MARKRESIDENTARGUMENTSPASS
#include "symshape/Conversion/GPUPasses.h.inc"

namespace {
struct MarkResidentArgumentsPass
    : impl::MarkResidentArgumentsPassBase<MarkResidentArgumentsPass> {
  void runOnOperation() override {
    auto yes = UnitAttr::get(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic())
        continue;
      auto name = function->getAttrOfType<FlatSymbolRefAttr>(kPrepareFunction);
      auto prepare = name ? getOperation().lookupSymbol<func::FuncOp>(name)
                          : func::FuncOp();
      unsigned numArguments = function.getNumArguments();
      unsigned firstPrepared =
          numArguments - (prepare ? prepare.getNumResults() : 0);
      for (unsigned i = 0; i < numArguments; ++i) {
        function.removeArgAttr(i, kDonated); // results come from the device
        if (i >= firstPrepared ||
            function.getArgAttr(i, SymShapeDialect::kWeight))
          function.setArgAttr(i, residentAttr, yes);
      }
      if (prepare)
        prepare->setAttr(residentAttr, yes);
    }
  }
};
} // namespace
} // namespace mlir::symshape
