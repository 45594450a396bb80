//===- ElementChecks.cpp - Elements that an op of tosa refuses ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the specification requires of each divisor and of each number of bits to
// shift by: one reduction over the elements before the op. Not for: extents.
//
//===----------------------------------------------------------------------===//

#include "TensorOps/GatherWindows.h"
#include "TosaLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "symshape/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::symshape;
using arith::CmpIPredicate;

/// How far a shift may go; 0 for any other op. A logical shift may leave
/// nothing of a narrow integer.
static int64_t largestShift(Operation *op) {
  bool isLogical = isa<tosa::LogicalLeftShiftOp, tosa::LogicalRightShiftOp>(op);
  if (!isLogical && !isa<tosa::ArithmeticRightShiftOp>(op))
    return 0;
  int64_t width =
      getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth();
  return isLogical ? std::max<int64_t>(width, 32) - 1 : width - 1;
}

/// Whether the second operand is a constant that each first operand allows.
static bool isAllowed(Operation *op) {
  DenseIntElementsAttr elements;
  int64_t most = largestShift(op);
  return matchPattern(op->getOperand(1), m_Constant(&elements)) &&
         llvm::all_of(elements.getValues<APInt>(), [&](const APInt &b) {
           return most > 0 ? b.ule(most) : !b.isZero() && !b.isAllOnes();
         });
}

/// What must hold of two elements.
static Value emitCondition(OpBuilder &b, Location loc, Operation *op,
                           ValueRange args) {
  Type type = args[1].getType();
  auto compare = [&](CmpIPredicate predicate, Value x, const APInt &y) {
    Value constant =
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, y));
    return arith::CmpIOp::create(b, loc, predicate, x, constant).getResult();
  };
  unsigned width = type.getIntOrFloatBitWidth();
  if (int64_t most = largestShift(op))
    return compare(CmpIPredicate::ule, args[1], APInt(width, most));
  Value divides = compare(CmpIPredicate::ne, args[1], APInt::getZero(width));
  Value fits = arith::OrIOp::create(
      b, loc, compare(CmpIPredicate::ne, args[1], APInt::getAllOnes(width)),
      compare(CmpIPredicate::ne, args[0], APInt::getSignedMinValue(width)));
  return arith::AndIOp::create(b, loc, divides, fits);
}

void TosaLowering::checkElements(Operation *op, ValueRange inputs,
                                 ArrayRef<AffineMap> inputMaps,
                                 ArrayRef<OpFoldResult> sizes) {
  int64_t most = largestShift(op);
  if ((most == 0 && !isa<tosa::IntDivOp>(op)) || isAllowed(op))
    return;
  Location loc = op->getLoc();
  int64_t rank = sizes.size();
  Type i1 = b.getI1Type();
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  Value init = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{}, i1);
  init = linalg::FillOp::create(b, loc, yes, init).getResult(0);
  // A tensor that is never read gives the extents of all loops.
  SmallVector<Value> operands(inputs);
  operands.push_back(tensor::EmptyOp::create(b, loc, sizes, i1));
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(b.getMultiDimIdentityMap(rank));
  maps.push_back(AffineMap::get(rank, 0, b.getContext()));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::reduction);
  auto all = linalg::GenericOp::create(
      b, loc, init.getType(), operands, init, maps, loops,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value holds = emitCondition(b, loc, op, args);
        holds = arith::AndIOp::create(b, loc, args.back(), holds);
        linalg::YieldOp::create(b, loc, holds);
      });
  Value holds =
      tensor::ExtractOp::create(b, loc, all.getResult(0), ValueRange());
  FailMessage text;
  if (most > 0)
    text << "a shift must be by 0 to " << Twine(most) << " bits";
  else
    text << "an element is divided by 0, or the least integer by -1";
  failIf(b, op, arith::XOrIOp::create(b, loc, holds, yes), text,
         primitiveName(op), "input2", FailMessage() << "elements");
}

/// Upstream's shifts by the width of an integer or more are of no value; those
/// of the specification leave no bit.
void TosaLowering::clearFarShifts(Region &body) {
  SmallVector<Operation *> shifts;
  body.walk([&](Operation *op) {
    if (isa<arith::ShLIOp, arith::ShRUIOp>(op) &&
        op->getResult(0).getType().getIntOrFloatBitWidth() < 32)
      shifts.push_back(op);
  });
  for (Operation *op : shifts) {
    OpBuilder b(op);
    b.setInsertionPointAfter(op);
    Location loc = op->getLoc();
    Type type = op->getResult(0).getType();
    auto constant = [&](int64_t value) {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
    };
    Value isNear =
        arith::CmpIOp::create(b, loc, CmpIPredicate::ult, op->getOperand(1),
                              constant(type.getIntOrFloatBitWidth()));
    auto result =
        arith::SelectOp::create(b, loc, isNear, op->getResult(0), constant(0));
    op->getResult(0).replaceAllUsesExcept(result, result);
  }
}
