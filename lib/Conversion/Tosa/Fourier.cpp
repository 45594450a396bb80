//===- Fourier.cpp - Discrete Fourier transforms of tosa ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By their definition, as sums over all places. Upstream's patterns take sines
// of angles whose rounding makes those of half turns small numbers; the
// specification wants what is a sum of zeros to be 0. Angles here are counted
// in turns, exactly, since extents are powers of two.
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"
#include "Structure/Loops.h"
#include "TosaLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::symshape;

static Value makeFloat(OpBuilder &b, Location loc, Type type, double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

/// The sine of an angle from -1/4 to 1/4 of a turn: 0 of none.
static Value makeSine(OpBuilder &b, Location loc, Value turns) {
  Value full = makeFloat(b, loc, turns.getType(), 2 * llvm::numbers::pi);
  return math::SinOp::create(b, loc,
                             arith::MulFOp::create(b, loc, turns, full));
}

/// Cosine and sine of an angle in turns, at least 0. Those of quarter turns are
/// exact.
static std::pair<Value, Value> makeRotation(OpBuilder &b, Location loc,
                                            Value turns) {
  ArithBuilder arith(b, loc);
  Type type = turns.getType();
  Value quarter = makeFloat(b, loc, type, 0.25);
  Value half = makeFloat(b, loc, type, 0.5);
  // From half a turn back to half a turn on, and how far that is.
  Value rest =
      arith.sub(turns, math::FloorOp::create(b, loc, arith.add(turns, half)));
  Value size = math::AbsFOp::create(b, loc, rest);
  Value beyond = arith.sub(size, quarter);
  Value cosine = makeSine(b, loc, arith.sub(quarter, size));
  Value height =
      arith.sub(quarter, math::AbsFOp::create(b, loc, beyond).getResult());
  Value sine = makeSine(
      b, loc, math::CopySignOp::create(b, loc, height, rest).getResult());
  return {cosine, sine};
}

/// The part of a turn that place `from` makes towards place `to` of the result,
/// along an axis of this extent.
static Value makeTurns(OpBuilder &b, Location loc, Type type, Value extent,
                       unsigned to, unsigned from) {
  Value product =
      arith::MulIOp::create(b, loc, linalg::IndexOp::create(b, loc, to),
                            linalg::IndexOp::create(b, loc, from));
  auto toFloat = [&](Value index) -> Value {
    return arith::SIToFPOp::create(
        b, loc, type,
        arith::IndexCastOp::create(b, loc, b.getI64Type(), index));
  };
  return arith::DivFOp::create(
      b, loc, toFloat(arith::RemUIOp::create(b, loc, product, extent)),
      toFloat(extent));
}

/// Operands are real parts, and imaginary ones if there are any; so are
/// results.
bool TosaLowering::lowerFourier(Operation *op) {
  auto whole = dyn_cast<tosa::FFT2dOp>(op);
  if (!whole && !isa<tosa::RFFT2dOp>(op))
    return false;
  Location loc = op->getLoc();
  Type element = getElementTypeOrSelf(op->getResult(0));
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, op->getOperand(0));
  Value height = makeIndex(b, loc, sizes[1]),
        width = makeIndex(b, loc, sizes[2]);
  // The other half of a transform of real numbers mirrors this one.
  if (!whole)
    sizes[2] =
        addIndices(b, loc, divIndices(b, loc, sizes[2], b.getIndexAttr(2)),
                   b.getIndexAttr(1));
  Value zero = makeFloat(b, loc, element, 0);
  SmallVector<Value> inits;
  for (int i = 0; i < 2; ++i)
    inits.push_back(linalg::FillOp::create(b, loc, zero,
                                           ValueRange(tensor::EmptyOp::create(
                                               b, loc, sizes, element)))
                        .getResult(0));
  // Batch, place of the result, place of the input.
  auto dims = [&](ArrayRef<unsigned> positions) {
    SmallVector<AffineExpr> exprs;
    for (unsigned position : positions)
      exprs.push_back(b.getAffineDimExpr(position));
    return AffineMap::get(5, 0, exprs, b.getContext());
  };
  SmallVector<AffineMap> maps(op->getNumOperands(), dims({0, 3, 4}));
  maps.append(2, dims({0, 1, 2}));
  SmallVector<utils::IteratorType> loops(3, utils::IteratorType::parallel);
  loops.append(2, utils::IteratorType::reduction);
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    ArithBuilder arith(b, loc);
    Value turns = arith.add(makeTurns(b, loc, element, height, 1, 3),
                            makeTurns(b, loc, element, width, 2, 4));
    auto [cosine, sine] = makeRotation(b, loc, turns);
    if (whole && whole.getInverse())
      sine = arith::NegFOp::create(b, loc, sine);
    ValueRange sums = args.take_back(2);
    Value real = arith.add(sums[0], arith.mul(args[0], cosine));
    Value imaginary = arith.sub(sums[1], arith.mul(args[0], sine));
    if (whole) {
      real = arith.add(real, arith.mul(args[1], sine));
      imaginary = arith.add(imaginary, arith.mul(args[1], cosine));
    }
    linalg::YieldOp::create(b, loc, {real, imaginary});
  };
  auto sum =
      linalg::GenericOp::create(b, loc, ValueRange(inits).getTypes(),
                                op->getOperands(), inits, maps, loops, body);
  replace(op, sum.getResults());
  return true;
}
