//===- ExpandKernelMath.cpp - Functions of math without a library ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a CPU calls its C library for. Runs after symshape-approximate-math.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/GPUPasses.h"

#include "GPU/DoubleFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_EXPANDKERNELMATHPASS
#include "symshape/Conversion/GPUPasses.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// Computes a function of f32 or f64 in f64; one that is not known stays.
static void expand(Operation *op) {
  Type type = op->getResult(0).getType();
  OpBuilder builder(op);
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (operand.getType() != type)
      return;
    if (type.isF32())
      operand =
          arith::ExtFOp::create(builder, loc, builder.getF64Type(), operand);
    operands.push_back(operand);
  }
  Value result = emitDoubleFunction(builder, op, operands);
  if (!result)
    return; // casts without a use go away
  if (type.isF32())
    result = arith::TruncFOp::create(builder, loc, type, result);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// LLVM's back end for PTX takes a conversion to i1 for a comparison with 0:
/// true for 0 alone.
template <typename Op>
static void widenFlag(Op op) {
  Type type = op.getType();
  if (!getElementTypeOrSelf(type).isInteger(1))
    return;
  OpBuilder builder(op);
  Type wide = builder.getI32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    wide = vector.clone(wide);
  Value number = Op::create(builder, op.getLoc(), wide, op.getIn());
  op.replaceAllUsesWith(
      arith::TruncIOp::create(builder, op.getLoc(), type, number).getResult());
  op.erase();
}

namespace {
struct ExpandKernelMathPass
    : symshape::impl::ExpandKernelMathPassBase<ExpandKernelMathPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      bool isFunction = isa<arith::RemFOp>(op) ||
                        isa_and_nonnull<math::MathDialect>(op->getDialect());
      if (isFunction && op->getNumResults() == 1 &&
          (op->getResult(0).getType().isF32() ||
           op->getResult(0).getType().isF64()))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      expand(op);
    getOperation().walk([](arith::FPToUIOp op) { widenFlag(op); });
    getOperation().walk([](arith::FPToSIOp op) { widenFlag(op); });
  }
};
} // namespace
