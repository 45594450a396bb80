//===- WindowLoops.cpp - Windows over a tensor ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where strides, dilations and borders are constants, the windows are a copy
// with affine maps of the padded image. Else each element looks for its place.
//
//===----------------------------------------------------------------------===//

#include "WindowLoops.h"
#include "GatherWindows.h"
#include "Structure/Loops.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::symshape;

/// Whether places are affine in the positions of windows and elements, and
/// nothing is cropped.
static bool isAffine(ArrayRef<WindowsOp::Axis> axes) {
  return llvm::all_of(axes, [](const WindowsOp::Axis &axis) {
    auto isAtLeastZero = [](OpFoldResult value) {
      std::optional<int64_t> known = getConstantIntValue(value);
      return known && *known >= 0;
    };
    return getConstantIntValue(axis.spread) == 1 && isAtLeastZero(axis.low) &&
           isAtLeastZero(axis.high) && getConstantIntValue(axis.stride) &&
           getConstantIntValue(axis.dilation);
  });
}

static Value lowerAffine(OpBuilder &b, WindowsOp op,
                         ArrayRef<WindowsOp::Axis> axes,
                         ArrayRef<OpFoldResult> sizes) {
  Location loc = op.getLoc();
  int64_t n = axes.size();
  SmallVector<OpFoldResult> low(n + 2, b.getIndexAttr(0)), high(low);
  SmallVector<AffineExpr> at{b.getAffineDimExpr(0)};
  bool isPadded = false;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    low[1 + i] = axis.low;
    high[1 + i] = axis.high;
    isPadded |= getConstantIntValue(axis.low) != 0 ||
                getConstantIntValue(axis.high) != 0;
    at.push_back(b.getAffineDimExpr(1 + i) * *getConstantIntValue(axis.stride) +
                 b.getAffineDimExpr(1 + n + i) *
                     *getConstantIntValue(axis.dilation));
  }
  at.push_back(b.getAffineDimExpr(2 * n + 1));
  Value image = op.getSource();
  if (isPadded)
    image =
        tensor::PadOp::create(b, loc, Type(), image, low, high, op.getValue());
  unsigned rank = sizes.size();
  Value init =
      tensor::EmptyOp::create(b, loc, sizes, op.getType().getElementType());
  AffineMap maps[] = {AffineMap::get(rank, 0, at, b.getContext()),
                      b.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, init.getType(), image, init, maps, loops,
             [](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc, args.front());
             })
      .getResult(0);
}

/// The place in the image along one axis, and whether there is one.
static std::pair<Value, Value> findPlace(OpBuilder &b, Location loc,
                                         const WindowsOp::Axis &axis,
                                         Value window, Value element,
                                         Value extent) {
  ArithBuilder numbers(b, loc);
  Value place =
      numbers.add(numbers.mul(window, makeIndex(b, loc, axis.stride)),
                  numbers.mul(element, makeIndex(b, loc, axis.dilation)));
  place = arith::SubIOp::create(b, loc, place, makeIndex(b, loc, axis.low));
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  Value zero = makeIndex(b, loc, 0);
  Value isInside = compare(arith::CmpIPredicate::sge, place, zero);
  if (getConstantIntValue(axis.spread) != 1) {
    Value spread = makeIndex(b, loc, axis.spread);
    Value quotient = arith::DivSIOp::create(b, loc, place, spread);
    Value isElement =
        compare(arith::CmpIPredicate::eq, numbers.mul(quotient, spread), place);
    isInside = arith::AndIOp::create(b, loc, isInside, isElement);
    place = quotient;
  }
  Value isBefore = compare(arith::CmpIPredicate::slt, place, extent);
  return {place, arith::AndIOp::create(b, loc, isInside, isBefore)};
}

static Value lowerByPlace(OpBuilder &b, WindowsOp op,
                          ArrayRef<WindowsOp::Axis> axes,
                          ArrayRef<OpFoldResult> sizes) {
  Location loc = op.getLoc();
  size_t n = axes.size();
  SmallVector<Value> extents, dynamic;
  for (size_t i = 0; i < n; ++i)
    extents.push_back(tensor::DimOp::create(b, loc, op.getSource(), 1 + i));
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  auto body = [&](OpBuilder &b, Location loc, ValueRange at) {
    SmallVector<Value> place{at.front()};
    Value isInside;
    for (size_t i = 0; i < n; ++i) {
      auto [along, isThere] =
          findPlace(b, loc, axes[i], at[1 + i], at[1 + n + i], extents[i]);
      place.push_back(along);
      isInside =
          isInside ? arith::AndIOp::create(b, loc, isInside, isThere) : isThere;
    }
    place.push_back(at.back());
    auto element = scf::IfOp::create(
        b, loc, isInside,
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(
              b, loc,
              tensor::ExtractOp::create(b, loc, op.getSource(), place)
                  .getResult());
        },
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, op.getValue());
        });
    tensor::YieldOp::create(b, loc, element.getResult(0));
  };
  return tensor::GenerateOp::create(
      b, loc, RankedTensorType::get(shape, op.getType().getElementType()),
      dynamic, body);
}

void mlir::symshape::lower(RewriterBase &b, WindowsOp op, bool) {
  ReifiedRankedShapedTypeDims shapes;
  (void)op.reifyResultShapes(b, shapes); // never fails
  SmallVector<WindowsOp::Axis> axes = op.getAxes();
  replaceCast(b, op,
              isAffine(axes) ? lowerAffine(b, op, axes, shapes.front())
                             : lowerByPlace(b, op, axes, shapes.front()));
}
