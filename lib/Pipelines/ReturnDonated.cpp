//===- ReturnDonated.cpp - Results in the memory of arguments -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Deallocation copies each argument that a function returns, since whoever
// calls it is to own the result. Of a donated argument, the caller does
// already. Not for: what is written in place, which bufferization decides.
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "symshape/IR/Donation.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_RETURNDONATEDPASS
#include "symshape/Pipelines/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static Value withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  return value;
}

/// Returns the argument itself where a copy of it is returned as `result`.
static void returnDonated(func::ReturnOp op, BlockArgument argument,
                          unsigned result) {
  if (result >= op.getNumOperands())
    return;
  auto clone = withoutCasts(op.getOperand(result))
                   .getDefiningOp<bufferization::CloneOp>();
  if (!clone || !clone.getOutput().hasOneUse() ||
      withoutCasts(clone.getInput()) != argument)
    return;
  OpBuilder builder(clone);
  Value source = clone.getInput();
  if (source.getType() != clone.getOutput().getType())
    source = memref::CastOp::create(builder, clone.getLoc(),
                                    clone.getOutput().getType(), source);
  clone.getOutput().replaceAllUsesWith(source);
  clone.erase();
}

namespace {
struct ReturnDonatedPass
    : symshape::impl::ReturnDonatedPassBase<ReturnDonatedPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        auto result = function.getArgAttrOfType<IntegerAttr>(i, kDonated);
        if (!result)
          continue;
        function.removeArgAttr(i, kDonated); // it says no more than this
        if (function.isExternal())
          continue;
        function.walk([&](func::ReturnOp op) {
          returnDonated(op, function.getArgument(i), result.getInt());
        });
      }
  }
};
} // namespace
