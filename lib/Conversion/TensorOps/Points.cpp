//===- Points.cpp - Points that are computed by themselves ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "Points.h"

#include "NonzeroPoints.h"
#include "ScanPoints.h"
#include "SortPoints.h"
#include "Structure/Loops.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

bool symshape::lowerAxisOpToPoints(RewriterBase &b, Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<CumsumOp, NonzeroOp, SortOp, TopKOp>([&](auto known) {
        lowerToPoints(b, known);
        return true;
      })
      .Default([](Operation *) { return false; });
}

SmallVector<Value> symshape::computePoints(
    OpBuilder &b, Location loc, ValueRange into,
    function_ref<SmallVector<Value>(SmallVector<Value>)> body) {
  int64_t rank = cast<RankedTensorType>(into[0].getType()).getRank();
  SmallVector<AffineMap> maps(into.size(), b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto points = linalg::GenericOp::create(
      b, loc, into.getTypes(), ValueRange(), into, maps, loops,
      [&](OpBuilder &, Location, ValueRange) {
        SmallVector<Value> position;
        for (int64_t d = 0; d < rank; ++d)
          position.push_back(linalg::IndexOp::create(b, loc, d));
        linalg::YieldOp::create(b, loc, body(position));
      });
  return llvm::to_vector_of<Value>(points.getResults());
}

Value symshape::bisect(OpBuilder &b, Location loc, Value least, Value most,
                       function_ref<Value(Value)> holds) {
  auto isOpen = [&](OpBuilder &, Location, ValueRange range) {
    Value open = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                       range[0], range[1]);
    scf::ConditionOp::create(b, loc, open, range);
  };
  auto halve = [&](OpBuilder &, Location, ValueRange range) {
    Value one = makeIndex(b, loc, 1);
    Value sum = arith::AddIOp::create(b, loc, range[0], range[1]);
    Value middle = arith::ShRUIOp::create(b, loc, sum, one);
    Value after = arith::AddIOp::create(b, loc, middle, one);
    Value isLeft = holds(middle);
    Value low = arith::SelectOp::create(b, loc, isLeft, range[0], after);
    Value high = arith::SelectOp::create(b, loc, isLeft, middle, range[1]);
    scf::YieldOp::create(b, loc, ValueRange{low, high});
  };
  Type index = b.getIndexType();
  return scf::WhileOp::create(b, loc, TypeRange{index, index},
                              ValueRange{least, most}, isOpen, halve)
      .getResult(0);
}
