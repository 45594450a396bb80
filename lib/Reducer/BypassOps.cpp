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
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mlir::symshape;

/// What stands for a value of which only the type counts.
static bool isFiller(Operation *op) {
  return isa<arith::ConstantOp, tensor::EmptyOp>(op);
}

//===----------------------------------------------------------------------===//
// Other values
//===----------------------------------------------------------------------===//

/// A value of this type that is there before `op`: an operand of it, an
/// argument of a block around it, or what stands for such a value already.
static Value findPresent(Operation *op, Type type) {
  auto isAlike = [&](Value value) { return value.getType() == type; };
  if (auto it = llvm::find_if(op->getOperands(), isAlike);
      it != op->operand_end())
    return *it;
  for (Operation *inner = op; !isa<func::FuncOp>(inner);
       inner = inner->getParentOp())
    for (BlockArgument argument : inner->getBlock()->getArguments())
      if (isAlike(argument))
        return argument;
  for (Operation &earlier : *op->getBlock()) {
    if (&earlier == op)
      break;
    if (isFiller(&earlier) && isAlike(earlier.getResult(0)))
      return earlier.getResult(0);
  }
  return Value();
}

/// A new value of this type before `op`. Null for types of which there is none.
static Value createFiller(Operation *op, Type type) {
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

/// Replaces each value that is in use by another of its type. What stands for
/// others already gives way only to what is there, so that reducing ends.
static LogicalResult replaceByOthers(Operation *op, ValueRange values) {
  SmallVector<std::pair<Value, Value>> others;
  for (Value value : values) {
    if (value.use_empty())
      continue;
    Value other = findPresent(op, value.getType());
    if (!other && !isFiller(op))
      other = createFiller(op, value.getType());
    if (!other)
      return failure();
    others.push_back({value, other});
  }
  for (auto [value, other] : others)
    value.replaceAllUsesWith(other);
  return success();
}

//===----------------------------------------------------------------------===//
// Ops with results
//===----------------------------------------------------------------------===//

static SmallVector<Operation *> collectBypassed(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function && op->getNumResults())
      ops.push_back(op);
    return isa<func::FuncOp, RegionBranchOpInterface,
               DestinationStyleOpInterface>(op)
               ? WalkResult::advance()
               : WalkResult::skip();
  });
  return ops;
}

size_t mlir::symshape::countBypassed(func::FuncOp function) {
  return collectBypassed(function).size();
}

LogicalResult mlir::symshape::bypassOps(func::FuncOp function, size_t begin,
                                        size_t end) {
  SmallVector<Operation *> all = collectBypassed(function);
  bool changed = false;
  // The last ones first: those inside of one go before it.
  for (Operation *op : llvm::reverse(ArrayRef(all).slice(begin, end - begin)))
    if (succeeded(replaceByOthers(op, op->getResults()))) {
      op->erase();
      changed = true;
    }
  return success(changed);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

static SmallVector<Operation *> collectCasts(func::FuncOp function) {
  SmallVector<Operation *> casts;
  function.walk([&](CastOpInterface op) {
    if (op->getNumOperands() == 1 && op->getNumResults() == 1)
      casts.push_back(op);
  });
  return casts;
}

size_t mlir::symshape::countCasts(func::FuncOp function) {
  return collectCasts(function).size();
}

LogicalResult mlir::symshape::forwardCasts(func::FuncOp function, size_t begin,
                                           size_t end) {
  SmallVector<Operation *> all = collectCasts(function);
  for (Operation *op : ArrayRef(all).slice(begin, end - begin)) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Bodies of ifs and loops: one block each, which ends with what it passes on.
static SmallVector<Block *> collectBodies(func::FuncOp function) {
  SmallVector<Block *> bodies;
  function.walk<WalkOrder::PreOrder>([&](RegionBranchOpInterface op) {
    for (Region &region : op->getRegions())
      if (region.hasOneBlock() &&
          isa<RegionBranchTerminatorOpInterface>(region.back().getTerminator()))
        bodies.push_back(&region.front());
  });
  return bodies;
}

size_t mlir::symshape::countBodies(func::FuncOp function) {
  return collectBodies(function).size();
}

LogicalResult mlir::symshape::unwrapBody(func::FuncOp function, size_t begin,
                                         size_t end) {
  Block *body = collectBodies(function)[begin];
  Operation *op = body->getParentOp(), *terminator = body->getTerminator();
  if (failed(replaceByOthers(op, body->getArguments())))
    return failure();
  // What a body passes on stands for the results if it ends with as many.
  auto passed = terminator->getOperands();
  if (op->getNumResults() <= passed.size())
    passed = passed.take_back(op->getNumResults());
  if (passed.getTypes() == op->getResultTypes())
    op->replaceAllUsesWith(passed);
  else if (failed(replaceByOthers(op, op->getResults())))
    return failure();
  terminator->erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body->getOperations());
  op->erase();
  return success();
}
