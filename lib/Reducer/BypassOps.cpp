//===- BypassOps.cpp - Ops that give way to other values ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes that keep what a function takes and gives: for tests that call it.
//
//===----------------------------------------------------------------------===//

#include "BypassOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace mlir::symshape;

/// What stands for a value of which only the type counts.
static bool isFiller(Operation *op) {
  return isa<arith::ConstantOp, tensor::EmptyOp>(op);
}

/// Another value of this type that is there before `op`: an operand of it, an
/// argument of the function, or a new one without meaning. Null for types of
/// which there is none.
static Value findOther(func::FuncOp function, Operation *op, Type type) {
  auto isAlike = [&](Value value) { return value.getType() == type; };
  if (auto it = llvm::find_if(op->getOperands(), isAlike);
      it != op->operand_end())
    return *it;
  if (auto it = llvm::find_if(function.getArguments(), isAlike);
      it != function.getArguments().end())
    return *it;
  OpBuilder builder(op);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && !tensor.getEncoding()) {
    Value one;
    if (tensor.getNumDynamicDims())
      one = arith::ConstantIndexOp::create(builder, op->getLoc(), 1);
    return tensor::EmptyOp::create(
        builder, op->getLoc(), tensor,
        SmallVector<Value>(tensor.getNumDynamicDims(), one));
  }
  if (TypedAttr zero =
          type.isIntOrIndexOrFloat() ? builder.getZeroAttr(type) : TypedAttr())
    return arith::ConstantOp::create(builder, op->getLoc(), zero);
  return Value();
}

static SmallVector<Operation *> collectBypassed(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function && op->getNumResults() && !isFiller(op))
      ops.push_back(op);
    return op != function && !isa<RegionBranchOpInterface>(op)
               ? WalkResult::skip()
               : WalkResult::advance();
  });
  return ops;
}

size_t mlir::symshape::countBypassed(func::FuncOp function) {
  return collectBypassed(function).size();
}

LogicalResult mlir::symshape::bypassOps(func::FuncOp function, size_t begin,
                                        size_t end) {
  SmallVector<Operation *> all = collectBypassed(function);
  // The last ones first: those inside of one go before it.
  for (Operation *op : llvm::reverse(ArrayRef(all).slice(begin, end - begin))) {
    for (Value result : op->getResults()) {
      if (result.use_empty())
        continue;
      Value other = findOther(function, op, result.getType());
      if (!other)
        return failure();
      result.replaceAllUsesWith(other);
    }
    op->erase();
  }
  return success();
}
