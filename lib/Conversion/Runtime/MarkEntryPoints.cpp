//===- MarkEntryPoints.cpp - C interface of public functions --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marks the functions that are called from outside. Not for: the convention
// itself, which is that of the conversion from func to LLVM.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "symshape/IR/Donation.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_MARKENTRYPOINTSPASS
#include "symshape/Conversion/Passes.h.inc"

namespace {
struct MarkEntryPointsPass
    : impl::MarkEntryPointsPassBase<MarkEntryPointsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                        UnitAttr::get(&getContext()));
      for (BlockArgument argument : function.getArguments())
        if (isa<TensorType>(argument.getType()))
          function.setArgAttr(
              argument.getArgNumber(),
              bufferization::BufferizationDialect::kWritableAttrName,
              BoolAttr::get(&getContext(),
                            function.getArgAttr(argument.getArgNumber(),
                                                kDonated) != nullptr));
    }
  }
};
} // namespace
} // namespace mlir::symshape
